package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

func servedCommand() *cli.Command {
	return &cli.Command{
		Name: "served", Usage: "list the scenarios of a world of a running emulator, or show one", ArgsUsage: "[NAME]",
		Description: `They are those of all worlds, and then the world's own. Examples:

   understudy scenarios served --key svc_sk_test_me
   understudy scenarios served lifecycle --key svc_sk_test_me   its file`,
		Flags: clientFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 1 {
				return fmt.Errorf("%s takes one name, but was given %d", c.FullName(), c.Args().Len())
			}
			if name := c.Args().First(); name != "" {
				return show(ctx, c, call{path: "scenarios/" + url.PathEscape(name)}, func(to io.Writer, s servedScenario) {
					fmt.Fprintf(to, "# %s\n%s", s.File, s.Source)
				})
			}
			return listTable(ctx, c, "scenarios", nil, "NAME|MAGIC VALUES|OWN|TITLE", func(s servedScenario) []string {
				return []string{s.Name, s.values(), strconv.FormatBool(s.Own), s.Title}
			})
		},
	}
}

// servedScenario is a scenario as the control plane shows it; a list omits the source.
type servedScenario struct {
	Name, Title, File, Source string
	Own                       bool
	Magic                     []struct{ Value string }
}

func (s servedScenario) values() string {
	var values []string
	for _, magic := range s.Magic {
		values = append(values, magic.Value)
	}
	return cmp.Or(strings.Join(values, " "), "-")
}

func resolveCommand() *cli.Command {
	return &cli.Command{
		Name: "resolve", Usage: "show what a request would get now, and why", ArgsUsage: "METHOD PATH [BODY|-]",
		Description: `It is a dry run: nothing moves. BODY is sent as it is; - is standard input. Examples:

   understudy scenarios resolve GET /verification-requests/vr_flaky --key svc_sk_test_me
   understudy scenarios resolve PUT /tenant-properties/tp_default '{"name":"Quay"}' --key svc_sk_test_me`,
		Flags:  clientFlags(),
		Action: resolveRequest,
	}
}

// resolution is a dry run as the control plane shows it.
type resolution struct {
	Operation, Scenario, Rule, Fault *string
	Delay                            string
	Status                           *int
	Body                             json.RawMessage
	Diagnosis                        []string
}

func resolveRequest(ctx context.Context, c *cli.Command) error {
	if n := c.Args().Len(); n != 2 && n != 3 {
		return errors.New("scenarios resolve takes a method, a path and maybe a body, such as GET /verification-requests/vr_flaky")
	}
	request := map[string]string{"method": c.Args().First(), "path": c.Args().Get(1)}
	if !strings.HasPrefix(request["path"], "/") {
		return fmt.Errorf("the path %q does not begin with /: write it as in /verification-requests/vr_flaky", request["path"])
	}
	if body := c.Args().Get(2); body == "-" {
		data, err := readInput(c, body)
		if err != nil {
			return err
		}
		request["body"] = string(data)
	} else if body != "" {
		request["body"] = body
	}
	return show(ctx, c, call{method: http.MethodPost, path: "scenarios/resolve", body: request}, printResolution)
}

func printResolution(to io.Writer, r resolution) {
	status := "-"
	if r.Status != nil {
		status = strconv.Itoa(*r.Status)
	}
	printRows(to, "status|"+status, [][]string{
		{"operation", orNone(r.Operation)},
		{"scenario", orNone(r.Scenario)},
		{"rule", orNone(r.Rule)},
		{"delay", r.Delay},
		{"fault", orNone(r.Fault)},
	})
	if len(r.Diagnosis) > 0 {
		fmt.Fprintln(to, "\nDIAGNOSIS\n"+strings.Join(r.Diagnosis, "\n"))
	}
	if string(r.Body) != "null" {
		(&entryBody{JSON: r.Body}).print(to, "RESPONSE")
	}
}

func infoCommand() *cli.Command {
	return &cli.Command{
		Name: "info", Usage: "show the version, seed, store and clock of a running emulator",
		Description: example("info"),
		Flags:       clientFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return show(ctx, c, call{path: "info"}, func(to io.Writer, info struct {
				Version, Store, Clock string
				Seed                  uint64
				Population            string
				RateLimit             string `json:"rate_limit"`
				Scenarios             int
				Warning               string
			}) {
				printRows(to, "version|"+info.Version, [][]string{
					{"seed", strconv.FormatUint(info.Seed, 10)},
					{"store", info.Store},
					{"clock", info.Clock},
					{"population", info.Population},
					{"rate limit", info.RateLimit},
					{"scenarios", strconv.Itoa(info.Scenarios)},
				})
				if info.Warning != "" {
					fmt.Fprintln(to, info.Warning)
				}
			})
		},
	}
}

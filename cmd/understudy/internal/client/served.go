package client

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

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
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
		data, err := command.ReadInput(c, body)
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
	command.PrintRows(to, "status|"+status, [][]string{
		{"operation", command.OrNone(r.Operation)},
		{"scenario", command.OrNone(r.Scenario)},
		{"rule", command.OrNone(r.Rule)},
		{"delay", r.Delay},
		{"fault", command.OrNone(r.Fault)},
	})
	if len(r.Diagnosis) > 0 {
		fmt.Fprintln(to, "\nDIAGNOSIS\n"+strings.Join(r.Diagnosis, "\n"))
	}
	if string(r.Body) != "null" {
		(&entryBody{JSON: r.Body}).print(to, "RESPONSE")
	}
}

func InfoCommand() *cli.Command {
	return &cli.Command{
		Name: "info", Usage: "show the version, seed, store and clock of a running emulator",
		Description: command.Example("info"),
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
				command.PrintRows(to, "version|"+info.Version, [][]string{
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

func putCommand() *cli.Command {
	return &cli.Command{
		Name: "put", Usage: "add the scenarios of a file to a world of a running emulator", ArgsUsage: "FILE|-",
		Description: `They apply at once, in this world only, until they are deleted by their names or the world is reset. Examples:

   understudy scenarios put late.yaml --key svc_sk_test_me
   understudy scenarios delete my-late --key svc_sk_test_me`,
		Flags:  clientFlags(),
		Action: command.WithArgument("which file; - is standard input", putScenarios),
	}
}

// putScenarios puts each scenario of a file to the address with its name, and prints the answers as one.
func putScenarios(ctx context.Context, c *cli.Command, file string) error {
	files, err := command.ReadScenarios(c, file)
	if err != nil {
		return err
	}
	catalogue, err := files.Over(nil)
	if err == nil && catalogue.Len() == 0 {
		err = catalogue.Warnings()
	}
	if err != nil {
		return command.Failed(err)
	}
	type answer struct {
		Items    []json.RawMessage `json:"items"`
		Warnings []string          `json:"warnings"`
	}
	all := answer{Warnings: []string{}}
	for _, s := range catalogue.All() {
		text, err := call{method: http.MethodPut, path: "scenarios/" + url.PathEscape(s.Name), body: []byte(s.Source())}.do(ctx, c)
		if err != nil {
			return err
		}
		var one answer
		if err := decode(c, text, &one); err != nil {
			return err
		}
		all.Items, all.Warnings = append(all.Items, one.Items...), append(all.Warnings, one.Warnings...)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return command.Failed(err)
	}
	return printAnswer(c, text, printOwn)
}

// ownScenarios is the control plane's answer to scenarios of a world.
type ownScenarios struct {
	Items    []servedScenario
	Warnings []string
}

func printOwn(to io.Writer, own ownScenarios) {
	var rows [][]string
	for _, s := range own.Items {
		rows = append(rows, []string{s.Name, s.values(), s.Title})
	}
	command.PrintRows(to, "SCENARIO|MAGIC VALUES|TITLE", rows)
	for _, warning := range own.Warnings {
		fmt.Fprintln(to, warning)
	}
}

// ScenarioCommands returns the commands of scenarios that call a running emulator.
func ScenarioCommands() []*cli.Command {
	return []*cli.Command{putCommand(), servedCommand(), resolveCommand(), {
		Name: "delete", Usage: "delete a scenario of a world", ArgsUsage: "NAME", Flags: clientFlags(),
		Description: `NAME is the name of a scenario that was put. Example:

   understudy scenarios delete late --key svc_sk_test_me`,
		Action: deletes("scenarios/", "which scenario, by its name", "the scenario %s is deleted"),
	}}
}

package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// ScenarioCommands returns the commands of scenarios that call a running emulator.
func ScenarioCommands() (all []*cli.Command) {
	for _, e := range []endpoint{
		{
			verb: "put", usage: "add the scenarios of a file to a world of a running emulator", args: "FILE|-", ask: "which file; - is standard input",
			about: "They apply at once, in this world only, until they are deleted by their names or the world is reset.", do: putScenarios,
			examples: []string{"late.yaml --key svc_sk_test_me"},
		},
		{
			verb: "served", usage: "list the scenarios of a world of a running emulator, or show one", args: "[NAME]", do: served,
			about:    "They are those of all worlds, and then the world's own.",
			examples: []string{"--key svc_sk_test_me|list them", "lifecycle --key svc_sk_test_me|the file of one"},
		},
		{
			verb: "resolve", usage: "show what a request would get now, and why", args: "METHOD PATH [BODY|-]",
			about:  "It is a dry run: nothing moves. BODY is sent as it is; - is standard input.",
			ask:    "a method, a path and maybe a body, such as GET /verification-requests/vr_flaky",
			method: http.MethodPost, path: "scenarios/resolve", body: resolved, prints: printResolution,
			examples: []string{
				"GET /verification-requests/vr_flaky --key svc_sk_test_me",
				`PUT /tenant-properties/tp_default '{"name":"Quay"}' --key svc_sk_test_me`,
			},
		},
		{
			verb: "delete", usage: "delete a scenario of a world", args: "NAME", ask: "which scenario, by its name",
			about:  "NAME is the name of a scenario that was put.",
			method: http.MethodDelete, path: "scenarios/{}", line: "the scenario ${1} is deleted", examples: []string{"late --key svc_sk_test_me"},
		},
	} {
		e.flags = clientFlags()
		all = append(all, e.command("scenarios"))
	}
	return all
}

// served lists scenarios, or shows one.
func served(ctx context.Context, c *cli.Command, args []string) error {
	e := endpoint{path: "scenarios", columns: "NAME=name|MAGIC VALUES=magic|OWN=own|TITLE=title"}
	if len(args) > 0 {
		e = endpoint{args: "NAME", path: "scenarios/{}", prints: printed(func(to io.Writer, s struct{ File, Source string }) {
			fmt.Fprintf(to, "# %s\n%s", s.File, s.Source)
		})}
	}
	return e.act(ctx, c)
}

// resolved returns the body of scenarios resolve.
func resolved(c *cli.Command, args []string) (any, error) {
	request := map[string]string{"method": args[0], "path": args[1]}
	if !strings.HasPrefix(args[1], "/") {
		return nil, fmt.Errorf("the path %q does not begin with /: write it as in /verification-requests/vr_flaky", args[1])
	}
	if len(args) > 2 {
		request["body"] = args[2]
		if args[2] == "-" {
			data, err := command.ReadInput(c, "-")
			if err != nil {
				return nil, err
			}
			request["body"] = string(data)
		}
	}
	return request, nil
}

// printResolution prints a dry run as the control plane shows it.
func printResolution(to io.Writer, answer []byte) error {
	var r map[string]any
	var of struct{ Body json.RawMessage }
	if err := cmp.Or(decode(answer, &r), decode(answer, &of)); err != nil {
		return err
	}
	printMembers(to, r, "status=status|operation=operation|scenario=scenario|rule=rule|delay=delay|fault=fault")
	printLines(to, "DIAGNOSIS", r["diagnosis"])
	if string(of.Body) != "null" {
		(&entryBody{JSON: of.Body}).print(to, "RESPONSE")
	}
	return nil
}

// putScenarios puts each scenario of a file to the address with its name, and prints the answers as one.
func putScenarios(ctx context.Context, c *cli.Command, args []string) error {
	files, err := command.ReadScenarios(c, args[0])
	if err != nil {
		return err
	}
	catalogue, err := files.Over(nil)
	if err == nil && len(catalogue.Names()) == 0 {
		err = catalogue.Warnings()
	}
	if err != nil {
		return command.Failed(err)
	}
	all := struct {
		Items    []json.RawMessage `json:"items"`
		Warnings []string          `json:"warnings"`
	}{Warnings: []string{}}
	for _, s := range catalogue.All() {
		text, err := call{method: http.MethodPut, path: "scenarios/" + url.PathEscape(s.Name), body: []byte(s.Source())}.do(ctx, c)
		if err != nil {
			return err
		}
		one := all
		one.Items, one.Warnings = nil, nil
		if err := json.Unmarshal(text, &one); err != nil {
			return otherServer(c, "its answer cannot be decoded: "+err.Error())
		}
		all.Items, all.Warnings = append(all.Items, one.Items...), append(all.Warnings, one.Warnings...)
	}
	if c.Bool("json") {
		return writeJSON(c, all)
	}
	if err := printList(c, all.Items, "SCENARIO=name|MAGIC VALUES=magic|TITLE=title"); err != nil || len(all.Warnings) == 0 {
		return err
	}
	return command.Write(c, strings.Join(all.Warnings, "\n")+"\n")
}

// snapshot returns the commands that save and restore a world.
func snapshot() group {
	const what = "A snapshot is a file of JSON, one key a line: resources with their timelines, counters, clock, world scenarios, faults and journal. It contains" +
		" what clients sent, so only you can read the file. " + withKey
	return group{name: "snapshot", usage: "save a whole world, and restore it", about: what, endpoints: []endpoint{
		{
			verb: "save", usage: "write the world to a file; - is standard output", args: "FILE|-", ask: "to which file; - is standard output", do: saveSnapshot,
			examples: []string{"arranged.ndjson|save the world as it is now", "- | understudy snapshot restore - --key svc_sk_test_other|copy it to another world"},
		},
		{
			verb: "restore", usage: "replace the world by the one in a file; - is standard input", args: "FILE|-", ask: "from which file; - is standard input",
			method: http.MethodPut, path: "snapshot", line: "world ${id} is restored, its clock is at ${clock}",
			body: func(c *cli.Command, args []string) (any, error) {
				data, err := command.ReadInput(c, args[0])
				return fileBody(data), err
			},
			examples: []string{"arranged.ndjson|restore it"},
		},
	}}
}

func saveSnapshot(ctx context.Context, c *cli.Command, args []string) error {
	text, err := call{path: "snapshot"}.do(ctx, c)
	if err != nil {
		return err
	}
	if args[0] == "-" {
		return command.Write(c, string(text))
	}
	if err := os.WriteFile(args[0], text, 0o600); err != nil {
		return command.Failed(fmt.Errorf("%w: name a file in a folder that can be written, or - for standard output", err))
	}
	if c.Bool("json") {
		return nil
	}
	return command.Write(c, fmt.Sprintf("the world is saved in %s, %d bytes\n", args[0], len(text)))
}

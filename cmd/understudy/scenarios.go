package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func scenariosCommand() *cli.Command {
	return &cli.Command{
		Name:  "scenarios",
		Usage: "list, show, check and put scenarios, which say what magic values do",
		Description: `Examples:

   understudy scenarios list cancel                    the scenarios that have to do with canceling
   understudy scenarios show vr_lifecycle              the file of one, and how to call it
   understudy scenarios show vr_lifecycle > mine.yaml  a start for your own file
   understudy scenarios validate mine.yaml             check the file
   understudy serve --scenarios .                      serve it; edits apply at once
   understudy scenarios put mine.yaml                  add it to one world of a running emulator
   understudy scenarios resolve GET /verification-requests/vr_flaky
                                                       what that request would get now, and why`,
		Commands: []*cli.Command{listCommand(), showCommand(), validateCommand(), schemaCommand(), putCommand(), servedCommand(), resolveCommand(), {
			Name: "delete", Usage: "delete a scenario of a world", ArgsUsage: "NAME", Flags: clientFlags(),
			Description: `NAME is the name of a scenario that was put. Example:

   understudy scenarios delete late --key svc_sk_test_me`,
			Action: deletes("scenarios/", "which scenario, by its name", "the scenario %s is deleted"),
		}},
	}
}

// loadScenarios returns the built-in scenarios and those of --scenarios.
func loadScenarios(c *cli.Command) (*scenarios.Catalogue, error) {
	catalogue, err := scenarios.Load(c.StringSlice("scenarios")...)
	if err != nil {
		return nil, failure{withCount(c, err)}
	}
	return catalogue, nil
}

// withCount puts a line with their number before the problems of the files of --scenarios.
func withCount(c *cli.Command, err error) error {
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return fmt.Errorf("the scenario files of %s have %s\n%w", given(c, "scenarios"), problems.Count(), err)
	}
	return err
}

func validateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "check scenario files",
		ArgsUsage: "PATH...",
		Description: `PATH is a scenario file, a folder of them, or - for standard input. The command checks each file against the language, and
its names and magic values against the built-in scenarios and the other files of the same PATH. Examples:

   understudy scenarios validate mine.yaml
   understudy scenarios validate ./scenarios ./more     two folders that are not served together
   cat mine.yaml | understudy scenarios validate -

A scenario that takes the name or a magic value of another says so: replaces: NAME. A warning names the magic values that are lost.

The command prints every problem with its line. It exits 1 when one is an error, and 0 when all are warnings.`,
		Action: validate,
	}
}

func validate(_ context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return errors.New("say which files or folders: understudy scenarios validate ./scenarios")
	}
	read, valid := 0, 0 // files; scenarios
	var problems scenarios.Problems
	for _, path := range c.Args().Slice() {
		files, err := readScenarios(c, path)
		if err != nil {
			return err
		}
		read += files.Len()
		catalogue, err := files.Load()
		if found := (scenarios.Problems)(nil); errors.As(err, &found) {
			problems = append(problems, found...)
			continue
		}
		if err != nil {
			return failure{err}
		}
		problems = append(problems, catalogue.Warnings()...)
		valid += len(catalogue.Added())
	}
	where, result := "in "+count(read, "file"), "fine"
	if len(problems) > 0 {
		if err := write(c, problems.Error()+"\n"); err != nil {
			return err
		}
		result = problems.Count()
	}
	if problems.Errors() > 0 {
		return failure{fmt.Errorf("%s %s", result, where)}
	}
	return write(c, fmt.Sprintf("%s %s: %s\n", count(valid, "scenario"), where, result))
}

func readScenarios(c *cli.Command, path string) (scenarios.Files, error) {
	if path == "-" {
		data, err := readInput(c, path)
		return scenarios.Files{}.With("standard input", data), err
	}
	return scenarios.Read(path), nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of scenario files, for editors",
		Description: `Examples:

   understudy scenarios schema > scenarios/schema.json

Editors with a YAML language server complete and check a file that begins with this line:

   # yaml-language-server: $schema=schema.json`,
		Action: func(_ context.Context, c *cli.Command) error { return write(c, string(scenarios.Schema())) },
	}
}

func putCommand() *cli.Command {
	return &cli.Command{
		Name: "put", Usage: "add the scenarios of a file to a world of a running emulator", ArgsUsage: "FILE|-",
		Description: `They apply at once, in this world only, until they are deleted by their names or the world is reset. Examples:

   understudy scenarios put late.yaml --key svc_sk_test_me
   understudy scenarios delete my-late --key svc_sk_test_me`,
		Flags:  clientFlags(),
		Action: withArgument("which file; - is standard input", putScenarios),
	}
}

// putScenarios puts each scenario of a file to the address with its name, and prints the answers as one.
func putScenarios(ctx context.Context, c *cli.Command, file string) error {
	files, err := readScenarios(c, file)
	if err != nil {
		return err
	}
	catalogue, err := files.Over(nil)
	if err == nil && catalogue.Len() == 0 {
		err = catalogue.Warnings()
	}
	if err != nil {
		return failure{err}
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
		return failure{err}
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
	printRows(to, "SCENARIO|MAGIC VALUES|TITLE", rows)
	for _, warning := range own.Warnings {
		fmt.Fprintln(to, warning)
	}
}

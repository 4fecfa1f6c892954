package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func scenariosCommand() *cli.Command {
	return &cli.Command{
		Name:  "scenarios",
		Usage: "list, show, check and put scenarios: what a magic value does",
		Description: `Examples:

   understudy scenarios list cancel                    what can be had that has to do with canceling
   understudy scenarios show vr_lifecycle              how that is written, and how to call it
   understudy scenarios show vr_lifecycle > mine.yaml  a start for a file of your own
   understudy scenarios validate mine.yaml             is it right?
   understudy serve --scenarios .                      serve it, and re-read it when it changes
   understudy scenarios put mine.yaml                  or give it to one world of an emulator that runs`,
		Commands: []*cli.Command{listCommand(), showCommand(), validateCommand(), schemaCommand(), putCommand(), {
			Name: "delete", Usage: "take a scenario file of a world's own away", ArgsUsage: "NAME", Flags: clientFlags(),
			Action: deletes("scenarios/", "which file, by the name under which it was put", "the scenario file %s is taken away"),
		}},
	}
}

// loadScenarios returns the built-in scenarios and those of --scenarios.
func loadScenarios(c *cli.Command) (*scenarios.Catalogue, error) {
	catalogue, err := scenarios.Load(c.StringSlice("scenarios")...)
	if err != nil {
		return nil, failure{withCount(err)}
	}
	return catalogue, nil
}

// withCount puts the number of problems of scenario files before the problems.
func withCount(err error) error {
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return fmt.Errorf("the scenario files have %s\n%w", problems.Count(), err)
	}
	return err
}

func validateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "say whether scenario files are right",
		ArgsUsage: "PATH...",
		Description: `PATH is a scenario file, a folder of them, or - for standard input. Each is held against the language and, for names
and magic values that stand twice, against the built-in scenarios; files of one PATH against each other, too. Examples:

   understudy scenarios validate mine.yaml
   understudy scenarios validate ./scenarios ./more     two folders that are not served together
   cat mine.yaml | understudy scenarios validate -

A file with the name of a built-in one replaces all of that; which magic values go with it is a warning.

It prints every problem with its line, and exits 1 on an error. Warnings are printed, and are none.`,
		Action: validate,
	}
}

func validate(_ context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return errors.New("say which files or folders: understudy scenarios validate ./scenarios")
	}
	read, right := 0, 0 // files; scenarios
	var problems scenarios.Problems
	for _, path := range c.Args().Slice() {
		files, err := readScenarios(c, path)
		if err != nil {
			return err
		}
		read += files.Len()
		catalogue, err := files.Load()
		if wrong := (scenarios.Problems)(nil); errors.As(err, &wrong) {
			problems = append(problems, wrong...)
			continue
		}
		if err != nil {
			return failure{err}
		}
		problems = append(append(problems, catalogue.Warnings()...), catalogue.ReplacementWarnings()...)
		right += len(catalogue.Added())
	}
	where, verdict := "in "+count(read, "file"), "fine"
	if len(problems) > 0 {
		if err := write(c, problems.Error()+"\n"); err != nil {
			return err
		}
		verdict = problems.Count()
	}
	if problems.Errors() > 0 {
		return failure{fmt.Errorf("%s %s", verdict, where)}
	}
	return write(c, fmt.Sprintf("%s %s: %s\n", count(right, "scenario"), where, verdict))
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
		Usage: "print the JSON Schema of scenario files, by which editors complete and check them",
		Description: `Examples:

   understudy scenarios schema > scenarios/schema.json

and as the first line of each file, for editors with a YAML language server:

   # yaml-language-server: $schema=schema.json`,
		Action: func(_ context.Context, c *cli.Command) error { return write(c, string(scenarios.Schema())) },
	}
}

func putCommand() *cli.Command {
	return &cli.Command{
		Name: "put", Usage: "give a world of a running emulator a scenario file of its own", ArgsUsage: "FILE|-",
		Description: `The file counts at once, in this world only, until it is deleted or the world is reset. Examples:

   understudy scenarios put late.yaml --key svc_sk_test_me   under the name late
   understudy scenarios delete late --key svc_sk_test_me`,
		Flags:  append(clientFlags(), text("", "name", "", "under the name `NAME`; by default that of the file")),
		Action: withArgument("which file; - is standard input", putScenarios),
	}
}

func putScenarios(ctx context.Context, c *cli.Command, file string) error {
	name := c.String("name")
	if name == "" && file == "-" {
		return errors.New("say under which name the scenarios of standard input are put: --name late")
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	data, err := readInput(c, file)
	if err != nil {
		return err
	}
	return show(ctx, c, call{method: http.MethodPut, path: "scenarios/" + url.PathEscape(name), body: data}, printOwn)
}

// ownScenarios is the control plane's answer to a scenario file.
type ownScenarios struct {
	Items []struct {
		Name, Title string
		Magic       []struct{ Kind, Value string }
	}
	Warnings []string
}

func printOwn(to io.Writer, own ownScenarios) {
	var rows [][]string
	for _, s := range own.Items {
		var values []string
		for _, m := range s.Magic {
			values = append(values, m.Value)
		}
		rows = append(rows, []string{s.Name, strings.Join(values, " "), s.Title})
	}
	printRows(to, "SCENARIO|MAGIC VALUES|TITLE", rows)
	for _, warning := range own.Warnings {
		fmt.Fprintln(to, warning)
	}
}

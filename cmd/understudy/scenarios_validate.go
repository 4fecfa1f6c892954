package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

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
		OnUsageError: onUsageError,
		Action:       validate,
	}
}

// findings are what was found in the paths so far.
type findings struct {
	files, scenarios int
	problems         scenarios.Problems
}

func validate(_ context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return errors.New("say which files or folders: understudy scenarios validate ./scenarios")
	}
	var found findings
	for _, path := range c.Args().Slice() {
		files, err := readScenarios(c, path)
		if err != nil {
			return failure{err}
		}
		if err := found.add(files); err != nil {
			return failure{err}
		}
	}
	return found.print(c.Root().Writer)
}

func readScenarios(c *cli.Command, path string) (scenarios.Files, error) {
	if path == "-" {
		data, err := io.ReadAll(c.Root().Reader)
		return scenarios.NewFile("standard input", data), err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return scenarios.ReadFile(path), nil
	}
	return scenarios.ReadFolders(path), nil
}

func (f *findings) add(files scenarios.Files) error {
	f.files += files.Len()
	catalogue, err := files.Load()
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		f.problems = append(f.problems, problems...)
		return nil
	}
	if err != nil {
		return err
	}
	f.problems = append(f.problems, catalogue.Warnings()...)
	f.problems = append(f.problems, catalogue.Lost()...)
	f.scenarios += len(catalogue.Own())
	return nil
}

// print prints what was found, and returns an error when there is any.
func (f *findings) print(to io.Writer) error {
	if len(f.problems) > 0 {
		if _, err := fmt.Fprintln(to, f.problems); err != nil {
			return failure{err}
		}
	}
	where := "in " + count(f.files, "file")
	if f.problems.Errors() > 0 {
		return failure{fmt.Errorf("%s %s", f.problems.Count(), where)}
	}
	verdict := "fine"
	if len(f.problems) > 0 {
		verdict = f.problems.Count()
	}
	if _, err := fmt.Fprintf(to, "%s %s: %s\n", count(f.scenarios, "scenario"), where, verdict); err != nil {
		return failure{err}
	}
	return nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

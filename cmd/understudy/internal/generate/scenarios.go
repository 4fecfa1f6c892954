package generate

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Scenarios returns the commands of scenarios: those that need no emulator, and more.
func Scenarios(more ...*cli.Command) *cli.Command {
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
		Commands: append([]*cli.Command{listCommand(), showCommand(), validateCommand(), schemaCommand("scenario")}, more...),
	}
}

// loadScenarios returns the built-in scenarios and those of --scenarios.
func loadScenarios(c *cli.Command) (*scenarios.Catalogue, error) {
	catalogue, err := scenarios.Load(c.StringSlice("scenarios")...)
	if err != nil {
		return nil, command.Failed(command.WithCount(c, err))
	}
	return catalogue, nil
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
		files, err := command.ReadScenarios(c, path)
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
			return command.Failed(err)
		}
		problems = append(problems, catalogue.Warnings()...)
		valid += len(catalogue.Added())
	}
	where, result := "in "+command.Count(read, "file"), "fine"
	if len(problems) > 0 {
		if err := command.Write(c, problems.Error()+"\n"); err != nil {
			return err
		}
		result = problems.Count()
	}
	if problems.Errors() > 0 {
		return command.Failed(fmt.Errorf("%s %s", result, where))
	}
	return command.Write(c, fmt.Sprintf("%s %s: %s\n", command.Count(valid, "scenario"), where, result))
}

// schemaCommand prints the schema of a kind of file.
func schemaCommand(kind string) *cli.Command {
	example := map[string]string{"scenario": "scenarios schema > scenarios/schema.json", "population": "book schema > schema.json"}[kind]
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of " + kind + " files, for editors",
		Description: `Examples:

   understudy ` + example + `

Editors with a YAML language server complete and check a file that begins with this line:

   # yaml-language-server: $schema=schema.json`,
		Action: func(_ context.Context, c *cli.Command) error { return command.Write(c, string(scenarios.Schema(kind))) },
	}
}

package main

import (
	"context"
	"errors"
	"fmt"

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
		Commands:     []*cli.Command{listCommand(), showCommand(), validateCommand(), schemaCommand(), putCommand(), deleteCommand()},
		OnUsageError: onUsageError,
		Action:       helpOf,
	}
}

// helpOf is what the name of a group of commands alone does.
func helpOf(_ context.Context, c *cli.Command) error {
	if unknown := c.Args().First(); unknown != "" {
		return unknownCommand(c, unknown)
	}
	return cli.ShowSubcommandHelp(c)
}

// scenariosFlag names folders of scenario files. Each command says what it does with them.
func scenariosFlag(category, usage string) cli.Flag {
	return &cli.StringSliceFlag{Category: category, Name: "scenarios", Sources: fromEnvironment("scenarios"), Usage: usage}
}

// loadScenarios returns the built-in scenarios and those of --scenarios.
func loadScenarios(c *cli.Command) (*scenarios.Catalogue, error) {
	catalogue, err := scenarios.LoadFolders(c.StringSlice("scenarios")...)
	if err != nil {
		return nil, failure{told(err)}
	}
	return catalogue, nil
}

// told has the problems of scenario files begin on a line of their own, behind one that counts them.
func told(err error) error {
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return fmt.Errorf("the scenario files have %s\n%w", problems.Count(), err)
	}
	return err
}

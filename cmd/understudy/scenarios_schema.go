package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of scenario files, by which editors complete and check them",
		Description: `Examples:

   understudy scenarios schema > scenarios/schema.json

and as the first line of each file, for editors with a YAML language server:

   # yaml-language-server: $schema=schema.json`,
		OnUsageError: onUsageError,
		Action: func(_ context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if _, err := c.Root().Writer.Write(scenarios.Schema()); err != nil {
				return failure{err}
			}
			return nil
		},
	}
}

package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func openAPICommand() *cli.Command {
	return &cli.Command{
		Name:  "openapi",
		Usage: "print the OpenAPI document of the emulated API",
		Description: `Examples:

   understudy openapi                   as YAML
   understudy openapi --format json     as JSON`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "yaml", Usage: "print it as `FORMAT`: yaml or json", Sources: fromEnvironment("format")},
		},
		OnUsageError: onUsageError,
		Action:       printOpenAPI,
	}
}

func printOpenAPI(_ context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	document := api.OpenAPIYAML()
	switch format := c.String("format"); format {
	case "yaml":
	case "json":
		var err error
		if document, err = api.OpenAPIJSON(); err != nil {
			return failure{err}
		}
	default:
		return fmt.Errorf("--format %q is neither yaml nor json", format)
	}
	if _, err := c.Root().Writer.Write(document); err != nil {
		return failure{err}
	}
	return nil
}

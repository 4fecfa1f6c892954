package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/collection"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

func openAPICommand() *cli.Command {
	return &cli.Command{
		Name:  "openapi",
		Usage: "print the OpenAPI document of the emulated API and the control plane, or requests to send by hand",
		Description: `A collection has the requests that show what each magic value does, with the statuses that they get in this order; its variables are
url and key. Bruno's is a folder. Examples:

   understudy openapi                             as YAML
   understudy openapi --format json               as JSON
   understudy openapi --surface > service.yaml    the five operations alone, for the client of a program to be tested
   understudy openapi --format http > understudy.http
                                                  requests that an editor sends
   understudy openapi --format postman > understudy.postman_collection.json
   understudy openapi --format bruno --out understudy-bruno`,
		Flags: []cli.Flag{
			command.Text("", "format", "yaml", "print the document as `FORMAT`, yaml or json, or a collection: postman, bruno or http"),
			command.Text("", "out", "", "write the collection's files to the folder `DIR`"),
			command.Toggle("", "surface", "print the operations of the API alone, without the control plane"),
			command.Toggle("", "extended", "print the operations of serve --extended, too"),
		},
		Action: printOpenAPI,
	}
}

func printOpenAPI(ctx context.Context, c *cli.Command) error {
	document, format := api.Parts{Control: !c.Bool("surface"), Extensions: c.Bool("extended")}, c.String("format")
	switch {
	case collection.Formats[format] != nil:
		return writeCollection(ctx, c, format, document)
	case format != "yaml" && format != "json":
		return command.Misused(c, "format", "is neither yaml nor json, nor a collection: postman, bruno or http")
	case c.IsSet("out"):
		return command.Misused(c, "out", "is for collections: redirect the document with > FILE")
	case format == "yaml":
		return command.Write(c, string(document.YAML()))
	}
	text, err := document.JSON()
	if err != nil {
		return command.Failed(err)
	}
	return command.Write(c, string(text))
}

// writeCollection prints a collection of one file, or writes its files to the folder of --out.
func writeCollection(ctx context.Context, c *cli.Command, format string, parts api.Parts) error {
	files, err := collection.Files(ctx, format, parts.Control, parts.Extensions)
	if err != nil {
		return command.Failed(err)
	}
	out := c.String("out")
	switch {
	case out == "" && len(files) > 1:
		return command.Misused(c, "format", "is a folder of files: name it with --out DIR")
	case out == "":
		return command.Write(c, files[0].Text)
	}
	return writeFiles(c, files)
}

// writeFiles writes files to the folder of --out, and prints how many.
func writeFiles(c *cli.Command, files []collection.File) error {
	out := c.String("out")
	for _, f := range files {
		path := filepath.Join(out, filepath.FromSlash(f.Name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(f.Text), 0o644)
		}
		if err != nil {
			return command.Failed(command.Misused(c, "out", "cannot be written: %w: name a folder that can be written", err))
		}
	}
	return command.Write(c, command.Count(len(files), "file")+" in "+out+"\n")
}

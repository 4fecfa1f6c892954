package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/collection"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
)

func docsCommand() *cli.Command {
	return &cli.Command{
		Name:  "docs",
		Usage: "write the documentation of this version as a static site",
		Description: `A running emulator serves the same pages at /_understudy/docs/. They load nothing from elsewhere. Example:

   understudy docs --out site   then open site/index.html`,
		Flags:  []cli.Flag{command.Text("", "out", "", "write the pages to the folder `DIR`")},
		Action: writeDocs,
	}
}

// writeDocs writes the files that an emulator serves.
func writeDocs(ctx context.Context, c *cli.Command) (err error) {
	if c.String("out") == "" {
		return errors.New("docs has no folder: name one with --out DIR, or open /_understudy/docs/ of a running emulator")
	}
	e, err := emulator.New(emulator.WithVersion(thisBuild().Version))
	if err != nil {
		return command.Failed(err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	list, err := command.Get(ctx, e, "docs/files.txt", "")
	if err != nil {
		return command.Failed(err)
	}
	var files []collection.File
	for name := range strings.FieldsSeq(list.String()) {
		text, err := command.Get(ctx, e, "docs/"+name, "")
		if err != nil {
			return command.Failed(err)
		}
		files = append(files, collection.File{Name: name, Text: text.String()})
	}
	return writeFiles(c, files)
}

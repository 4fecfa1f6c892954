package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/urfave/cli/v3"
)

func snapshotCommand() *cli.Command {
	return &cli.Command{
		Name:  "snapshot",
		Usage: "take a whole world out, and put it in",
		Description: `A snapshot is one JSON document: resources, where they stand, counters, clock, the world's own scenarios, faults and
journal. Its file is for your eyes only, as it has what was sent. Examples, with the key in UNDERSTUDY_KEY:

   understudy snapshot save arranged.json                        the world as it is now
   understudy snapshot restore arranged.json                     the world as it was then
   understudy snapshot save - | understudy snapshot restore - --key svc_sk_test_other   a copy of it`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{Name: "save", Usage: "write the world to a file, or with - to standard output", ArgsUsage: "FILE|-", OnUsageError: onUsageError, Action: saveSnapshot},
			{Name: "restore", Usage: "make the world what a file says, or with - standard input", ArgsUsage: "FILE|-", OnUsageError: onUsageError, Action: restoreSnapshot},
		},
		OnUsageError: onUsageError,
		Action:       helpOf,
	}
}

func saveSnapshot(ctx context.Context, c *cli.Command) error {
	file, err := oneArgument(c, "to which file; - is standard output")
	if err != nil {
		return err
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	document, err := r.ask(ctx, http.MethodGet, "snapshot", nil, nil)
	if err != nil {
		return err
	}
	document = append(document, '\n')
	if file == "-" {
		return write(r.to, string(document))
	}
	if err := os.WriteFile(file, document, 0o600); err != nil {
		return failure{err}
	}
	return r.done("the world is in %s, %d bytes", file, len(document))
}

func restoreSnapshot(ctx context.Context, c *cli.Command) error {
	file, err := oneArgument(c, "from which file; - is standard input")
	if err != nil {
		return err
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	document, err := readInput(c, file)
	if err != nil {
		return failure{err}
	}
	answer, err := r.ask(ctx, http.MethodPut, "snapshot", nil, document)
	if err != nil {
		return err
	}
	return tell(r, answer, func(to io.Writer, w worldStatus) {
		fmt.Fprintf(to, "world %s is restored, its clock at %s\n", w.ID, w.Clock)
	})
}

// readInput reads a file, or with - standard input.
func readInput(c *cli.Command, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(c.Root().Reader)
	}
	return os.ReadFile(file)
}

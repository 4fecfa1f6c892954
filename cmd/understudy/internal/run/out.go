package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
)

func outFlag() cli.Flag {
	return command.Text("", "out", "", "write the requests, failed ones first, with reasons, bodies and resources to `FILE`: a page that opens without a server")
}

// checkOut returns an error for files that could not be written after COMMAND, or would be empty.
func checkOut(c *cli.Command) error {
	for _, flag := range []string{"out", "keep", "report", "coverage-report"} {
		for _, path := range append(c.StringSlice(flag), c.String(flag)) {
			if folder, err := os.Stat(filepath.Dir(path)); err != nil || !folder.IsDir() {
				return fmt.Errorf("--%s %s is in no folder that exists: create %s", flag, path, filepath.Dir(path))
			}
		}
	}
	switch {
	case c.String("out") == "":
	case wantsTrial(c):
		return errors.New("--out has the requests of one run, and a trial has many: use --report")
	case c.String("journal-size") == "0":
		return errors.New("--journal-size 0 leaves nothing to write: --out needs the journal")
	}
	return nil
}

// writeOut writes the page of a run to --out, and says what the page leaves out.
func writeOut(ctx context.Context, c *cli.Command, e *emulator.Emulator) error {
	path := c.String("out")
	if path == "" {
		return nil
	}
	answer, err := command.Get(context.WithoutCancel(ctx), e, "run", c.String("control-token"))
	if err != nil {
		return command.WriteFile(path, "run", nil, err)
	}
	if left := strings.TrimSpace(answer.Header().Get("Understudy-Diagnosis")); left != "" {
		fmt.Fprintf(c.Root().ErrWriter, "understudy: %s: %s\n", path, left)
	}
	return command.WriteFile(path, "run", answer.Bytes(), nil)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/store"
)

func storeCommand() *cli.Command {
	return &cli.Command{
		Name:  "store",
		Usage: "check the file of a store",
		Description: `Examples:

   understudy store check /var/lib/understudy.db   is the file of serve --store file:/var/lib/understudy.db whole?`,
		Commands: []*cli.Command{{
			Name:      "check",
			Usage:     "say whether a store file is whole",
			ArgsUsage: "PATH",
			Description: `PATH is the file of serve --store file:PATH, which no emulator may have open. It is only read.

It prints what is wrong, and exits 1 when something is.`,
			Action: withArgument("which file, as in: understudy store check understudy.db", checkStore),
		}},
	}
}

// checkHere is set where this process is to check, and not another one.
const checkHere = "UNDERSTUDY_STORE_CHECK_HERE"

func checkStore(ctx context.Context, c *cli.Command, path string) error {
	check := checkElsewhere
	if os.Getenv(checkHere) != "" {
		check = func(_ context.Context, path string) error { return store.Check(path) }
	}
	if err := check(ctx, path); err != nil {
		return failure{err}
	}
	return write(c, fmt.Sprintf("store file %s: fine\n", path))
}

// checkElsewhere checks a file in a process of its own: bbolt follows what a damaged page says to where no memory is, which
// ends the process.
func checkElsewhere(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var stderr strings.Builder
	check := exec.CommandContext(ctx, self, "store", "check", path)
	check.Env, check.Stderr = append(os.Environ(), checkHere+"=1"), &stderr
	err = check.Run()
	said := strings.TrimSpace(stderr.String())
	switch {
	case err == nil:
		return nil
	case check.ProcessState != nil && check.ProcessState.ExitCode() == exitFailed:
		return errors.New(strings.TrimPrefix(said, "understudy: "))
	}
	first, _, _ := strings.Cut(said, "\n")
	return fmt.Errorf("store file %s is damaged (the check ended early: %w: %s): restore it, or name another file", path, err, first)
}

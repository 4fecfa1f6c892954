package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/urfave/cli/v3"
)

// StoreCommand returns the command that checks the file of a store.
func StoreCommand() *cli.Command {
	return &cli.Command{
		Name:  "store",
		Usage: "check the file of a store",
		Description: `Example:

   understudy store check /var/lib/understudy.db   checks the file of serve --store file:/var/lib/understudy.db`,
		Commands: []*cli.Command{{
			Name:      "check",
			Usage:     "check a store file for damage",
			ArgsUsage: "PATH",
			Description: `PATH is the file of serve --store file:PATH. Stop the emulator first. The command only reads the file. It prints the first
damage that it finds, and then exits 1. Example:

   understudy store check understudy.db`,
			Action: command.WithArgument("which file, as in: understudy store check understudy.db", checkStore),
		}},
	}
}

func checkStore(ctx context.Context, c *cli.Command, path string) error {
	check := checkElsewhere
	if os.Getenv(command.CheckHere) != "" {
		check = func(_ context.Context, path string) error { return store.Check(path) }
	}
	if err := check(ctx, path); err != nil {
		return command.Failed(err)
	}
	return command.Write(c, fmt.Sprintf("store file %s: fine\n", path))
}

// checkElsewhere checks a file in another process: on a damaged page bbolt may read memory that is not mapped, which ends
// the process.
func checkElsewhere(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var stderr strings.Builder
	check := exec.CommandContext(ctx, self, "store", "check", path)
	check.Env, check.Stderr = append(os.Environ(), command.CheckHere+"=1"), &stderr
	err = check.Run()
	message := strings.TrimSpace(stderr.String())
	switch {
	case err == nil:
		return nil
	case check.ProcessState != nil && check.ProcessState.ExitCode() == command.ExitFailed:
		return errors.New(strings.TrimPrefix(message, "understudy: "))
	}
	first, _, _ := strings.Cut(message, "\n")
	return fmt.Errorf("store file %s is damaged (the check ended early: %w: %s): restore a backup, or name another file", path, err, first)
}

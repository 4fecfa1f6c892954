// Understudy is a local stand-in for a hosted employment, income and tenant verification API.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	fine = iota
	failed
	usedWrongly
)

// run carries out a command line and returns its exit code. When ctx ends, a server stops gracefully.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command := root(args, stdout, stderr)
	err := command.Run(ctx, args)
	if err == nil {
		return fine
	}
	fmt.Fprintln(stderr, "understudy:", inOwnWords(command, args, err))
	if errors.As(err, new(failure)) {
		return failed
	}
	return usedWrongly
}

// failure is a command that was understood and went wrong. All other errors are about the command line.
type failure struct{ error }

// Unwrap returns what went wrong.
func (f failure) Unwrap() error { return f.error }

func root(args []string, stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:    "understudy",
		Version: version(),
		Usage:   "a local stand-in for the employment, income and tenant verification API",
		Description: `Start it, and point a client at it:

   understudy serve
   curl -H 'Authorization: Bearer svc_sk_test_me' http://127.0.0.1:8080/verification-requests/vr_completed

Every flag can be set by an environment variable too: UNDERSTUDY_ and the flag in upper snake case.
Exit codes: 0 fine, 1 failed, 2 used wrongly.`,
		Commands:              commandsFor(args),
		Action:                help,
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden = false
			c.Usage = "print a completion script for bash, zsh, fish or pwsh"
			c.ArgsUsage = "bash|zsh|fish|pwsh"
			c.Action = onlyForShells(c.Action)
		},
		OnUsageError:   onUsageError,
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run gives the exit code
	}
}

// onlyForShells refuses what completion scripts are not made for.
func onlyForShells(complete cli.ActionFunc) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		if !slices.Contains([]string{"bash", "zsh", "fish", "pwsh"}, c.Args().First()) {
			return errors.New("say which shell the completion is for: bash, zsh, fish or pwsh")
		}
		return complete(ctx, c)
	}
}

// help is what the name alone does.
func help(_ context.Context, c *cli.Command) error {
	if unknown := c.Args().First(); unknown != "" {
		return unknownCommand(c, unknown)
	}
	return cli.ShowRootCommandHelp(c)
}

func unknownCommand(c *cli.Command, unknown string) error {
	var names []string
	for _, command := range c.Commands {
		names = append(names, command.Name)
	}
	return fmt.Errorf("there is no command %q: %s", unknown, hint(c, unknown, names))
}

// onUsageError keeps an error to one line, where the library would print all of the help.
func onUsageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	unknown, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return fmt.Errorf("%w: see %s --help", err, c.FullName())
	}
	var names []string
	for _, command := range c.Lineage() {
		for _, flag := range command.Flags {
			names = append(names, flag.Names()[0])
		}
	}
	return fmt.Errorf("there is no flag --%s: %s", unknown, hint(c, unknown, names))
}

// hint says what was probably meant, and where the names are.
func hint(c *cli.Command, unknown string, names []string) string {
	if nearest, ok := api.Nearest(unknown, names); ok {
		return fmt.Sprintf("did you mean %s? See %s --help", nearest, c.FullName())
	}
	return fmt.Sprintf("see %s --help", c.FullName())
}

// alone has an action take no arguments: of a command with commands below it, an argument is one that it has not.
func alone(act cli.ActionFunc) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		if unknown := c.Args().First(); unknown != "" && len(c.Commands) > 0 {
			return unknownCommand(c, unknown)
		}
		if err := noArguments(c); err != nil {
			return err
		}
		return act(ctx, c)
	}
}

// oneArgument returns the only argument of a command, or asks for it.
func oneArgument(c *cli.Command, what string) (string, error) {
	if c.Args().Len() != 1 || c.Args().First() == "" {
		return "", fmt.Errorf("%s takes one argument: say %s", c.FullName(), what)
	}
	return c.Args().First(), nil
}

// fromEnvironment names the environment variable of a flag.
func fromEnvironment(flag string) cli.ValueSourceChain {
	return cli.EnvVars("UNDERSTUDY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

// noArguments refuses words behind the flags.
func noArguments(c *cli.Command) error {
	if c.Args().Present() {
		return fmt.Errorf("%s takes no arguments, but was given %q", c.FullName(), c.Args().First())
	}
	return nil
}

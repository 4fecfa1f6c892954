// Understudy is a local stand-in for a hosted employment, income and tenant verification API.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// run executes a command line and returns its exit code. When ctx ends, a server shuts down gracefully.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command := root(stdout, stderr)
	err := command.Run(ctx, args)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(stderr, "understudy:", reword(command, args, err))
	if errors.As(err, new(failure)) {
		return exitFailed
	}
	return exitUsage
}

// failure is the error of a command that was used rightly. All other errors are about the command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// root returns the command line with all commands, in the order of the help.
func root(stdout, stderr io.Writer) *cli.Command {
	command := &cli.Command{
		Name:    "understudy",
		Version: version(),
		Usage:   "a local stand-in for the employment, income and tenant verification API",
		Description: `Start it, and point a client at it:

   understudy serve
   curl -H 'Authorization: Bearer svc_sk_test_me' http://127.0.0.1:8080/verification-requests/vr_completed

Every flag can be set by an environment variable too: UNDERSTUDY_ and the flag in upper snake case.
Exit codes: 0 fine, 1 failed, 2 used wrongly.`,
		Commands: []*cli.Command{
			serveCommand(), resetCommand(), clockCommand(), faultsCommand(), requestsCommand(), journalCommand(), snapshotCommand(),
			worldsCommand(), scenariosCommand(), generateCommand(), healthcheckCommand(), openAPICommand(), storeCommand(),
			{Name: "version", Usage: "print the version", Action: func(_ context.Context, c *cli.Command) error {
				return write(c, fmt.Sprintf("understudy %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
			}},
		},
		Action:                func(_ context.Context, c *cli.Command) error { return cli.ShowRootCommandHelp(c) },
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden = false
			c.Usage = "print a completion script for bash, zsh, fish or pwsh"
			c.ArgsUsage = "bash|zsh|fish|pwsh"
			complete := c.Action
			c.Action = func(ctx context.Context, c *cli.Command) error {
				if !slices.Contains([]string{"bash", "zsh", "fish", "pwsh"}, c.Args().First()) {
					return errors.New("say which shell the completion is for: bash, zsh, fish or pwsh")
				}
				return complete(ctx, c)
			}
		},
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run gives the exit code
	}
	checkUsage(command)
	return command
}

// release is set by the linker: -ldflags "-X main.release=v1.2.3".
var release string

// version returns the release, or else what the Go tool knows of the build.
func version() string {
	if release != "" {
		return release
	}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}

func openAPICommand() *cli.Command {
	return &cli.Command{
		Name:  "openapi",
		Usage: "print the OpenAPI document of the emulated API",
		Description: `Examples:

   understudy openapi                   as YAML
   understudy openapi --format json     as JSON`,
		Flags:  []cli.Flag{text("", "format", "yaml", "print it as `FORMAT`: yaml or json")},
		Action: printOpenAPI,
	}
}

func printOpenAPI(_ context.Context, c *cli.Command) error {
	switch format := c.String("format"); format {
	case "yaml":
		return write(c, string(api.OpenAPIYAML()))
	case "json":
		document, err := api.OpenAPIJSON()
		if err != nil {
			return failure{err}
		}
		return write(c, string(document))
	default:
		return fmt.Errorf("--format %q is neither yaml nor json", format)
	}
}

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
	return fmt.Errorf("store file %s is damaged (the check ended early: %w: %s): restore a backup, or name another file", path, err, first)
}

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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
)

func init() { // the library has these words in variables
	cli.UsageCommandHelp = "show the commands, or the help of one"
	cli.CommandHelpTemplate = strings.ReplaceAll(cli.CommandHelpTemplate, "GLOBAL OPTIONS:", "EMULATOR:")
	cli.HelpPrinter = func(to io.Writer, template string, data any) {
		var help strings.Builder
		cli.DefaultPrintHelp(&help, template, data)
		for line := range strings.Lines(help.String()) {
			io.WriteString(to, wrapped(line))
		}
	}
}

func main() {
	os.Exit(run(signalContext(), os.Args, os.Stdout, os.Stderr))
}

// signalContext returns a context that ends with SIGINT, SIGTERM or SIGHUP; its cause is a signalError. A second after that, another
// signal ends the process: timeout(1) sends two at once.
func signalContext() context.Context {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it ignored
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, end := context.WithCancelCause(context.Background())
	go func() {
		end(signalError{<-signals})
		time.AfterFunc(time.Second, func() { signal.Stop(signals) })
	}()
	return ctx
}

type signalError struct{ os.Signal }

func (e signalError) Error() string { return e.String() + " signal received" }

func (e signalError) Unwrap() error { return context.Canceled }

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// run executes a command line and returns its exit code. When ctx ends, a server shuts down gracefully.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command, args := root(stdout, stderr), withKind(args)
	named := namedCommands(command, args)
	err := checkVariables(named...)
	if err == nil {
		err = command.Run(ctx, args)
	}
	if err == nil {
		return exitOK
	}
	if message := strings.TrimSpace(reword(named, err).Error()); message != "" {
		fmt.Fprintln(stderr, "understudy:", strings.TrimPrefix(message, "understudy ")) // some begin with the full name of a command
	}
	if len(named) > 1 && named[1].Name != "serve" && named[1].Name != "run" { // which log them
		for _, warning := range unknownVariables(command, os.Environ()) {
			fmt.Fprintln(stderr, "understudy:", warning)
		}
	}
	if ended := (commandError{}); errors.As(err, &ended) {
		return ended.code
	}
	if errors.As(err, new(failure)) {
		return exitFailed
	}
	return exitUsage
}

// failure is the error of a command whose command line was right. Any other error is about the command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// root returns the command tree. Help lists the commands in this order.
func root(stdout, stderr io.Writer) *cli.Command {
	command := &cli.Command{
		Name:  "understudy",
		Usage: "a local stand-in for the employment, income and tenant verification API",
		Description: `Start it, and point a client at it:

   understudy serve
   curl -H 'Authorization: Bearer svc_sk_test_me' http://127.0.0.1:8080/verification-requests/vr_completed

The flags of serve, and those that name an emulator and a world, have environment variables: UNDERSTUDY_ and the flag in upper
snake case. The flag wins, and an empty variable counts as unset. Exit codes: 0 success, 1 failure, 2 wrong usage; run exits as its command does.`,
		Commands: []*cli.Command{
			serveCommand(), runCommand(), resetCommand(), clockCommand(), settingsCommand(), faultsCommand(), requestsCommand(), propertiesCommand(),
			checksCommand(), sessionsCommand(), journalCommand(), snapshotCommand(), worldsCommand(), infoCommand(), scenariosCommand(),
			generateCommand(), compareCommand(), healthcheckCommand(), openAPICommand(), storeCommand(), versionCommand(),
		},
		HideVersion: true, // the library's shows no commit
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "version", Aliases: []string{"v"}, Local: true, Usage: "print the version, the commit and its date"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Bool("version") {
				return printVersion(ctx, c)
			}
			return cli.ShowRootCommandHelp(c)
		},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: configureCompletion,
		Writer:                          stdout,
		ErrWriter:                       stderr,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {}, // run gives the exit code
	}
	checkUsage(command)
	return command
}

// configureCompletion shows the library's completion command in the help, and has it refuse a shell that it does not know.
func configureCompletion(c *cli.Command) {
	c.Hidden = false
	c.Usage = "print a completion script for bash, zsh, fish or pwsh"
	c.ArgsUsage = "bash|zsh|fish|pwsh"
	c.Description = `Examples:

   source <(understudy completion bash)                                     in this shell
   understudy completion fish > ~/.config/fish/completions/understudy.fish  in every shell`
	for _, shell := range c.Commands {
		shell.Usage = "print a completion script for " + shell.Name
		checkUsage(shell)
	}
	complete := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if !slices.Contains([]string{"bash", "zsh", "fish", "pwsh"}, c.Args().First()) {
			return errors.New("say which shell the completion is for: bash, zsh, fish or pwsh")
		}
		return complete(ctx, c)
	}
}

func openAPICommand() *cli.Command {
	return &cli.Command{
		Name:  "openapi",
		Usage: "print the OpenAPI document of the emulated API and the control plane",
		Description: `Examples:

   understudy openapi                             as YAML
   understudy openapi --format json               as JSON
   understudy openapi --surface > service.yaml    the five operations alone, for the client of a program to be tested`,
		Flags: []cli.Flag{
			text("", "format", "yaml", "print the document as `FORMAT`: yaml or json"),
			toggle("", "surface", "print the five operations of the API alone, without the control plane"),
		},
		Action: printOpenAPI,
	}
}

func printOpenAPI(_ context.Context, c *cli.Command) error {
	asYAML, asJSON := api.OpenAPIYAML, api.OpenAPIJSON
	if c.Bool("surface") {
		asYAML, asJSON = api.SurfaceYAML, api.SurfaceJSON
	}
	switch c.String("format") {
	case "yaml":
		return write(c, string(asYAML()))
	case "json":
		document, err := asJSON()
		if err != nil {
			return failure{err}
		}
		return write(c, string(document))
	default:
		return misused(c, "format", "is neither yaml nor json")
	}
}

func storeCommand() *cli.Command {
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
			Action: withArgument("which file, as in: understudy store check understudy.db", checkStore),
		}},
	}
}

// checkHere is set in the environment of the process that checkElsewhere starts.
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

// checkElsewhere checks a file in another process: on a damaged page bbolt may read memory that is not mapped, which ends
// the process.
func checkElsewhere(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var stderr strings.Builder
	check := exec.CommandContext(ctx, self, "store", "check", path)
	check.Env, check.Stderr = append(os.Environ(), checkHere+"=1"), &stderr
	err = check.Run()
	message := strings.TrimSpace(stderr.String())
	switch {
	case err == nil:
		return nil
	case check.ProcessState != nil && check.ProcessState.ExitCode() == exitFailed:
		return errors.New(strings.TrimPrefix(message, "understudy: "))
	}
	first, _, _ := strings.Cut(message, "\n")
	return fmt.Errorf("store file %s is damaged (the check ended early: %w: %s): restore a backup, or name another file", path, err, first)
}

// Understudy is a local stand-in for a hosted employment, income and tenant verification API.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/client"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/compare"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/generate"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/run"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/serve"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
)

func main() {
	os.Exit(command.Run(command.SignalContext(), root(os.Stdout, os.Stderr), os.Args))
}

// root returns the command tree. Help lists the commands in this order.
func root(stdout, stderr io.Writer) *cli.Command {
	return command.Tree(stdout, stderr, &cli.Command{
		Name:  "understudy",
		Usage: "a local stand-in for the employment, income and tenant verification API",
		Description: `Start it, and point a client at it:

   understudy serve
   curl -H 'Authorization: Bearer svc_sk_test_me' http://127.0.0.1:8080/verification-requests/vr_completed

The flags of serve, and those that name an emulator and a world, have environment variables: UNDERSTUDY_ and the flag in upper
snake case. The flag wins, and an empty variable counts as unset. Exit codes: 0 success, 1 failure, 2 wrong usage; run exits as its command does.`,
		Commands: []*cli.Command{
			serve.Command(), run.Command(), client.ResetCommand(), client.ClockCommand(), client.SettingsCommand(), client.FaultsCommand(), client.RequestsCommand(), client.PropertiesCommand(),
			client.ChecksCommand(), client.SessionsCommand(), client.JournalCommand(), client.SnapshotCommand(), client.WorldsCommand(), client.InfoCommand(), generate.Scenarios(client.ScenarioCommands()...),
			generate.Command(), compare.Command(), client.HealthcheckCommand(), openAPICommand(), storeCommand(), versionCommand(),
		},
		Version:     thisBuild().Version,
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
	})
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
		command.CheckUsage(shell)
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
			command.Text("", "format", "yaml", "print the document as `FORMAT`: yaml or json"),
			command.Toggle("", "surface", "print the five operations of the API alone, without the control plane"),
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
		return command.Write(c, string(asYAML()))
	case "json":
		document, err := asJSON()
		if err != nil {
			return command.Failed(err)
		}
		return command.Write(c, string(document))
	default:
		return command.Misused(c, "format", "is neither yaml nor json")
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

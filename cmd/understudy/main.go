// Understudy is a local stand-in for a hosted employment, income and tenant verification API.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/client"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/compare"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/generate"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/mcp"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/run"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/serve"
	"github.com/understudy-sandbox/understudy/docs"
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
		Commands: slices.Concat(
			[]*cli.Command{serve.Command(), run.Command()},
			client.Commands(),
			[]*cli.Command{generate.Scenarios(client.ScenarioCommands()...), generate.Command(), generate.Book(thisBuild().Version), compare.Command(), openAPICommand(),
				skillCommand(), docsCommand(), mcp.Command(thisBuild().Version, root), serve.StoreCommand(), versionCommand()},
		),
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
	}
	command.CheckUsage(c)
	complete := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if !slices.Contains([]string{"bash", "zsh", "fish", "pwsh"}, c.Args().First()) {
			return errors.New("say which shell the completion is for: bash, zsh, fish or pwsh")
		}
		return complete(ctx, c)
	}
}

func skillCommand() *cli.Command {
	return &cli.Command{
		Name:  "skill",
		Usage: "print how to work with the emulator, for a coding agent",
		Description: `A running emulator serves the same text at /_understudy/llms.txt. Example:

   understudy skill > SKILL.md   where your agent looks for skills`,
		Action: func(_ context.Context, c *cli.Command) error {
			text, err := docs.Pages.ReadFile("skill.md")
			if err != nil {
				return command.Failed(err)
			}
			return command.Write(c, string(text))
		},
	}
}

package main

import (
	"slices"

	"github.com/urfave/cli/v3"
)

// command is a command that is made when it is wanted.
type command struct {
	name string
	make func() *cli.Command
}

// commands lists the commands as the help does.
func commands() []command {
	return []command{
		{"serve", serveCommand},
		{"reset", resetCommand},
		{"clock", clockCommand},
		{"faults", faultsCommand},
		{"requests", requestsCommand},
		{"journal", journalCommand},
		{"snapshot", snapshotCommand},
		{"worlds", worldsCommand},
		{"scenarios", scenariosCommand},
		{"generate", generateCommand},
		{"healthcheck", healthcheckCommand},
		{"openapi", openAPICommand},
		{"version", versionCommand},
	}
}

// commandsFor makes the command that a command line begins with, and all of them where it begins with none: a start is
// spared the flags of the others.
func commandsFor(args []string) (made []*cli.Command) {
	wanted := commands()
	if len(args) > 1 {
		if i := slices.IndexFunc(wanted, func(c command) bool { return c.name == args[1] }); i >= 0 {
			wanted = wanted[i : i+1]
		}
	}
	for _, c := range wanted {
		made = append(made, c.make())
	}
	return made
}

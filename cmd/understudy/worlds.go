package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"
)

func resetCommand() *cli.Command {
	return &cli.Command{
		Name:  "reset",
		Usage: "make a world as new: resources, clock, faults and counters",
		Description: `Example, before each run of a suite:

   understudy reset --key svc_sk_test_suite`,
		Flags:        clientFlags(),
		OnUsageError: onUsageError,
		Action:       reset,
	}
}

func reset(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, http.MethodPost, "reset", nil, nil)
	if err != nil {
		return err
	}
	return tell(r, answer, func(to io.Writer, w worldStatus) {
		fmt.Fprintf(to, "world %s is as new, its clock at %s\n", w.ID, w.Clock)
	})
}

func worldsCommand() *cli.Command {
	return &cli.Command{
		Name:  "worlds",
		Usage: "list worlds, and forget them",
		Description: `Each API key opens a world of its own. Examples:

   understudy worlds                   all, with their keys masked
   understudy worlds delete ID         as if the key of that world had never been used
   understudy clock --world ID         the clock of a world whose key is not at hand`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{Name: "list", Usage: "list worlds", OnUsageError: onUsageError, Action: alone(listWorlds)},
			{Name: "delete", Usage: "forget a world", ArgsUsage: "ID", OnUsageError: onUsageError, Action: deletes(newRemote, "worlds/", "which world, by an id of understudy worlds list", "world %s is forgotten")},
		},
		OnUsageError: onUsageError,
		Action:       alone(listWorlds),
	}
}

// worldStatus is a world as the control plane shows it.
type worldStatus struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"`
	Created time.Time `json:"created"`
	Clock   worldTime `json:"clock"`
}

func listWorlds(ctx context.Context, c *cli.Command) error {
	r, err := newRemote(c)
	if err != nil {
		return err
	}
	items, err := r.list(ctx, "worlds", nil)
	if err != nil {
		return err
	}
	return tellList(r, items, "ID|KEY|CREATED|CLOCK", func(w worldStatus) []string {
		return []string{w.ID, w.Key, instant(&w.Created), w.Clock.String()}
	})
}

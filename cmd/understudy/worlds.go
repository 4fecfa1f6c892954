package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func resetCommand() *cli.Command {
	return &cli.Command{
		Name:  "reset",
		Usage: "make a world as new: resources, clock, faults and counters",
		Description: `Example, before each run of a suite:

   understudy reset --key svc_sk_test_suite`,
		Flags: clientFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return show(ctx, c, call{method: http.MethodPost, path: "reset"}, func(to io.Writer, w worldStatus) {
				fmt.Fprintf(to, "world %s is as new, its clock at %s\n", w.ID, w.Clock)
			})
		},
	}
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
			{Name: "list", Usage: "list worlds", Action: listWorlds},
			{
				Name: "delete", Usage: "forget a world", ArgsUsage: "ID",
				Action: deletes("worlds/", "which world, by an id of understudy worlds list", "world %s is forgotten"),
			},
		},
		Action: listWorlds,
	}
}

type worldStatus struct {
	ID, Key string
	Created time.Time
	Clock   worldTime
}

func listWorlds(ctx context.Context, c *cli.Command) error {
	return listTable(ctx, c, "worlds", nil, "ID|KEY|CREATED|CLOCK", func(w worldStatus) []string {
		return []string{w.ID, w.Key, instant(&w.Created), w.Clock.String()}
	})
}

func clockCommand() *cli.Command {
	return &cli.Command{
		Name:  "clock",
		Usage: "show, set and advance a world's clock",
		Description: `Examples, with the key in UNDERSTUDY_KEY:

   understudy clock                            what time is it in this world?
   understudy clock advance 36h                a day and a half on
   understudy clock set 2025-03-01T09:00:00Z   at an instant to come; no clock goes back
   understudy clock set freeze                 it stands from now on
   understudy clock set run                    it runs on with the machine's`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{Name: "set", Usage: "set the clock to an instant, have it stand or run, or both", ArgsUsage: "INSTANT|freeze|run...", Action: setClock},
			{Name: "advance", Usage: "move the clock on", ArgsUsage: "TIME", Action: withArgument("by how much, such as 36h", advanceClock)},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return show(ctx, c, call{path: "clock"}, printClock) },
	}
}

type worldTime struct {
	Now    time.Time
	Frozen bool
}

func (w worldTime) String() string {
	if w.Frozen {
		return instant(&w.Now) + " frozen"
	}
	return instant(&w.Now) + " running"
}

func printClock(to io.Writer, w worldTime) { fmt.Fprintln(to, w) }

func setClock(ctx context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return errors.New("say what the clock is set to: an instant such as 2025-01-15T09:00:00Z, freeze or run")
	}
	to := make(map[string]any)
	for _, word := range c.Args().Slice() {
		switch word {
		case "freeze", "run":
			to["frozen"] = word == "freeze"
		default:
			at, err := time.Parse(time.RFC3339, word)
			if err != nil {
				return fmt.Errorf("%q is neither an RFC 3339 instant such as 2025-01-15T09:00:00Z, nor freeze, nor run", word)
			}
			to["now"] = at
		}
	}
	return show(ctx, c, call{method: http.MethodPut, path: "clock", body: to}, printClock)
}

func advanceClock(ctx context.Context, c *cli.Command, by string) error {
	if err := checkSpan(by); err != nil {
		return err
	}
	return show(ctx, c, call{method: http.MethodPost, path: "clock/advance", body: map[string]string{"by": by}}, printClock)
}

func checkSpan(text string) error {
	if err := new(scenarios.Duration).UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%q %w", text, err)
	}
	return nil
}

func snapshotCommand() *cli.Command {
	return &cli.Command{
		Name:  "snapshot",
		Usage: "take a whole world out, and put it in",
		Description: `A snapshot is one JSON document: resources, where they stand, counters, clock, the world's own scenarios, faults and
journal. Its file is for your eyes only, as it has what was sent. Examples, with the key in UNDERSTUDY_KEY:

   understudy snapshot save arranged.json                        the world as it is now
   understudy snapshot restore arranged.json                     the world as it was then
   understudy snapshot save - | understudy snapshot restore - --key svc_sk_test_other   a copy of it`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{
				Name: "save", Usage: "write the world to a file, or with - to standard output", ArgsUsage: "FILE|-",
				Action: withArgument("to which file; - is standard output", saveSnapshot),
			},
			{
				Name: "restore", Usage: "make the world what a file says, or with - standard input", ArgsUsage: "FILE|-",
				Action: withArgument("from which file; - is standard input", restoreSnapshot),
			},
		},
	}
}

func saveSnapshot(ctx context.Context, c *cli.Command, file string) error {
	document, err := call{path: "snapshot"}.do(ctx, c)
	if err != nil {
		return err
	}
	document = append(document, '\n')
	if file == "-" {
		return write(c, string(document))
	}
	if err := os.WriteFile(file, document, 0o600); err != nil {
		return failure{err}
	}
	if c.Bool("json") {
		return nil
	}
	return write(c, fmt.Sprintf("the world is in %s, %d bytes\n", file, len(document)))
}

func restoreSnapshot(ctx context.Context, c *cli.Command, file string) error {
	document, err := readInput(c, file)
	if err != nil {
		return err
	}
	return show(ctx, c, call{method: http.MethodPut, path: "snapshot", body: document}, func(to io.Writer, w worldStatus) {
		fmt.Fprintf(to, "world %s is restored, its clock at %s\n", w.ID, w.Clock)
	})
}

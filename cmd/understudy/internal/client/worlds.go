package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func ResetCommand() *cli.Command {
	return &cli.Command{
		Name:  "reset",
		Usage: "reset a world: resources, clock, faults, counters, journal, scenarios",
		Description: `The world is then as if its key had never been used. Example, before each run of a test suite:

   understudy reset --key svc_sk_test_suite`,
		Flags: clientFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return show(ctx, c, call{method: http.MethodPost, path: "reset"}, func(to io.Writer, w worldStatus) {
				fmt.Fprintf(to, "world %s is reset, its clock is at %s\n", w.ID, w.Clock)
			})
		},
	}
}

func WorldsCommand() *cli.Command {
	return &cli.Command{
		Name:  "worlds",
		Usage: "list, name and delete worlds",
		Description: `Each API key has its own world. Examples:

   understudy worlds                   all worlds, with their keys masked, and their last use
   understudy worlds rename ID Payroll    a name for people
   understudy worlds delete ID         as if the key of that world had never been used
   understudy clock --world ID         the clock of a world whose key you do not have`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{Name: "list", Usage: "list worlds", Description: command.Example("worlds list"), Action: listWorlds},
			{
				Name: "rename", Usage: "name a world; without NAME it has none", ArgsUsage: "ID [NAME]",
				Description: command.Example("worlds rename 6a0e4f2bd1c98735ea41f06c Payroll"),
				Action:      renameWorld,
			},
			{
				Name: "delete", Usage: "delete a world", ArgsUsage: "ID",
				Description: command.Example("worlds delete 6a0e4f2bd1c98735ea41f06c"),
				Action:      deletes("worlds/", "which world, by an id of understudy worlds list", "world %s is deleted"),
			},
		},
		Action: listWorlds,
	}
}

type worldStatus struct {
	ID, Key  string
	Name     *string
	Created  time.Time
	Clock    worldTime
	LastUsed *time.Time `json:"last_used"`
}

func listWorlds(ctx context.Context, c *cli.Command) error {
	return listTable(ctx, c, "worlds", nil, "ID|KEY|NAME|CREATED|CLOCK|LAST USED", func(w worldStatus) []string {
		return []string{w.ID, w.Key, command.OrNone(w.Name), command.Instant(&w.Created), w.Clock.String(), command.Instant(w.LastUsed)}
	})
}

func renameWorld(ctx context.Context, c *cli.Command) error {
	id, name := c.Args().First(), any(nil)
	switch c.Args().Len() {
	case 1:
	case 2:
		name = c.Args().Get(1)
	default:
		return errors.New("worlds rename takes one or two arguments: say which world, by an id of understudy worlds list, and its name")
	}
	return show(ctx, c, call{method: http.MethodPatch, path: "worlds/" + url.PathEscape(id), body: map[string]any{"name": name}}, func(to io.Writer, w worldStatus) {
		fmt.Fprintf(to, "the name of world %s is %s\n", w.ID, command.OrNone(w.Name))
	})
}

func ClockCommand() *cli.Command {
	return &cli.Command{
		Name:  "clock",
		Usage: "show, set and advance a world's clock",
		Description: `Examples, with the key in UNDERSTUDY_KEY:

   understudy clock                            the world's time
   understudy clock advance 36h                a day and a half later
   understudy clock set 2025-03-01T09:00:00Z   a later instant; a clock never goes back
   understudy clock set freeze                 stop the clock
   understudy clock set run                    let the clock run`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{
				Name: "set", Usage: "set the clock to an instant, freeze it or let it run", ArgsUsage: "[INSTANT] [freeze|run]",
				Description: command.Example("clock set 2025-03-01T09:00:00Z freeze"),
				Action:      setClock,
			},
			{
				Name: "advance", Usage: "advance the clock", ArgsUsage: "TIME",
				Description: command.Example("clock advance 36h"),
				Action:      command.WithArgument("by how much, such as 36h", advanceClock),
			},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return show(ctx, c, call{path: "clock"}, printClock) },
	}
}

func SettingsCommand() *cli.Command {
	return &cli.Command{
		Name:  "settings",
		Usage: "show and set what a world's clients may do and meet",
		Description: `Examples, with the key in UNDERSTUDY_KEY:

   understudy settings                                the settings that hold
   understudy settings set '{grease: values}'         answers change in what no client may rely on
   understudy settings set '{session_flow: manual}'   a session waits for its token to be used
   understudy settings set '{}'                       those of the server again`,
		Flags: clientFlags(),
		Commands: []*cli.Command{{
			Name: "set", Usage: "replace the world's own settings; what is left out is the server's", ArgsUsage: "SETTINGS",
			Description: command.Example("settings set '{grease: on, account: {types: [employment], reseller: false}}'"),
			Action: command.WithArgument("which settings, such as '{session_flow: manual}'", func(ctx context.Context, c *cli.Command, text string) error {
				return show(ctx, c, call{method: http.MethodPut, path: "settings", body: []byte(text)}, printSettings)
			}),
		}},
		Action: func(ctx context.Context, c *cli.Command) error {
			return show(ctx, c, call{path: "settings"}, printSettings)
		},
	}
}

func printSettings(to io.Writer, s scenarios.Settings) {
	account := "everything"
	if text, err := json.Marshal(s.Account); err == nil && string(text) != "{}" {
		account = string(text)
	}
	fmt.Fprintf(to, "grease %s, session flow %s, the account may do %s\n", s.Grease, s.SessionFlow, account)
}

type worldTime struct {
	Now    time.Time
	Frozen bool
}

func (w worldTime) String() string {
	if w.Frozen {
		return command.Instant(&w.Now) + " frozen"
	}
	return command.Instant(&w.Now) + " running"
}

func printClock(to io.Writer, w worldTime) { fmt.Fprintln(to, w) }

func setClock(ctx context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return errors.New("clock set has no argument: give an instant such as 2025-01-15T09:00:00Z, freeze or run")
	}
	to := make(map[string]any)
	for _, word := range c.Args().Slice() {
		key, value := "frozen", any(word == "freeze")
		if word != "freeze" && word != "run" {
			at, err := time.Parse(time.RFC3339, word)
			if err != nil {
				return fmt.Errorf("%q is neither an RFC 3339 instant such as 2025-01-15T09:00:00Z, nor freeze, nor run", word)
			}
			key, value = "now", at
		}
		if to[key] != nil {
			return fmt.Errorf("clock set takes one instant, and freeze or run: leave %q out", word)
		}
		to[key] = value
	}
	return show(ctx, c, call{method: http.MethodPut, path: "clock", body: to}, printClock)
}

func advanceClock(ctx context.Context, c *cli.Command, by string) error {
	return show(ctx, c, call{method: http.MethodPost, path: "clock/advance", body: map[string]string{"by": by}}, printClock)
}

func SnapshotCommand() *cli.Command {
	return &cli.Command{
		Name:  "snapshot",
		Usage: "save a whole world, and restore it",
		Description: `A snapshot is one JSON document: resources with their timelines, counters, clock, world scenarios, faults and journal. It
contains what clients sent, so only you can read the file. Examples, with the key in UNDERSTUDY_KEY:

   understudy snapshot save arranged.json                        save the world as it is now
   understudy snapshot restore arranged.json                     restore it
   understudy snapshot save - | understudy snapshot restore - --key svc_sk_test_other   copy it to another world`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{
				Name: "save", Usage: "write the world to a file; - is standard output", ArgsUsage: "FILE|-",
				Description: command.Example("snapshot save arranged.json"),
				Action:      command.WithArgument("to which file; - is standard output", saveSnapshot),
			},
			{
				Name: "restore", Usage: "replace the world by the one in a file; - is standard input", ArgsUsage: "FILE|-",
				Description: command.Example("snapshot restore arranged.json"),
				Action:      command.WithArgument("from which file; - is standard input", restoreSnapshot),
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
		return command.Write(c, string(document))
	}
	if err := os.WriteFile(file, document, 0o600); err != nil {
		return command.Failed(fmt.Errorf("%w: name a file in a folder that can be written, or - for standard output", err))
	}
	if c.Bool("json") {
		return nil
	}
	return command.Write(c, fmt.Sprintf("the world is saved in %s, %d bytes\n", file, len(document)))
}

func restoreSnapshot(ctx context.Context, c *cli.Command, file string) error {
	document, err := command.ReadInput(c, file)
	if err != nil {
		return err
	}
	return show(ctx, c, call{method: http.MethodPut, path: "snapshot", body: document, file: true}, func(to io.Writer, w worldStatus) {
		fmt.Fprintf(to, "world %s is restored, its clock is at %s\n", w.ID, w.Clock)
	})
}

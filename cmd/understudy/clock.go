package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

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
			{
				Name: "set", Usage: "set the clock to an instant, have it stand or run, or both", ArgsUsage: "INSTANT|freeze|run...",
				OnUsageError: onUsageError, Action: setClock,
			},
			{
				Name: "advance", Usage: "move the clock on", ArgsUsage: "TIME",
				OnUsageError: onUsageError, Action: advanceClock,
			},
		},
		OnUsageError: onUsageError,
		Action:       alone(showClock),
	}
}

// worldTime is a clock as the control plane shows it.
type worldTime struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func (w worldTime) String() string {
	if w.Frozen {
		return instant(&w.Now) + " frozen"
	}
	return instant(&w.Now) + " running"
}

func sayClock(to io.Writer, w worldTime) { fmt.Fprintln(to, w) }

func showClock(ctx context.Context, c *cli.Command) error {
	return callClock(ctx, c, http.MethodGet, "clock", nil)
}

func callClock(ctx context.Context, c *cli.Command, method, path string, body any) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	return tell(r, answer, sayClock)
}

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
	return callClock(ctx, c, http.MethodPut, "clock", to)
}

func advanceClock(ctx context.Context, c *cli.Command) error {
	text, err := oneArgument(c, "by how much, such as 36h")
	if err != nil {
		return err
	}
	if err := checkSpan(text); err != nil {
		return err
	}
	return callClock(ctx, c, http.MethodPost, "clock/advance", map[string]string{"by": text})
}

// checkSpan returns an error for what is no span of a world's time.
func checkSpan(text string) error {
	if err := new(scenarios.Duration).UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%q %w", text, err)
	}
	return nil
}

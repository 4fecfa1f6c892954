package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func faultsCommand() *cli.Command {
	return &cli.Command{
		Name:  "faults",
		Usage: "put rules on a world: errors, delays, broken connections",
		Description: `A rule is written as in scenario files, in YAML or JSON. Examples, with the key in UNDERSTUDY_KEY:

   understudy faults add '{on: get, respond: {status: 500}, times: 2}'   the next two reads fail
   understudy faults add '{on: any, delay: {fixed: 1s}}' --for 10m       all is slow for ten minutes of the world's time
   understudy faults add '{on: cancel, fault: connection-reset}'         a cancel breaks off
   understudy faults                                                     which are on, and for how long
   understudy faults clear                                               all is well again`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{Name: "list", Usage: "list the faults that are on", OnUsageError: onUsageError, Action: alone(listFaults)},
			{
				Name: "add", Usage: "put a rule on every call from now on", ArgsUsage: "RULE",
				Flags: []cli.Flag{&cli.StringFlag{
					Name: "for", Sources: fromEnvironment("for"), Usage: "take it away after `TIME` by the world's clock, such as 10m",
				}},
				OnUsageError: onUsageError, Action: addFault,
			},
			{Name: "delete", Usage: "take a fault away", ArgsUsage: "ID", OnUsageError: onUsageError, Action: deletes(newRemoteWorld, "faults/", "which fault, by an id of understudy faults list", "%s is taken away")},
			{Name: "clear", Usage: "take all faults away", OnUsageError: onUsageError, Action: alone(clearFaults)},
		},
		OnUsageError: onUsageError,
		Action:       alone(listFaults),
	}
}

// faultStatus is a fault as the control plane shows it.
type faultStatus struct {
	ID        string     `json:"id"`
	Words     string     `json:"in_words"`
	Remaining *int       `json:"remaining"`
	Expires   *time.Time `json:"expires"`
}

func listFaults(ctx context.Context, c *cli.Command) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	all, err := r.page(ctx, "faults", nil)
	if err != nil {
		return err
	}
	return tellList(r, all.Items, "ID|LEFT|EXPIRES|RULE", func(f faultStatus) []string {
		left := "-"
		if f.Remaining != nil {
			left = strconv.Itoa(*f.Remaining)
		}
		return []string{f.ID, left, instant(f.Expires), f.Words}
	})
}

func addFault(ctx context.Context, c *cli.Command) error {
	text, err := oneArgument(c, "what goes wrong, such as '{on: get, respond: {status: 500}, times: 2}'")
	if err != nil {
		return err
	}
	rule, err := scenarios.RuleJSON("rule", []byte(text))
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return fmt.Errorf("the rule is not right: %s: %s", problems[0].At, problems[0].What)
	}
	if err != nil {
		return err
	}
	body := map[string]any{"rule": json.RawMessage(rule)}
	if span := c.String("for"); span != "" {
		if err := checkSpan(span); err != nil {
			return fmt.Errorf("--for %w", err)
		}
		body["expires_in"] = span
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, http.MethodPost, "faults", nil, body)
	if err != nil {
		return err
	}
	return tell(r, answer, func(to io.Writer, f faultStatus) { fmt.Fprintf(to, "%s: %s\n", f.ID, f.Words) })
}

func clearFaults(ctx context.Context, c *cli.Command) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	if _, err := r.ask(ctx, http.MethodDelete, "faults", nil, nil); err != nil {
		return err
	}
	return r.done("all faults are taken away")
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func requestsCommand() *cli.Command {
	return &cli.Command{
		Name:  "requests",
		Usage: "list, show and move a world's verification requests",
		Description: `Examples, with the key in UNDERSTUDY_KEY:

   understudy requests                                   those that were made, and the magic ones that moved
   understudy requests show vr_lifecycle                 where it stands, and what happens next; nothing moves
   understudy requests move vr_processing completed      as the service would
   understudy requests move vr_completed invalid --force whatever the specification allows
   understudy requests forget vr_lifecycle               as new`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "list the requests that the world remembers",
				Flags: []cli.Flag{
					text("", "state", "", "those in the state `STATE`"),
					text("", "scenario", "", "those of the scenario `NAME`"),
				},
				Action: listRequests,
			},
			{
				Name: "show", Usage: "show a request with its timeline", ArgsUsage: "ID",
				Action: shows("verification-requests/", "which request, by its id", printRequest),
			},
			{
				Name: "move", Usage: "put a request into a state, from where its timeline goes on", ArgsUsage: "ID STATE",
				Flags: []cli.Flag{
					toggle("", "force", "whatever the specification allows"),
					text("", "reason", "", "with the cancellation_reason `REASON`"),
					text("", "details", "", "with the cancellation_details `TEXT`"),
				},
				Action: moveRequest,
			},
			{
				Name: "forget", Usage: "forget a request: a magic one is as new then", ArgsUsage: "ID",
				Action: deletes("verification-requests/", "which request, by its id", "%s is forgotten"),
			},
		},
		Action: listRequests,
	}
}

// requestStatus is a verification request as the control plane shows it; a list omits the timeline and the rules.
type requestStatus struct {
	ID, State, Scenario string
	Created             time.Time
	Session             *string `json:"credentials_session_id"`
	Timeline            []struct {
		State, Place string
		After        *string
		At           *time.Time
	}
	Rules []string
}

func listRequests(ctx context.Context, c *cli.Command) error {
	return listTable(ctx, c, "verification-requests", queryOf(c, "state", "scenario"), "ID|STATE|SCENARIO|CREATED|SESSION",
		func(v requestStatus) []string {
			return []string{v.ID, v.State, v.Scenario, instant(&v.Created), orNone(v.Session)}
		})
}

// queryOf returns the flags that have a value as a query.
func queryOf(c *cli.Command, flags ...string) url.Values {
	query := make(url.Values)
	for _, name := range flags {
		if value := c.String(name); value != "" {
			query.Set(name, value)
		}
	}
	return query
}

func moveRequest(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return errors.New("say which request, by its id, and into which state, such as vr_lifecycle completed")
	}
	body := map[string]any{"state": c.Args().Get(1), "force": c.Bool("force")}
	for flag, key := range map[string]string{"reason": "cancellation_reason", "details": "cancellation_details"} {
		if c.IsSet(flag) {
			body[key] = c.String(flag)
		}
	}
	path := "verification-requests/" + url.PathEscape(c.Args().First())
	return show(ctx, c, call{method: http.MethodPatch, path: path, body: body}, printRequest)
}

func printRequest(to io.Writer, v requestStatus) {
	fmt.Fprintf(to, "%s is %s\n\n", v.ID, v.State)
	printRows(to, "scenario|"+cmp.Or(v.Scenario, "-"), [][]string{{"created", instant(&v.Created)}, {"session", orNone(v.Session)}})
	var steps [][]string
	for _, step := range v.Timeline {
		steps = append(steps, []string{step.Place, step.State, orNone(step.After), instant(step.At)})
	}
	fmt.Fprintln(to)
	printRows(to, "STEP|STATE|COMES|AT", steps)
	if len(v.Rules) > 0 {
		fmt.Fprintln(to, "\nRULES")
	}
	for _, rule := range v.Rules {
		fmt.Fprintln(to, rule)
	}
}

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
			{Name: "list", Usage: "list the faults that are on", Action: listFaults},
			{
				Name: "add", Usage: "put a rule on every call from now on", ArgsUsage: "RULE",
				Flags:  []cli.Flag{text("", "for", "", "take it away after `TIME` by the world's clock, such as 10m")},
				Action: withArgument("what goes wrong, such as '{on: get, respond: {status: 500}, times: 2}'", addFault),
			},
			{
				Name: "delete", Usage: "take a fault away", ArgsUsage: "ID",
				Action: deletes("faults/", "which fault, by an id of understudy faults list", "%s is taken away"),
			},
			{Name: "clear", Usage: "take all faults away", Action: func(ctx context.Context, c *cli.Command) error {
				return done(ctx, c, call{method: http.MethodDelete, path: "faults"}, "all faults are taken away")
			}},
		},
		Action: listFaults,
	}
}

type faultStatus struct {
	ID        string
	Words     string `json:"in_words"`
	Remaining *int
	Expires   *time.Time
}

func listFaults(ctx context.Context, c *cli.Command) error {
	return listTable(ctx, c, "faults", nil, "ID|LEFT|EXPIRES|RULE", func(f faultStatus) []string {
		left := "-"
		if f.Remaining != nil {
			left = strconv.Itoa(*f.Remaining)
		}
		return []string{f.ID, left, instant(f.Expires), f.Words}
	})
}

func addFault(ctx context.Context, c *cli.Command, text string) error {
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
	return show(ctx, c, call{method: http.MethodPost, path: "faults", body: body}, func(to io.Writer, f faultStatus) {
		fmt.Fprintf(to, "%s: %s\n", f.ID, f.Words)
	})
}

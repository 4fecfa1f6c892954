package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/urfave/cli/v3"
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
					&cli.StringFlag{Name: "state", Sources: fromEnvironment("state"), Usage: "those in the state `STATE`"},
					&cli.StringFlag{Name: "scenario", Sources: fromEnvironment("scenario"), Usage: "those of the scenario `NAME`"},
				},
				OnUsageError: onUsageError, Action: alone(listRequests),
			},
			{Name: "show", Usage: "show a request with its timeline", ArgsUsage: "ID", OnUsageError: onUsageError, Action: showRequest},
			{
				Name: "move", Usage: "put a request into a state, from where its timeline goes on", ArgsUsage: "ID STATE",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "force", Sources: fromEnvironment("force"), Usage: "whatever the specification allows"},
					&cli.StringFlag{Name: "reason", Sources: fromEnvironment("reason"), Usage: "with the cancellation_reason `REASON`"},
					&cli.StringFlag{Name: "details", Sources: fromEnvironment("details"), Usage: "with the cancellation_details `TEXT`"},
				},
				OnUsageError: onUsageError, Action: moveRequest,
			},
			{Name: "forget", Usage: "forget a request: a magic one is as new then", ArgsUsage: "ID", OnUsageError: onUsageError, Action: deletes(newRemoteWorld, "verification-requests/", "which request, by its id", "%s is forgotten")},
		},
		OnUsageError: onUsageError,
		Action:       alone(listRequests),
	}
}

// requestStatus is a verification request as the control plane shows it; a list leaves out the timeline and the rules.
type requestStatus struct {
	ID       string    `json:"id"`
	State    string    `json:"state"`
	Scenario string    `json:"scenario"`
	Created  time.Time `json:"created"`
	Session  *string   `json:"credentials_session_id"`
	Timeline []struct {
		State string     `json:"state"`
		After *string    `json:"after"`
		Place string     `json:"place"`
		At    *time.Time `json:"at"`
	} `json:"timeline"`
	Rules []string `json:"rules"`
}

func listRequests(ctx context.Context, c *cli.Command) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	query := make(url.Values)
	for _, name := range []string{"state", "scenario"} {
		if value := c.String(name); value != "" {
			query.Set(name, value)
		}
	}
	items, err := r.list(ctx, "verification-requests", query)
	if err != nil {
		return err
	}
	return tellList(r, items, "ID|STATE|SCENARIO|CREATED|SESSION", func(v requestStatus) []string {
		return []string{v.ID, v.State, v.Scenario, instant(&v.Created), orNone(v.Session)}
	})
}

func orNone(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

func showRequest(ctx context.Context, c *cli.Command) error {
	id, err := oneArgument(c, "which request, by its id")
	if err != nil {
		return err
	}
	return callRequest(ctx, c, http.MethodGet, id, nil)
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
	return callRequest(ctx, c, http.MethodPatch, c.Args().First(), body)
}

func callRequest(ctx context.Context, c *cli.Command, method, id string, body any) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, method, "verification-requests/"+url.PathEscape(id), nil, body)
	if err != nil {
		return err
	}
	return tell(r, answer, sayRequest)
}

func sayRequest(to io.Writer, v requestStatus) {
	fmt.Fprintf(to, "%s is %s\n\n", v.ID, v.State)
	printRows(to, "scenario|"+cmp.Or(v.Scenario, "-"), [][]string{{"created", instant(&v.Created)}, {"session", orNone(v.Session)}})
	var steps [][]string
	for _, step := range v.Timeline {
		steps = append(steps, []string{step.Place, step.State, orNone(step.After), instant(step.At)})
	}
	fmt.Fprintln(to)
	printRows(to, "STEP|STATE|COMES|AT", steps)
	for i, rule := range v.Rules {
		if i == 0 {
			fmt.Fprintln(to, "\nRULES")
		}
		fmt.Fprintln(to, rule)
	}
}

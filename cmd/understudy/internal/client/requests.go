package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

func RequestsCommand() *cli.Command {
	command := resourceKind{
		command: "requests", path: "verification-requests", noun: "verification request", plural: "verification requests", id: "vr_lifecycle",
		created: "{scenario: lifecycle, id: vr_mine}",
		patched: `{set: {loan_id: "7"}}`,
		filters: []cli.Flag{
			command.Text("", "state", "", "only those in the state `STATE`"),
			command.Text("", "scenario", "", "only those of the scenario `NAME`"),
		},
		list: listRequests,
		show: func(ctx context.Context, c *cli.Command, in call) error { return show(ctx, c, in, printRequest) },
	}.with("list, show, create, change and move a world's verification requests", `Examples, with the key in UNDERSTUDY_KEY:

   understudy requests                                   all that clients created, and magic ones that have moved
   understudy requests show vr_lifecycle                 one with its timeline; showing it moves nothing
   understudy requests create '{scenario: lifecycle, id: vr_mine}'
   understudy requests patch vr_completed '{set: {loan_id: "7"}}'
   understudy requests move vr_processing completed      a transition, as the service would make it
   understudy requests move vr_completed invalid --force a transition that the specification does not allow
   understudy requests delete vr_lifecycle               delete it; a magic one starts anew`,
		&cli.Command{
			Name: "move", Usage: "move a request to a state; its timeline continues from there", ArgsUsage: "ID STATE",
			Description: command.Example("requests move vr_processing canceled --reason other"),
			Flags: []cli.Flag{
				command.Toggle("", "force", "also make a transition that the specification does not allow"),
				command.Text("", "reason", "", "set cancellation_reason to `REASON`"),
				command.Text("", "details", "", "set cancellation_details to `TEXT`"),
			},
			Action: moveRequest,
		})
	command.Command("delete").Aliases = []string{"forget"} // the former name, for scripts
	return command
}

// requestStatus is a verification request as the control plane shows it; a list omits the timeline, the rules and the diagnosis.
type requestStatus struct {
	ID, State, Scenario string
	Created             time.Time
	Session             *string `json:"credentials_session_id"`
	Timeline            []struct {
		State    string
		Position string `json:"place"`
		After    *string
		At       *time.Time
	}
	Rules, Diagnosis []string
}

func listRequests(ctx context.Context, c *cli.Command) error {
	return listTable(ctx, c, "verification-requests", queryOf(c, "state", "scenario"), "ID|STATE|SCENARIO|CREATED|SESSION",
		func(v requestStatus) []string {
			return []string{v.ID, v.State, v.Scenario, command.Instant(&v.Created), command.OrNone(v.Session)}
		})
}

// queryOf returns a query of the flags that have a value.
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
		return errors.New("requests move takes two arguments: give the id of a request and a state, such as vr_lifecycle completed")
	}
	body := map[string]any{"state": c.Args().Get(1), "force": c.Bool("force")}
	for flag, key := range map[string]string{"reason": "cancellation_reason", "details": "cancellation_details"} {
		if !c.IsSet(flag) {
			continue
		}
		if body["state"] != string(api.StateCanceled) {
			return fmt.Errorf("%s is for a move to %s: leave it out", command.Given(c, flag), api.StateCanceled)
		}
		body[key] = c.String(flag)
	}
	path := "verification-requests/" + url.PathEscape(c.Args().First())
	return show(ctx, c, call{method: http.MethodPatch, path: path, body: body}, printRequest)
}

func printRequest(to io.Writer, v requestStatus) {
	fmt.Fprintf(to, "%s is %s\n\n", v.ID, v.State)
	command.PrintRows(to, "scenario|"+cmp.Or(v.Scenario, "-"), [][]string{{"created", command.Instant(&v.Created)}, {"session", command.OrNone(v.Session)}})
	var steps [][]string
	for _, step := range v.Timeline {
		steps = append(steps, []string{step.Position, step.State, command.OrNone(step.After), command.Instant(step.At)})
	}
	fmt.Fprintln(to)
	command.PrintRows(to, "STEP|STATE|COMES|AT", steps)
	printLines(to, "RULES", v.Rules)
	printLines(to, "DIAGNOSIS", v.Diagnosis)
}

// printLines prints lines below their heading.
func printLines(to io.Writer, heading string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(to, "\n%s\n%s\n", heading, strings.Join(lines, "\n"))
	}
}

func FaultsCommand() *cli.Command {
	return &cli.Command{
		Name:  "faults",
		Usage: "add faults to a world: errors, delays, broken connections",
		Description: `A rule is written as in scenario files, in YAML or JSON. Examples, with the key in UNDERSTUDY_KEY:

   understudy faults add '{on: get, respond: {status: 500}, times: 2}'   the next two reads fail
   understudy faults add '{on: any, delay: {fixed: 1s}}' --for 10m       every call is slow for ten minutes of the world's time
   understudy faults add '{on: cancel, fault: connection-reset}'         a cancel loses its connection
   understudy faults add --preset outage-502                             every call gets an HTML page of a proxy
   understudy faults                                                     the active faults
   understudy faults clear                                               none any more`,
		Flags: clientFlags(),
		Commands: []*cli.Command{
			{Name: "list", Usage: "list the active faults", Description: command.Example("faults list"), Action: listFaults},
			{
				Name: "add", Usage: "apply a rule to every call from now on", ArgsUsage: "[RULE]",
				Description: command.Example("faults add '{on: get, respond: {status: 500}, times: 2}'"),
				Flags: []cli.Flag{
					command.Text("", "for", "", "delete the fault after `TIME` on the world's clock, such as 10m"),
					command.Text("", "preset", "", "in place of RULE the one with this `NAME`, such as outage-502 or limited-date"),
				},
				Action: func(ctx context.Context, c *cli.Command) error {
					switch name := c.String("preset"); {
					case name == "":
						return command.WithArgument("which rule, such as '{on: get, respond: {status: 500}, times: 2}'", addFault)(ctx, c)
					case c.Args().Present():
						return fmt.Errorf("%s is in place of RULE: leave one of the two out", command.Given(c, "preset"))
					default:
						return addFault(ctx, c, name)
					}
				},
			},
			{
				Name: "delete", Usage: "delete a fault", ArgsUsage: "ID",
				Description: command.Example("faults delete fault-1"),
				Action:      deletes("faults/", "which fault, by an id of understudy faults list", "%s is deleted"),
			},
			{Name: "clear", Usage: "delete all faults", Description: command.Example("faults clear"), Action: func(ctx context.Context, c *cli.Command) error {
				return done(ctx, c, call{method: http.MethodDelete, path: "faults"}, "all faults are deleted")
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
		return []string{f.ID, left, command.Instant(f.Expires), f.Words}
	})
}

func addFault(ctx context.Context, c *cli.Command, text string) error {
	body := map[string]any{"rule": text}
	if span := c.String("for"); span != "" {
		body["expires_in"] = span
	}
	return show(ctx, c, call{method: http.MethodPost, path: "faults", body: body}, func(to io.Writer, f faultStatus) {
		fmt.Fprintf(to, "%s: %s\n", f.ID, f.Words)
	})
}

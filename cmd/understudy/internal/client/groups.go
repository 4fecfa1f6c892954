package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Commands returns the commands that call a running emulator, but for those of [ScenarioCommands].
func Commands() (all []*cli.Command) {
	for _, g := range []group{world(), clock(), settings(), faults(), webhooks(), deliveries(), requests(), properties(), checks(), sessions(), journal(), snapshot(), worlds(), info()} {
		all = append(all, g.command())
	}
	return append(all, healthcheckCommand())
}

func world() group {
	return group{name: "reset", usage: "reset a world: resources, clock, faults, counters, journal, scenarios",
		about: "The world is then as if its key had never been used. Example, before each run of a test suite:",
		endpoints: []endpoint{{
			method: http.MethodPost, path: "reset", line: "world ${id} is reset, its clock is at ${clock}",
			examples: []string{"--key svc_sk_test_suite|as if that key had never been used"},
		}}}
}

func worlds() group {
	const ask, id = "which world, by an id of understudy worlds list", "6a0e4f2bd1c98735ea41f06c"
	return group{name: "worlds", usage: "list, name and delete worlds", about: "Each API key has its own world. Examples:", endpoints: []endpoint{
		{
			verb: "list", usage: "list worlds", path: "worlds",
			columns:  "ID=id|KEY=key|NAME=name|CREATED=created|CLOCK=clock|LAST USED=last_used",
			examples: []string{"|all worlds, with their keys masked, and their last use"},
		},
		{
			verb: "rename", usage: "name a world; without NAME it has none", args: "ID [NAME]", ask: ask + ", and its name",
			method: http.MethodPatch, path: "worlds/{}", line: "the name of world ${id} is ${name}",
			body: func(_ *cli.Command, args []string) (any, error) {
				if len(args) == 1 {
					return map[string]any{"name": nil}, nil
				}
				return map[string]any{"name": args[1]}, nil
			},
			examples: []string{id + " Payroll|a name for people"},
		},
		{
			verb: "delete", usage: "delete a world", args: "ID", ask: ask, method: http.MethodDelete, path: "worlds/{}", line: "world ${1} is deleted",
			examples: []string{id + "|as if the key of that world had never been used"},
		},
	}}
}

func clock() group {
	prints := printed(func(to io.Writer, clock map[string]any) {
		fmt.Fprint(to, cell(map[string]any{"clock": clock}, "clock"))
		if d := cells(clock["deliveries"], "=sent|=failed|=due"); !slices.Equal(d, []string{"0", "0", "0"}) && d[0] != "-" {
			fmt.Fprintf(to, ", webhooks: %s sent, %s failed, %s due", d[0], d[1], d[2])
		}
		fmt.Fprintln(to)
	})
	return group{name: "clock", usage: "show, set and advance a world's clock", endpoints: []endpoint{
		{path: "clock", prints: prints, examples: []string{"|the world's time", "--world 6a0e4f2bd1c98735ea41f06c|that of a world whose key you do not have"}},
		{
			verb: "set", usage: "set the clock to an instant, freeze it or let it run", args: "[INSTANT] [freeze|run]",
			method: http.MethodPut, path: "clock", body: clockSetting, prints: prints,
			examples: []string{"2025-03-01T09:00:00Z|a later instant; a clock never goes back", "freeze|stop the clock", "run|let the clock run"},
		},
		{
			verb: "advance", usage: "advance the clock", args: "TIME|ID", ask: "to whose payday with --to next-payday, by the id of a request, or by how much, such as 36h",
			method: http.MethodPost, path: "clock/advance", prints: prints, body: clockAdvance,
			flags:    []cli.Flag{command.Text("", "to", "", "advance it to a `DAY` of the verification request ID: next-payday")},
			examples: []string{"36h|a day and a half later", "--to next-payday vr_completed|to the day on which its person is paid next"},
		},
	}}
}

// clockAdvance returns the body of clock advance.
func clockAdvance(c *cli.Command, args []string) (any, error) {
	if to := c.String("to"); to != "" {
		return map[string]string{"to": to, "of": args[0]}, nil
	}
	return map[string]string{"by": args[0]}, nil
}

// clockSetting returns the body of clock set.
func clockSetting(_ *cli.Command, words []string) (any, error) {
	if len(words) == 0 {
		return nil, errors.New("clock set has no argument: give an instant such as 2025-01-15T09:00:00Z, freeze or run")
	}
	to := make(map[string]any)
	for _, word := range words {
		key, value := "now", any(word)
		if word == "freeze" || word == "run" {
			key, value = "frozen", word == "freeze"
		} else if _, err := time.Parse(time.RFC3339, word); err != nil {
			return nil, fmt.Errorf("%q is neither an RFC 3339 instant such as 2025-01-15T09:00:00Z, nor freeze, nor run", word)
		}
		if to[key] != nil {
			return nil, fmt.Errorf("clock set takes one instant, and freeze or run: leave %q out", word)
		}
		to[key] = value
	}
	return to, nil
}

func settings() group {
	prints := printed(func(to io.Writer, s scenarios.Settings) {
		account := "everything"
		if text, err := json.Marshal(s.Account); err == nil && string(text) != "{}" {
			account = string(text)
		}
		fmt.Fprintf(to, "grease %s, session flow %s, the account may do %s\n", s.Grease, s.SessionFlow, account)
	})
	return group{name: "settings", usage: "show and set what a world's clients may do and meet", endpoints: []endpoint{
		{path: "settings", prints: prints, examples: []string{"|the settings that hold"}},
		{
			verb: "set", usage: "replace the world's own settings; what is left out is the server's", args: "SETTINGS",
			ask: "which settings, such as '{session_flow: manual}'", method: http.MethodPut, path: "settings", body: lastArgument, prints: prints,
			examples: []string{
				"'{grease: values}'|answers change in what no client may rely on",
				"'{session_flow: manual}'|a session waits for its token to be used",
				"'{}'|those of the server again",
			},
		},
	}}
}

func faults() group {
	return group{name: "faults", usage: "add faults to a world: errors, delays, broken connections",
		about: "A rule is written as in scenario files, in YAML or JSON. " + withKey,
		endpoints: []endpoint{
			{
				verb: "list", usage: "list the active faults", path: "faults", columns: "ID=id|LEFT=remaining|EXPIRES=expires|RULE=in_words",
				examples: []string{"|the active faults"},
			},
			{
				verb: "add", usage: "apply a rule to every call from now on", args: "[RULE]",
				method: http.MethodPost, path: "faults", body: fault, line: "${id}: ${in_words}",
				flags: []cli.Flag{
					command.Text("", "for", "", "delete the fault after `TIME` on the world's clock, such as 10m"),
					command.Text("", "preset", "", "in place of RULE the one with this `NAME`, such as outage-502 or limited-date"),
				},
				examples: []string{
					"'{on: get, respond: {status: 500}, times: 2}'|the next two reads fail",
					"'{on: any, delay: {fixed: 1s}}' --for 10m|every call is slow for ten minutes of the world's time",
					"'{on: cancel, fault: connection-reset}'|a cancel loses its connection",
					"--preset outage-502|every call gets an HTML page of a proxy",
					"'{on: webhook, state: completed, deliver: twice}'|each webhook of a completion comes twice",
				},
			},
			{
				verb: "delete", usage: "delete a fault", args: "ID", ask: "which fault, by an id of understudy faults list",
				method: http.MethodDelete, path: "faults/{}", line: "${1} is deleted", examples: []string{"fault-1"},
			},
			{verb: "clear", usage: "delete all faults", method: http.MethodDelete, path: "faults", line: "all faults are deleted", examples: []string{"|none any more"}},
		}}
}

// fault returns the body of faults add.
func fault(c *cli.Command, args []string) (any, error) {
	preset := c.String("preset")
	switch {
	case preset != "" && len(args) > 0:
		return nil, fmt.Errorf("%s is in place of RULE: leave one of the two out", command.Given(c, "preset"))
	case preset != "":
		args = []string{preset}
	case len(args) == 0 || args[0] == "":
		return nil, fmt.Errorf("%s takes a rule: say which, such as '{on: get, respond: {status: 500}, times: 2}', or --preset NAME", c.FullName())
	}
	body := map[string]any{"rule": args[0]}
	if span := c.String("for"); span != "" {
		body["expires_in"] = span
	}
	return body, nil
}

// lastArgument returns the last argument as a body; - is standard input.
func lastArgument(c *cli.Command, args []string) (any, error) {
	if last := args[len(args)-1]; last != "-" {
		return []byte(last), nil
	}
	data, err := command.ReadInput(c, "-")
	return fileBody(data), err
}

// resource is a kind of resource of a world.
type resource struct {
	command, usage string
	path           string // of the control plane
	noun, plural   string
	columns        string
	query          []string
	flags          []cli.Flag // of the list
	prints         func(io.Writer, []byte) error
	examples       map[string][]string // by verb

	created, patched string // documents of examples; "" where only clients of the emulated API create them
}

// group returns the commands of the kind, and more.
func (r resource) group(more ...endpoint) group {
	item, which := r.path+"/{}", "which "+r.noun+", by its id"
	all := []endpoint{
		{verb: "list", usage: "list the " + r.plural + " that the world stores", path: r.path, columns: r.columns, query: r.query, flags: r.flags},
		{verb: "show", usage: "show a " + r.noun, args: "ID", ask: which, path: item, prints: r.prints},
	}
	if r.created != "" {
		const about = "DOCUMENT is written as in scenario files, in YAML or JSON; - is standard input."
		all = append(all, endpoint{
			verb: "create", usage: "create a " + r.noun, about: about, args: "DOCUMENT|-", ask: "which document, such as '" + r.created + "'",
			method: http.MethodPost, path: r.path, body: lastArgument, prints: r.prints, examples: []string{"'" + r.created + "'"},
		}, endpoint{
			verb: "patch", usage: "change fields of a " + r.noun, about: about, args: "ID DOCUMENT|-", ask: which + ", and what changes, such as '" + r.patched + "'",
			method: http.MethodPatch, path: item, body: lastArgument, prints: r.prints,
		})
	}
	all = append(all, more...)
	if r.created != "" {
		all = append(all, endpoint{verb: "delete", usage: "delete a " + r.noun + "; a magic one starts anew", args: "ID", ask: which,
			method: http.MethodDelete, path: item, line: "${1} is deleted"})
	}
	for i, e := range all {
		all[i].examples = slices.Concat(e.examples, r.examples[e.verb])
	}
	return group{name: r.command, usage: r.usage, endpoints: all}
}

func requests() group {
	prints := printed(printRequest)
	return resource{
		command: "requests", path: "verification-requests", noun: "verification request", plural: "verification requests",
		usage: "list, show, create, change and move a world's verification requests", prints: prints,
		columns: "ID=id|STATE=state|SCENARIO=scenario|CREATED=created|SESSION=credentials_session_id",
		created: "{scenario: lifecycle, id: vr_mine}", patched: `{set: {loan_id: "7"}}`,
		query: []string{"state", "scenario"},
		flags: []cli.Flag{
			command.Text("", "state", "", "only those in the state `STATE`"),
			command.Text("", "scenario", "", "only those of the scenario `NAME`"),
		},
		examples: map[string][]string{
			"list":   {"|all that clients created, and magic ones that have moved"},
			"show":   {"vr_lifecycle|one with its timeline; showing it moves nothing"},
			"patch":  {`vr_completed '{set: {loan_id: "7"}}'`},
			"delete": {"vr_lifecycle"},
		},
	}.group(endpoint{
		verb: "move", usage: "move a request to a state; its timeline continues from there", args: "ID STATE",
		ask: "which request, by its id, and to which state, such as vr_lifecycle completed", method: http.MethodPatch, path: "verification-requests/{}",
		flags: []cli.Flag{
			command.Toggle("", "force", "also make a transition that the specification does not allow"),
			command.Text("", "reason", "", "set cancellation_reason to `REASON`"),
			command.Text("", "details", "", "set cancellation_details to `TEXT`"),
		},
		body: move, prints: prints,
		examples: []string{
			"vr_processing completed|a transition, as the service would make it",
			"vr_processing canceled --reason other|with its reason",
			"vr_completed invalid --force|a transition that the specification does not allow",
		},
	})
}

// move returns the body of requests move.
func move(c *cli.Command, args []string) (any, error) {
	body := map[string]any{"state": args[1], "force": c.Bool("force")}
	for flag, key := range map[string]string{"reason": "cancellation_reason", "details": "cancellation_details"} {
		if !c.IsSet(flag) {
			continue
		}
		if args[1] != string(api.StateCanceled) {
			return nil, fmt.Errorf("%s is for a move to %s: leave it out", command.Given(c, flag), api.StateCanceled)
		}
		body[key] = c.String(flag)
	}
	return body, nil
}

// printRequest prints a verification request as the control plane shows it.
func printRequest(to io.Writer, v map[string]any) {
	fmt.Fprintf(to, "%s is %s\n\n", cell(v, "id"), cell(v, "state"))
	printMembers(to, v, "scenario=scenario|created=created|session=credentials_session_id")
	fmt.Fprintln(to)
	printItems(to, v["timeline"], "STEP=place|STATE=state|COMES=after|AT=at")
	printLines(to, "RULES", v["rules"])
	printLines(to, "DIAGNOSIS", v["diagnosis"])
}

func properties() group {
	return resource{
		command: "properties", path: "tenant-properties", noun: "tenant property", plural: "tenant properties",
		usage: "list, show, create and change a world's tenant properties", columns: "ID=id|NAME=name|CITY=city|STATUS=status",
		created: "{tenant_property: {set: {name: Quay House}}}", patched: "{set: {name: Quay House}}",
		examples: map[string][]string{
			"list": {"|all that are stored"}, "show": {"tp_default|one"}, "patch": {"tp_default '{set: {name: Quay House}}'"}, "delete": {"tp_default"},
		},
	}.group()
}

func checks() group {
	return resource{
		command: "checks", path: "qualification-checks", noun: "qualification check", plural: "qualification checks",
		usage: "list, show, create and change a world's qualification checks", columns: "ID=id|KIND=kind|OUTCOME=result.outcome|CREATED=created",
		created: "{scenario: not-qualified, id: qc_mine}", patched: "{set: {kind: guarantor}}",
		examples: map[string][]string{
			"list": {"|all that are stored"}, "show": {"qc_not_qualified|one, and the id of the request that has its reports"},
			"patch": {"qc_qualified '{set: {kind: guarantor}}'"}, "delete": {"qc_qualified"},
		},
	}.group()
}

func sessions() group {
	const id = "cs_01JHMK1SM0VHRRZAM3J4ZY6HTW"
	return resource{
		command: "sessions", path: "credentials-sessions", noun: "credentials session", plural: "credentials sessions",
		usage:    "list, show and finish a world's credentials sessions, with their verification requests",
		columns:  "ID=id|CREATED=created|VERIFICATION REQUEST=verification_request_id|STATE=state|SCENARIO=scenario|FLOW=flow|OUTCOME=outcome",
		examples: map[string][]string{"list": {"|all that are stored"}, "show": {id}},
	}.group(endpoint{
		verb: "finish", usage: "finish a credentials session of flow manual, as the person does who uses its token", args: "ID",
		ask:    "which credentials session, by its id",
		method: http.MethodPost, path: "credentials-sessions/{}/finish",
		line: "${id} is finished: the outcome is ${outcome}, and ${verification_request_id} is ${state}",
		flags: []cli.Flag{command.Text("", "outcome", "success", "`OUTCOME`: success (the request follows its scenario), failure (the service cancels it) or "+
			"abandoned (it becomes invalid after 72 h of the world's clock)")},
		body: func(c *cli.Command, _ []string) (any, error) {
			return map[string]string{"outcome": c.String("outcome")}, nil
		},
		examples: []string{id + " --outcome failure|the person of the session fails"},
	})
}

func info() group {
	return group{name: "info", usage: "show the version, seed, store and clock of a running emulator", about: "Example:",
		endpoints: []endpoint{{path: "info", examples: []string{""}, prints: printed(func(to io.Writer, all map[string]any) {
			printMembers(to, all, "version=version|seed=seed|store=store|clock=clock|population=population|rate limit=rate_limit|scenarios=scenarios")
			if warning := cell(all, "warning"); warning != "-" {
				fmt.Fprintln(to, warning)
			}
		})}}}
}

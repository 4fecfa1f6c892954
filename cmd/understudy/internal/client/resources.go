package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// resourceKind is a kind of resource of a world, for the commands that all kinds have.
type resourceKind struct {
	command string // that has the others
	path    string // of the control plane, below v1
	noun    string
	plural  string
	id      string // of an example
	filters []cli.Flag
	list    cli.ActionFunc
	show    func(ctx context.Context, c *cli.Command, in call) error

	// Documents of examples; "" where only clients of the emulated API create them.
	created, patched string
}

// with returns the command of the kind: its subcommands, and more.
func (k resourceKind) with(usage, description string, more ...*cli.Command) *cli.Command {
	commands := []*cli.Command{
		{
			Name: "list", Usage: "list the " + k.plural + " that the world stores",
			Description: command.Example(k.command + " list"), Flags: k.filters, Action: k.list,
		},
		{
			Name: "show", Usage: "show a " + k.noun, ArgsUsage: "ID", Description: command.Example(k.command + " show " + k.id),
			Action: command.WithArgument("which "+k.noun+", by its id", func(ctx context.Context, c *cli.Command, id string) error {
				return k.show(ctx, c, call{path: k.path + "/" + url.PathEscape(id)})
			}),
		},
	}
	if k.created != "" {
		commands = append(commands, k.create(), k.patch())
	}
	commands = append(commands, more...)
	if k.created != "" {
		commands = append(commands, &cli.Command{
			Name: "delete", Usage: "delete a " + k.noun + "; a magic one starts anew", ArgsUsage: "ID",
			Description: command.Example(k.command + " delete " + k.id),
			Action:      deletes(k.path+"/", "which "+k.noun+", by its id", "%s is deleted"),
		})
	}
	return &cli.Command{Name: k.command, Usage: usage, Description: description, Flags: clientFlags(), Commands: commands, Action: k.list}
}

func (k resourceKind) create() *cli.Command {
	return &cli.Command{
		Name: "create", Usage: "create a " + k.noun, ArgsUsage: "DOCUMENT|-",
		Description: "DOCUMENT is written as in scenario files, in YAML or JSON; - is standard input. " + command.Example(k.command+" create '"+k.created+"'"),
		Action: command.WithArgument("which document, such as '"+k.created+"'", func(ctx context.Context, c *cli.Command, document string) error {
			return k.send(ctx, c, http.MethodPost, k.path, document)
		}),
	}
}

func (k resourceKind) patch() *cli.Command {
	return &cli.Command{
		Name: "patch", Usage: "change fields of a " + k.noun, ArgsUsage: "ID DOCUMENT|-",
		Description: "DOCUMENT is YAML or JSON; - is standard input. " + command.Example(k.command+" patch "+k.id+" '"+k.patched+"'"),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() != 2 {
				return fmt.Errorf("%s takes two arguments: give an id and a document, such as '%s'", c.FullName(), k.patched)
			}
			return k.send(ctx, c, http.MethodPatch, k.path+"/"+url.PathEscape(c.Args().First()), c.Args().Get(1))
		},
	}
}

// send sends a document and shows the resource.
func (k resourceKind) send(ctx context.Context, c *cli.Command, method, path, document string) error {
	in := call{method: method, path: path, body: []byte(document), file: document == "-"}
	if in.file {
		data, err := command.ReadInput(c, document)
		if err != nil {
			return err
		}
		in.body = data
	}
	return k.show(ctx, c, in)
}

// showJSON makes a call and prints its answer as indented JSON; with --json unchanged.
func showJSON(ctx context.Context, c *cli.Command, in call) error {
	return show(ctx, c, in, func(to io.Writer, answer json.RawMessage) {
		var lines bytes.Buffer
		_ = json.Indent(&lines, answer, "", "  ") // it has been decoded
		fmt.Fprintln(to, &lines)
	})
}

func PropertiesCommand() *cli.Command {
	return resourceKind{
		command: "properties", path: "tenant-properties", noun: "tenant property", plural: "tenant properties", id: "tp_default",
		created: "{id: tp_mine, tenant_property: {set: {name: Quay House}}}",
		patched: "{set: {name: Quay House}}",
		list: func(ctx context.Context, c *cli.Command) error {
			type property struct {
				ID, Name, Status string
				City             *string
			}
			return listTable(ctx, c, "tenant-properties", nil, "ID|NAME|CITY|STATUS", func(p property) []string {
				return []string{p.ID, p.Name, command.OrNone(p.City), p.Status}
			})
		},
		show: showJSON,
	}.with("list, show, create and change a world's tenant properties", `Examples, with the key in UNDERSTUDY_KEY:

   understudy properties                                             all that are stored
   understudy properties show tp_default                             one
   understudy properties create '{tenant_property: {set: {name: Quay House}}}'
   understudy properties patch tp_default '{set: {name: Quay House}}'`)
}

func ChecksCommand() *cli.Command {
	return resourceKind{
		command: "checks", path: "qualification-checks", noun: "qualification check", plural: "qualification checks", id: "qc_qualified",
		created: "{scenario: not-qualified, id: qc_mine}",
		patched: "{set: {kind: guarantor}}",
		list: func(ctx context.Context, c *cli.Command) error {
			type check struct {
				ID, Kind string
				Created  time.Time
				Result   *struct{ Outcome *string }
			}
			return listTable(ctx, c, "qualification-checks", nil, "ID|KIND|OUTCOME|CREATED", func(q check) []string {
				outcome := "-"
				if q.Result != nil {
					outcome = command.OrNone(q.Result.Outcome)
				}
				return []string{q.ID, q.Kind, outcome, command.Instant(&q.Created)}
			})
		},
		show: showJSON,
	}.with("list, show, create and change a world's qualification checks", `Examples, with the key in UNDERSTUDY_KEY:

   understudy checks                                             all that are stored
   understudy checks show qc_not_qualified                       one, and the id of the request that has its reports
   understudy checks create '{scenario: not-qualified, id: qc_mine}'
   understudy checks patch qc_qualified '{set: {kind: guarantor}}'`)
}

func SessionsCommand() *cli.Command {
	type session struct {
		ID, State, Scenario string
		Created             time.Time
		VerificationRequest string `json:"verification_request_id"`
		Flow                string
		Outcome             *string
	}
	const id = "cs_01JHMK1SM0VHRRZAM3J4ZY6HTW"
	return resourceKind{
		command: "sessions", path: "credentials-sessions", noun: "credentials session", plural: "credentials sessions", id: id,
		list: func(ctx context.Context, c *cli.Command) error {
			return listTable(ctx, c, "credentials-sessions", nil, "ID|CREATED|VERIFICATION REQUEST|STATE|SCENARIO|FLOW|OUTCOME", func(s session) []string {
				return []string{s.ID, command.Instant(&s.Created), s.VerificationRequest, s.State, s.Scenario, s.Flow, command.OrNone(s.Outcome)}
			})
		},
		show: showJSON,
	}.with("list, show and finish a world's credentials sessions, with their verification requests", command.Example("sessions"), &cli.Command{
		Name: "finish", Usage: "finish a credentials session of flow manual, as the person does who uses its token", ArgsUsage: "ID",
		Description: command.Example("sessions finish " + id + " --outcome failure"),
		Flags: []cli.Flag{command.Text("", "outcome", "success", "`OUTCOME`: success (the request follows its scenario), failure (the service cancels it) or "+
			"abandoned (it becomes invalid after 72 h of the world's clock)")},
		Action: command.WithArgument("which credentials session, by its id", func(ctx context.Context, c *cli.Command, id string) error {
			return show(ctx, c, call{
				method: http.MethodPost, path: "credentials-sessions/" + url.PathEscape(id) + "/finish", body: map[string]string{"outcome": c.String("outcome")},
			}, func(to io.Writer, s session) {
				fmt.Fprintf(to, "%s is finished: the outcome is %s, and %s is %s\n", s.ID, command.OrNone(s.Outcome), s.VerificationRequest, s.State)
			})
		}),
	})
}

package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
)

// endpoint is a command that makes a call to the control plane.
type endpoint struct {
	verb   string // below its group
	usage  string
	about  string // what help says before the examples
	method string // GET by default
	path   string // below /_understudy/v1/; {} is the first argument
	args   string // as help shows them; those in brackets may be left out
	ask    string // says which arguments are missing
	flags  []cli.Flag
	query  []string                                            // flags that are sent as the query
	body   func(c *cli.Command, args []string) (any, error)    // nil: none
	do     func(context.Context, *cli.Command, []string) error // in place of the call

	// One of these says how people see the answer. Without any it is indented JSON.
	columns string // of a list, each a title and the member that it shows, such as ID=id|NAME=name
	line    string // in which ${MEMBER} is a member of the answer and ${1} the first argument
	prints  func(to io.Writer, answer []byte) error

	examples []string // flags and arguments, and behind the last | what they do
}

// group is a command whose commands are endpoints. Alone it is the first of them if that takes no argument.
type group struct {
	name, usage string
	about       string // what help says before the examples; as a whole line it names the key
	flags       []cli.Flag
	endpoints   []endpoint
}

// withKey begins the examples of commands that act in a world.
const withKey = "Examples, with the key in UNDERSTUDY_KEY:"

func (g group) command() *cli.Command {
	c := &cli.Command{Name: g.name, Usage: g.usage, Flags: append(clientFlags(), g.flags...)}
	var examples []string
	for i, e := range g.endpoints {
		examples = append(examples, e.lines(g.name)...)
		if i == 0 && e.args == "" {
			c.Action = e.act
		}
		if e.verb != "" {
			c.Commands = append(c.Commands, e.command(g.name))
		}
	}
	c.Description = cmp.Or(g.about, withKey) + "\n\n" + aligned(examples)
	return c
}

// command returns the command of an endpoint. Its flags name the emulator unless those of its group do.
func (e endpoint) command(group string) *cli.Command {
	lines := e.lines(group)
	return &cli.Command{
		Name: e.verb, Usage: e.usage, ArgsUsage: e.args, Flags: e.flags, Action: e.act,
		Description: strings.TrimSpace(e.about+" "+map[bool]string{true: "Examples:", false: "Example:"}[len(lines) > 1]) + "\n\n" + aligned(lines),
	}
}

// lines returns the examples of an endpoint as command lines.
func (e endpoint) lines(group string) (lines []string) {
	for _, example := range e.examples {
		line, what := example, ""
		if at := strings.LastIndexByte(example, '|'); at >= 0 {
			line, what = example[:at], example[at+1:]
		}
		lines = append(lines, strings.Join(strings.Fields(strings.Join([]string{group, e.verb, line}, " ")), " ")+"|"+cmp.Or(what, e.usage))
	}
	return lines
}

// aligned returns lines of help. What is behind the last | begins in the same column, or in a line of its own where there is no room.
func aligned(lines []string) string {
	const most = 48 // of a command line beside which there is room
	width := 0
	for _, line := range lines {
		if at := strings.LastIndexByte(line, '|'); at <= most {
			width = max(width, at)
		}
	}
	var out strings.Builder
	for _, line := range lines {
		at := strings.LastIndexByte(line, '|')
		example, what := line[:at], line[at+1:]
		if at > width {
			fmt.Fprintf(&out, "   understudy %s\n   %s   %s\n", example, strings.Repeat(" ", width+len("understudy ")), what)
			continue
		}
		fmt.Fprintf(&out, "   understudy %-*s   %s\n", width, example, what)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// act makes the call of an endpoint, and prints its answer.
func (e endpoint) act(ctx context.Context, c *cli.Command) error {
	args := c.Args().Slice()
	most := len(strings.Fields(e.args))
	if least := most - strings.Count(e.args, "["); len(args) < least || len(args) > most || least > 0 && args[0] == "" {
		hint := ""
		if len(args) > 0 && strings.HasPrefix(args[0], "-") { // the library takes the flags after it as arguments
			hint = "; flags come before an argument that begins with -"
		}
		if e.ask != "" {
			hint = ": say " + e.ask + hint
		}
		return fmt.Errorf("%s takes %s%s", c.FullName(), e.args, hint)
	}
	if e.do != nil {
		return e.do(ctx, c, args)
	}
	in := call{method: e.method, path: e.path, query: queryOf(c, e.query...)}
	if len(args) > 0 {
		in.path = strings.Replace(e.path, "{}", url.PathEscape(args[0]), 1)
	}
	if e.body != nil {
		body, err := e.body(c, args)
		if err != nil {
			return err
		}
		in.body = body
	}
	if e.columns != "" {
		items, err := listAll(ctx, c, in.path, in.query)
		if err != nil {
			return err
		}
		return printList(c, items, e.columns)
	}
	answer, err := in.do(ctx, c)
	if err != nil {
		return err
	}
	return e.print(c, args, answer)
}

// print prints an answer: unchanged with --json.
func (e endpoint) print(c *cli.Command, args []string, answer []byte) error {
	var out bytes.Buffer
	var err error
	switch {
	case c.Bool("json") && len(answer) == 0:
		return nil
	case c.Bool("json"):
		out.Write(append(answer, '\n'))
	case e.line != "":
		var members map[string]any
		if len(answer) > 0 {
			err = decode(answer, &members)
		}
		fmt.Fprintln(&out, os.Expand(e.line, func(name string) string {
			if name == "1" {
				return args[0]
			}
			return cell(members, name)
		}))
	case e.prints != nil:
		err = e.prints(&out, answer)
	default:
		err = json.Indent(&out, append(answer, '\n'), "", "  ")
	}
	if err != nil {
		return otherServer(c, "its answer cannot be decoded: "+err.Error())
	}
	return command.Write(c, out.String())
}

// printed returns how an answer of a type is printed.
func printed[T any](print func(io.Writer, T)) func(io.Writer, []byte) error {
	return func(to io.Writer, answer []byte) error {
		var value T
		err := decode(answer, &value)
		if err == nil {
			print(to, value)
		}
		return err
	}
}

func decode(answer []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// printList prints items as one list with --json, else as a table with a row for each item.
func printList(c *cli.Command, items []json.RawMessage, columns string) error {
	if c.Bool("json") {
		return writeJSON(c, page{Items: items})
	}
	values := make([]any, len(items))
	for i, item := range items {
		if err := decode(item, &values[i]); err != nil {
			return otherServer(c, "its answer cannot be decoded: "+err.Error())
		}
	}
	var out strings.Builder
	printItems(&out, values, columns)
	if len(items) == 0 {
		out.WriteString("(none)\n")
	}
	return command.Write(c, out.String())
}

// split returns the titles and the members of columns.
func split(columns string) (titles, members []string) {
	for column := range strings.SplitSeq(columns, "|") {
		title, member, _ := strings.Cut(column, "=")
		titles, members = append(titles, title), append(members, member)
	}
	return titles, members
}

// printItems prints a table with a row for each item of a list.
func printItems(to io.Writer, list any, columns string) {
	titles, _ := split(columns)
	var rows [][]string
	for _, item := range document.List(list) {
		rows = append(rows, cells(item, columns))
	}
	command.PrintRows(to, strings.Join(titles, "|"), rows)
}

// cells returns the columns of an item.
func cells(item any, columns string) (row []string) {
	_, members := split(columns)
	for _, member := range members {
		row = append(row, cell(item, member))
	}
	return row
}

// printMembers prints members of an answer, a line for each, and then more lines.
func printMembers(to io.Writer, value any, columns string, more ...[]string) {
	titles, _ := split(columns)
	var rows [][]string
	for i, text := range cells(value, columns) {
		rows = append(rows, []string{titles[i], text})
	}
	command.PrintRows(to, strings.Join(rows[0], "|"), append(rows[1:], more...))
}

// printLines prints a list of texts below its heading, unless it is empty.
func printLines(to io.Writer, heading string, list any) {
	if lines := document.List(list); len(lines) > 0 {
		fmt.Fprintln(to, "\n"+heading)
		for _, line := range lines {
			fmt.Fprintln(to, line)
		}
	}
}

func writeJSON(c *cli.Command, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return command.Failed(err)
	}
	return command.Write(c, string(text)+"\n")
}

// cell returns a member of an answer for people, such as result.outcome, or what is [computed]; "-" for none.
func cell(value any, member string) string {
	if strings.HasPrefix(member, "(") {
		return computed(value, member)
	}
	for key := range strings.SplitSeq(member, ".") {
		in, _ := value.(map[string]any)
		value = in[key]
	}
	switch value := value.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return at.Format(time.RFC3339)
		}
		return cmp.Or(value, "-")
	case map[string]any: // a clock
		return cell(value, "now") + map[bool]string{true: " frozen", false: " running"}[value["frozen"] == true]
	case []any: // magic values, events, attempts
		var all []string
		for _, item := range value {
			text, plain := item.(string)
			switch of, _ := item.(map[string]any); {
			case plain:
			case of["value"] != nil:
				text = cell(item, "value")
			default:
				text = cell(item, "status")
			}
			all = append(all, text)
		}
		return cmp.Or(strings.Join(all, " "), "-")
	case nil:
		return "-"
	default:
		return fmt.Sprint(value)
	}
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

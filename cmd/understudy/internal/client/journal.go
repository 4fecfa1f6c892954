package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

func journal() group {
	const id = "01JHQ3M5T0000000000000000G"
	return group{
		name: "journal", usage: "show the requests of a world with their answers, and verify them",
		flags: append(journalFlags(), command.Toggle("Journal", "unmatched", "show the requests that reached no world, because of their key, path or method; needs no key")),
		endpoints: []endpoint{
			{
				verb: "list", usage: "list requests", flags: journalFlags(), do: showJournal,
				examples: []string{
					"|all requests and webhooks with their diagnosis, the latest last",
					"--follow|the requests from now on",
					"--status 4xx --last 5|the last five that were refused",
					"--status '>=400' --from 5m|the errors of the last five minutes",
					`--search "vr_1 451"|those that have all words: of an id, a path, a status, a scenario or a body`,
					"--unmatched|those that reached no world: a wrong key, path or method; no key needed",
				},
			},
			{
				verb: "show", usage: "show one request with its headers, bodies and diagnosis", args: "ID", ask: "which request, by its id",
				path: "journal/{}", prints: printEntry, examples: []string{id + "|one request"},
			},
			{
				verb: "verify", usage: "exit 1 unless the number of matching requests is the expected one", args: "[EXPECTATION]", do: verifyJournal,
				about: "Flags, or the JSON of the control plane, say which requests match and how many are expected.",
				flags: []cli.Flag{
					command.Text("", "kind", "", "count `KIND`: request, as by default, or webhook"),
					command.Text("", "operation", "", "match requests of the operation `NAME`"),
					command.Text("", "method", "", "match the method `METHOD`"),
					command.Text("", "path", "", "match exactly the path `PATH`"),
					command.Text("", "status", "", "match the status `STATUS`, such as 404, 4xx or >=400"),
					command.Text("", "body", "", "match a body that contains the `JSON`"),
					command.Number("", "exactly", "expect `N` requests"),
					command.Number("", "at-least", "expect `N` requests or more; default: 1"),
					command.Number("", "at-most", "expect `N` requests or fewer"),
				},
				examples: []string{
					"--operation cancelVerificationRequest --exactly 1|exit 1 unless there was exactly one cancel",
					"--path /verification-requests/vr_1/cancel --at-most 0|never",
					`--body '{"cancellation_reason":"competitor"}' --exactly 2|twice`,
					"--kind webhook --exactly 2|two attempts to deliver a webhook",
					`'{"match":{"headers":{"User-Agent":{"contains":"acme"}}},"times":{"at_least":3}}'|three times or more`,
				},
			},
			{verb: "clear", usage: "empty the journal", method: http.MethodDelete, path: "journal", line: "the journal is empty", examples: []string{""}},
		},
	}
}

// journalFlags returns the flags that select requests of the journal. Subcommands do not inherit them.
func journalFlags() []cli.Flag {
	const category = "Journal"
	follow := command.Toggle(category, "follow", "print the requests from now on, until interrupted")
	follow.Local = true
	flags := []cli.Flag{follow}
	for _, flag := range []*cli.StringFlag{
		command.Text(category, "kind", "", "only those of `KIND`: request, of clients, or webhook, to them"),
		command.Text(category, "operation", "", "only requests of the operation `NAME`, such as getVerificationRequest"),
		command.Text(category, "status", "", "only those with the status `STATUS`: 404, 4xx, >=400, 400,406, -200 for all others, or 0 for a broken connection"),
		command.Text(category, "path", "", "only those with the path `PATH`, where * stands for one segment"),
		command.Text(category, "search", "", "only those with all words of `TEXT`, in their id, path, query, status, scenario or bodies"),
		command.Text(category, "since", "", "only those since `SINCE`: an RFC 3339 instant on the world's clock, or the id of a request"),
		command.Text(category, "from", "", "only those from `FROM`: an RFC 3339 instant on the machine's clock, or a span before now such as 5m"),
		command.Text(category, "to", "", "only those up to `TO`, likewise"),
	} {
		flag.Local = true
		flags = append(flags, flag)
	}
	return append(flags, &cli.IntFlag{Category: category, Local: true, Name: "last", Usage: "only the last `N`; 0 is all"})
}

// inList are the columns of requests.
const inList = "ID=id|TIME=time|STATUS=(outcome)|REQUEST=(target)|SCENARIO=scenario|DIAGNOSIS=(findings)"

// computed returns what people read of a request in place of several members, in one line of visible characters.
func computed(e any, what string) string {
	of, _ := e.(map[string]any)
	text := func(member string) string {
		text, _ := of[member].(string)
		return command.InLine(text)
	}
	switch what {
	case "(outcome)": // the status, "-" for no answer, and the fault
		return strings.TrimSpace(cmp.Or(strings.TrimPrefix(cell(e, "status"), "0"), "-") + " " + text("fault"))
	case "(target)":
		if text("kind") == "webhook" {
			return "webhook to " + text("path")
		}
		target := text("method") + " " + text("path")
		if text("query") != "" {
			target += "?" + text("query")
		}
		return target
	}
	var findings []string
	for _, finding := range document.List(of["diagnosis"]) {
		findings = append(findings, fmt.Sprint(finding))
	}
	return cmp.Or(strings.Join(findings, "; "), "-")
}

func showJournal(ctx context.Context, c *cli.Command, _ []string) error {
	query, last := queryOf(c, "kind", "operation", "status", "path", "since", "from", "to"), c.Int("last")
	if text := c.String("search"); text != "" {
		query.Set("q", text)
	}
	switch {
	case last < 0:
		return fmt.Errorf("%s %d is not a number of requests", command.Given(c, "last"), last)
	case last > 0 && c.Bool("follow"):
		return errors.New("--last selects past requests and --follow future ones: leave one out, or use --since")
	case c.Bool("unmatched") && c.Bool("follow"):
		return errors.New("--follow prints the requests of a world: leave it or --unmatched out")
	case c.Bool("follow"):
		return followJournal(ctx, c, query)
	}
	items, err := listAll(ctx, c, "journal", query)
	if err != nil {
		return err
	}
	if last > 0 {
		items = items[:min(last, len(items))]
	}
	if c.Bool("json") { // which keeps the order of the control plane
		return writeJSON(c, page{Items: items})
	}
	slices.Reverse(items)
	return printList(c, items, inList)
}

// followJournal prints requests as they arrive until ctx ends; with --json one object a line.
func followJournal(ctx context.Context, c *cli.Command, query url.Values) error {
	stream, err := call{path: "journal/stream", query: query}.open(ctx, c)
	if err != nil {
		return err
	}
	defer stream.Close()
	color := command.Colors(c.Root().Writer)
	err = eachEvent(stream, func(name, data string) error {
		switch name {
		case "reset":
			fmt.Fprintln(c.Root().ErrWriter, "understudy: the world was reset or restored: the new world's requests follow")
		case "gap":
			fmt.Fprintln(c.Root().ErrWriter, "understudy: some requests were missed: the journal has dropped them")
		case "request":
			if !c.Bool("json") {
				data, err = eventLine(data, color)
			}
			return errors.Join(err, command.Write(c, data+"\n"))
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil // interrupted
	}
	return command.Failed(fmt.Errorf("the journal of %s has ended: %w", c.String("url"), cmp.Or(err, errors.New("the emulator was stopped"))))
}

// eachEvent calls visit with each server-sent event of a stream.
func eachEvent(from io.Reader, visit func(name, data string) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20) // no line is longer: events have no bodies
	name, data := "", ""
	for lines.Scan() {
		line := lines.Text()
		switch field, value, _ := strings.Cut(line, ": "); {
		case field == "event":
			name = value
		case field == "data":
			data = value
		case line == "" && name != "":
			if err := visit(name, data); err != nil {
				return err
			}
			name, data = "", ""
		}
	}
	return lines.Err()
}

// eventLine formats a request of the stream for people.
func eventLine(data string, color bool) (string, error) {
	var e map[string]any
	if err := decode([]byte(data), &e); err != nil {
		return "", fmt.Errorf("an event cannot be decoded: %w: use the version of the emulator", err)
	}
	row := cells(e, inList)
	colors := map[string]string{"2": "32", "4": "33", "5": "31", "-": "35"} // green, yellow, red; magenta: no answer
	if code, ok := colors[row[2][:1]]; ok && color {
		row[2] = "\x1b[" + code + "m" + row[2] + "\x1b[0m"
	}
	return strings.TrimRight(strings.Join(row, "  "), " "), nil
}

type entryBody struct {
	JSON      json.RawMessage
	Text      string
	Size      int64
	Truncated bool
}

// printEntry prints a request with its answer.
func printEntry(to io.Writer, answer []byte) error {
	var e map[string]any
	var of struct{ Request, Response *entryBody }
	if err := cmp.Or(decode(answer, &e), decode(answer, &of)); err != nil {
		return err
	}
	fmt.Fprintf(to, "%s: %s\n\n", cell(e, "(target)"), cell(e, "(outcome)"))
	more := [][]string{{"took", cell(e, "duration_ms") + " ms"}, {"machine's time", fmt.Sprint(e["wall_time"])}}
	for _, h := range document.List(e["headers"]) {
		more = append(more, cells(h, "=name|=value"))
	}
	subject := map[bool]string{true: "delivery", false: "operation"}[e["delivery"] != nil]
	printMembers(to, e, "time=time|"+subject+"="+subject+"|scenario=scenario|rule=rule", more...)
	printLines(to, "DIAGNOSIS", e["diagnosis"])
	of.Request.print(to, "REQUEST")
	if e["response_headers"] != nil {
		fmt.Fprintln(to)
		printItems(to, e["response_headers"], "RESPONSE HEADERS=name|=value")
	}
	of.Response.print(to, "RESPONSE")
	return nil
}

// print prints a body below its head; nil prints nothing.
func (b *entryBody) print(to io.Writer, head string) {
	if b == nil {
		return
	}
	if b.Truncated {
		head += fmt.Sprintf(", the beginning of %d bytes", b.Size)
	}
	var lines bytes.Buffer
	if json.Indent(&lines, b.JSON, "", "  ") != nil { // not JSON
		lines.Reset()
		lines.Write(b.JSON)
	}
	fmt.Fprintf(to, "\n%s\n%s\n", head, strings.Map(command.Visible, cmp.Or(b.Text, lines.String())))
}

// expectation returns the body of journal/verify, from the argument or the flags.
func expectation(c *cli.Command, args []string) (any, error) {
	expected, err := expectationOfFlags(c)
	if err != nil {
		return nil, err
	}
	switch {
	case len(args) == 0:
		return expected, nil
	case len(expected) > 0:
		return nil, errors.New("the expectation is given twice: give flags or JSON, not both")
	case !json.Valid([]byte(args[0])):
		return nil, fmt.Errorf(`the expectation is not JSON, such as {"operation":"getVerificationRequest","times":{"exactly":1}}: %s`, args[0])
	}
	return []byte(args[0]), nil
}

func expectationOfFlags(c *cli.Command) (map[string]any, error) {
	expected, match, times := make(map[string]any), make(map[string]any), make(map[string]any)
	for flag, in := range map[string]map[string]any{"kind": expected, "operation": expected, "method": match, "path": match, "status": match} {
		if value := c.String(flag); value != "" {
			in[flag] = value
		}
	}
	if body := c.String("body"); body != "" {
		if !jsontext.Value(body).IsValid() {
			return nil, fmt.Errorf("%s %s is not JSON, with each key once", command.Given(c, "body"), body)
		}
		match["body"] = map[string]any{"contains": json.RawMessage(body)}
	}
	for _, flag := range []string{"exactly", "at-least", "at-most"} {
		if c.IsSet(flag) {
			times[strings.ReplaceAll(flag, "-", "_")] = c.Int(flag)
		}
	}
	for name, part := range map[string]map[string]any{"match": match, "times": times} {
		if len(part) > 0 {
			expected[name] = part
		}
	}
	return expected, nil
}

// verification is the answer of journal/verify.
type verification struct {
	api.ErrorEnvelope
	Count   *int
	Note    string
	Nearest []map[string]any
}

func verifyJournal(ctx context.Context, c *cli.Command, args []string) error {
	if c.Bool("unmatched") {
		return errors.New("verify counts the requests of a world: leave --unmatched out")
	}
	expected, err := expectation(c, args)
	if err != nil {
		return err
	}
	e := endpoint{prints: printed(func(to io.Writer, v verification) {
		fmt.Fprintln(to, strings.TrimSpace(command.Count(*v.Count, "request")+" matched\n"+command.InLine(v.Note)))
	})}
	answer, err := call{method: http.MethodPost, path: "journal/verify", body: expected}.do(ctx, c)
	if err == nil {
		return e.print(c, args, answer)
	}
	var unmet verification
	refused := (*refusal)(nil)
	if !errors.As(err, &refused) || refused.status != http.StatusConflict || json.Unmarshal(refused.body, &unmet) != nil || unmet.Count == nil {
		return err
	}
	e.prints = printed(printNearest)
	return errors.Join(e.print(c, args, refused.body), command.Failed(errors.New(unmet.Error.Message)))
}

func printNearest(to io.Writer, v verification) {
	for _, near := range v.Nearest {
		fmt.Fprintln(to, strings.Join(cells(near, "=id|=(outcome)|=(target)"), "  "))
		for _, difference := range document.List(near["differences"]) {
			fmt.Fprintf(to, "  - %s\n", difference)
		}
	}
}

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
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
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
				path: "journal/{}", prints: printed(printEntry), examples: []string{id + "|one request"},
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

// summary is a request in a list of the control plane.
type summary struct {
	ID, Method, Path, Query string
	Kind, Delivery          string
	Time                    time.Time
	Status                  int
	Fault, Scenario         *string
	Diagnosis               []string
}

func (s summary) row() []string {
	return []string{s.ID, command.Instant(&s.Time), s.outcome(), s.target(), command.OrNone(s.Scenario), cmp.Or(strings.Join(s.Diagnosis, "; "), "-")}
}

// outcome returns the status of the answer, "-" for none, and the fault.
func (s summary) outcome() string {
	status := "-"
	if s.Status != 0 {
		status = strconv.Itoa(s.Status)
	}
	if s.Fault != nil {
		status += " " + *s.Fault
	}
	return status
}

func (s summary) target() string {
	target := s.Method + " " + s.Path
	if s.Query != "" {
		target += "?" + s.Query
	}
	if s.Kind == "webhook" {
		target = "webhook to " + s.Path
	}
	return command.InLine(target)
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
	var rows [][]string
	for _, item := range slices.Backward(items) {
		var s summary
		if err := json.Unmarshal(item, &s); err != nil {
			return otherServer(c, "its answer cannot be decoded: "+err.Error())
		}
		rows = append(rows, s.row())
	}
	return printTable(c, "ID|TIME|STATUS|REQUEST|SCENARIO|DIAGNOSIS", rows)
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
	var s summary
	if err := json.Unmarshal([]byte(data), &s); err != nil {
		return "", fmt.Errorf("an event cannot be decoded: %w: use the version of the emulator", err)
	}
	row := s.row()
	colors := map[int]string{2: "32", 4: "33", 5: "31", 0: "35"} // green, yellow, red; magenta: no answer
	if code, ok := colors[s.Status/100]; ok && color {
		row[2] = "\x1b[" + code + "m" + row[2] + "\x1b[0m"
	}
	return strings.TrimRight(strings.Join(row, "  "), " "), nil
}

type entry struct {
	summary
	Operation         string
	WallTime          time.Time `json:"wall_time"`
	DurationMS        float64   `json:"duration_ms"`
	Rule              *string
	Headers           []header
	ResponseHeaders   []header `json:"response_headers"`
	Request, Response *entryBody
}

type header struct{ Name, Value string }

type entryBody struct {
	JSON      json.RawMessage
	Text      string
	Size      int64
	Truncated bool
}

func printEntry(to io.Writer, e entry) {
	fmt.Fprintf(to, "%s: %s\n\n", e.target(), e.outcome())
	rows := [][]string{
		{"operation", cmp.Or(e.Operation, e.Delivery)},
		{"took", fmt.Sprintf("%g ms", e.DurationMS)},
		{"machine's time", e.WallTime.Format(time.RFC3339Nano)},
		{"scenario", command.OrNone(e.Scenario)},
		{"rule", command.OrNone(e.Rule)},
	}
	command.PrintRows(to, "time|"+command.Instant(&e.Time), append(rows, rowsOf(e.Headers)...))
	printLines(to, "DIAGNOSIS", e.Diagnosis)
	e.Request.print(to, "REQUEST")
	if len(e.ResponseHeaders) > 0 {
		fmt.Fprintln(to)
		command.PrintRows(to, "RESPONSE HEADERS", rowsOf(e.ResponseHeaders))
	}
	e.Response.print(to, "RESPONSE")
}

func rowsOf(headers []header) (rows [][]string) {
	for _, h := range headers {
		rows = append(rows, []string{h.Name, h.Value})
	}
	return rows
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
	Nearest []struct {
		summary
		Differences []string
	}
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
		fmt.Fprintf(to, "%s  %s  %s\n", near.ID, near.outcome(), near.target())
		for _, difference := range near.Differences {
			fmt.Fprintf(to, "  - %s\n", difference)
		}
	}
}

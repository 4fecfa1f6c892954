package main

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
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func journalCommand() *cli.Command {
	return &cli.Command{
		Name:  "journal",
		Usage: "show what was asked in a world, and check how often",
		Description: `Examples, with the key in UNDERSTUDY_KEY:

   understudy journal                              what was asked, and why it was answered so; the latest last
   understudy journal --follow                     what is asked from now on
   understudy journal --status 4xx --last 5        the last five that were refused
   understudy journal show ID                      one request with its headers, bodies and diagnosis
   understudy journal verify --operation cancelVerificationRequest --exactly 1
                                                   exits 1 unless it was asked once
   understudy journal clear                        forget all that was asked`,
		Flags: append(clientFlags(), journalFlags()...),
		Commands: []*cli.Command{
			{Name: "list", Usage: "show what was asked", Flags: journalFlags(), Action: showJournal},
			{Name: "show", Usage: "show one request, whole", ArgsUsage: "ID", Action: shows("journal/", "which request, by its id", printEntry)},
			{Name: "clear", Usage: "forget what was asked so far", Action: func(ctx context.Context, c *cli.Command) error {
				return done(ctx, c, call{method: http.MethodDelete, path: "journal"}, "the journal is empty")
			}},
			verifyCommand(),
		},
		Action: showJournal,
	}
}

// journalFlags choose requests of the journal, for the command that has them and not for those below it.
func journalFlags() []cli.Flag {
	const category = "Journal"
	follow := toggle(category, "follow", "go on with what is asked from now on, until interrupted")
	follow.Local = true
	flags := []cli.Flag{follow}
	for _, flag := range []*cli.StringFlag{
		text(category, "operation", "", "requests of the operation `NAME`, such as getVerificationRequest"),
		text(category, "status", "", "those with the status `STATUS`: 404, 4xx, or 0 for a connection that was broken off"),
		text(category, "path", "", "those with the path `PATH`, where * stands for what is between two slashes"),
		text(category, "since", "", "those since `SINCE`: an RFC 3339 instant by the world's clock, or behind the request of an id"),
	} {
		flag.Local = true
		flags = append(flags, flag)
	}
	return append(flags, &cli.IntFlag{Category: category, Local: true, Name: "last", Sources: variable("last"), Usage: "only the last `N` of them; 0 is all"})
}

// summary is a request as a list of the control plane shows it.
type summary struct {
	ID, Method, Path, Query string
	Time                    time.Time
	Status                  int
	Fault, Scenario         *string
	Diagnosis               []string
}

func (s summary) row() []string {
	return []string{s.ID, instant(&s.Time), s.outcome(), s.target(), orNone(s.Scenario), cmp.Or(strings.Join(s.Diagnosis, "; "), "-")}
}

// outcome returns the status of the answer, and the fault that it met.
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
	if s.Query == "" {
		return s.Method + " " + s.Path
	}
	return s.Method + " " + s.Path + "?" + s.Query
}

func showJournal(ctx context.Context, c *cli.Command) error {
	query, last := queryOf(c, "operation", "status", "path", "since"), c.Int("last")
	switch {
	case last < 0:
		return fmt.Errorf("--last %d is not a number of requests", last)
	case last > 0 && c.Bool("follow"):
		return errors.New("--last is of requests that were made, and --follow of those to come: leave one out, or say --since")
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
	if !c.Bool("json") { // programs get the emulator's own order
		slices.Reverse(items)
	}
	return showTable(c, items, "ID|TIME|STATUS|REQUEST|SCENARIO|DIAGNOSIS", summary.row)
}

// followJournal prints requests as they come until ctx ends; with --json an object a line.
func followJournal(ctx context.Context, c *cli.Command, query url.Values) error {
	stream, err := call{path: "journal/stream", query: query}.open(ctx, c)
	if err != nil {
		return err
	}
	defer stream.Close()
	color := os.Getenv("NO_COLOR") == "" && isTerminal(c.Root().Writer)
	err = eachEvent(stream, func(name, data string) error {
		switch name {
		case "reset":
			fmt.Fprintln(c.Root().ErrWriter, "understudy: the world was reset or restored: what follows is the new one's")
		case "gap":
			fmt.Fprintln(c.Root().ErrWriter, "understudy: some requests are no longer kept and were missed")
		case "request":
			if !c.Bool("json") {
				data, err = eventLine(data, color)
			}
			return errors.Join(err, write(c, data+"\n"))
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil // it was interrupted
	}
	return failure{fmt.Errorf("the journal of %s does not go on: %w", c.String("url"), cmp.Or(err, errors.New("it was stopped")))}
}

func eachEvent(from io.Reader, visit func(name, data string) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20) // no line is longer, as events have no bodies
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

// eventLine returns a request of the stream as people read it.
func eventLine(data string, color bool) (string, error) {
	var s summary
	if err := json.Unmarshal([]byte(data), &s); err != nil {
		return "", fmt.Errorf("an event cannot be read: %w; is it of another version?", err)
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
	Headers           []struct{ Name, Value string }
	Request, Response *entryBody
}

type entryBody struct {
	JSON      json.RawMessage
	Text      string
	Size      int64
	Truncated bool
}

func printEntry(to io.Writer, e entry) {
	fmt.Fprintf(to, "%s: %s\n\n", e.target(), e.outcome())
	rows := [][]string{
		{"operation", e.Operation},
		{"took", fmt.Sprintf("%g ms", e.DurationMS)},
		{"machine's time", e.WallTime.Format(time.RFC3339Nano)},
		{"scenario", orNone(e.Scenario)},
		{"rule", orNone(e.Rule)},
	}
	for _, h := range e.Headers {
		rows = append(rows, []string{h.Name, h.Value})
	}
	printRows(to, "time|"+instant(&e.Time), rows)
	if len(e.Diagnosis) > 0 {
		fmt.Fprintln(to, "\nDIAGNOSIS\n"+strings.Join(e.Diagnosis, "\n"))
	}
	e.Request.print(to, "REQUEST")
	e.Response.print(to, "RESPONSE")
}

// print prints a body below its head; nil prints nothing.
func (b *entryBody) print(to io.Writer, head string) {
	if b == nil {
		return
	}
	if b.Truncated {
		head += fmt.Sprintf(", of %d bytes the beginning", b.Size)
	}
	var lines bytes.Buffer
	if json.Indent(&lines, b.JSON, "", "  ") != nil { // it is none
		lines.Reset()
		lines.Write(b.JSON)
	}
	fmt.Fprintf(to, "\n%s\n%s\n", head, cmp.Or(b.Text, lines.String()))
}

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "exit 1 unless something was asked as often as it should have been", ArgsUsage: "[EXPECTATION]",
		Description: `What is expected is said by flags, or as the JSON that the control plane takes. Examples:

   understudy journal verify --operation getVerificationRequest                      once or more
   understudy journal verify --path /verification-requests/vr_1/cancel --at-most 0   never
   understudy journal verify --body '{"cancellation_reason":"competitor"}' --exactly 2
   understudy journal verify '{"match":{"headers":{"User-Agent":{"contains":"acme"}}},"times":{"at_least":3}}'`,
		Flags: []cli.Flag{
			text("", "operation", "", "requests of the operation `NAME`"),
			text("", "method", "", "with the method `METHOD`"),
			text("", "path", "", "of exactly the path `PATH`"),
			text("", "status", "", "that were answered `STATUS`, such as 404 or 4xx"),
			text("", "body", "", "whose body has all that the `JSON` has"),
			number("", "exactly", "asked `N` times"),
			number("", "at-least", "asked `N` times or more; once or more is what is expected by default"),
			number("", "at-most", "asked `N` times or less"),
		},
		Action: verifyJournal,
	}
}

// expectation returns what the argument or the flags say, as the control plane takes it.
func expectation(c *cli.Command) (any, error) {
	expected, err := expectationOfFlags(c)
	if err != nil {
		return nil, err
	}
	argument := c.Args().First()
	switch {
	case c.Args().Len() > 1:
		return nil, fmt.Errorf("%s takes one expectation, but was given %d", c.FullName(), c.Args().Len())
	case !c.Args().Present():
		return expected, nil
	case len(expected) > 0:
		return nil, errors.New("say what is expected by flags or as JSON, not both")
	case !json.Valid([]byte(argument)):
		return nil, fmt.Errorf(`the expectation is not JSON, such as {"operation":"getVerificationRequest","times":{"exactly":1}}: %s`, argument)
	}
	return []byte(argument), nil
}

func expectationOfFlags(c *cli.Command) (map[string]any, error) {
	expected, match, times := make(map[string]any), make(map[string]any), make(map[string]any)
	for flag, in := range map[string]map[string]any{"operation": expected, "method": match, "path": match, "status": match} {
		if value := c.String(flag); value != "" {
			in[flag] = value
		}
	}
	if body := c.String("body"); body != "" {
		if !json.Valid([]byte(body)) {
			return nil, fmt.Errorf("--body %s is not JSON", body)
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

type verdict struct {
	api.ErrorEnvelope
	Count   *int
	Nearest []struct {
		summary
		Differences []string
	}
}

func verifyJournal(ctx context.Context, c *cli.Command) error {
	expected, err := expectation(c)
	if err != nil {
		return err
	}
	err = show(ctx, c, call{method: http.MethodPost, path: "journal/verify", body: expected}, func(to io.Writer, v verdict) {
		times := strconv.Itoa(*v.Count) + " times"
		if *v.Count == 1 {
			times = "once"
		}
		fmt.Fprintf(to, "it was asked %s\n", times)
	})
	var unmet verdict
	refused := (*refusal)(nil)
	if !errors.As(err, &refused) || refused.status != http.StatusConflict || json.Unmarshal(refused.body, &unmet) != nil || unmet.Count == nil {
		return err
	}
	return errors.Join(printAnswer(c, refused.body, printNearest), failure{errors.New(unmet.Error.Message)})
}

func printNearest(to io.Writer, v verdict) {
	for _, near := range v.Nearest {
		fmt.Fprintf(to, "%s  %s  %s\n", near.ID, near.outcome(), near.target())
		for _, difference := range near.Differences {
			fmt.Fprintf(to, "  - %s\n", difference)
		}
	}
}

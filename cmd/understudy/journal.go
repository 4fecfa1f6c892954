package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
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
			{Name: "list", Usage: "show what was asked", Flags: journalFlags(), OnUsageError: onUsageError, Action: alone(showJournal)},
			{Name: "show", Usage: "show one request, whole", ArgsUsage: "ID", OnUsageError: onUsageError, Action: showEntry},
			{Name: "clear", Usage: "forget what was asked so far", OnUsageError: onUsageError, Action: alone(clearJournal)},
			verifyCommand(),
		},
		OnUsageError: onUsageError,
		Action:       alone(showJournal),
	}
}

// journalFlags choose requests of the journal, for the command that has them and not for those below it.
func journalFlags() []cli.Flag {
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Category: "Journal", Local: true, Name: name, Sources: fromEnvironment(name), Usage: usage}
	}
	return []cli.Flag{
		&cli.BoolFlag{Category: "Journal", Local: true, Name: "follow", Sources: fromEnvironment("follow"), Usage: "go on with what is asked from now on, until interrupted"},
		text("operation", "requests of the operation `NAME`, such as getVerificationRequest"),
		text("status", "those with the status `STATUS`: 404, 4xx, or 0 for a connection that was broken off"),
		text("path", "those with the path `PATH`, where * stands for what is between two slashes"),
		text("since", "those since `SINCE`: an RFC 3339 instant by the world's clock, or behind the request of an id"),
		&cli.IntFlag{Category: "Journal", Local: true, Name: "last", Sources: fromEnvironment("last"), Usage: "only the last `N` of them; 0 is all"},
	}
}

// asked is a request as a list of the control plane shows it.
type asked struct {
	ID        string    `json:"id"`
	Time      time.Time `json:"time"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query"`
	Status    int       `json:"status"`
	Fault     *string   `json:"fault"`
	Scenario  *string   `json:"scenario"`
	Diagnosis []string  `json:"diagnosis"`
}

// columns are what people are shown of a request.
const columns = "ID|TIME|STATUS|REQUEST|SCENARIO|DIAGNOSIS"

func (a asked) row() []string {
	return []string{a.ID, instant(&a.Time), a.outcome(), a.target(), orNone(a.Scenario), cmp.Or(strings.Join(a.Diagnosis, "; "), "-")}
}

// outcome is the status of the answer, and what was wrong with its way.
func (a asked) outcome() string {
	status := "-"
	if a.Status != 0 {
		status = strconv.Itoa(a.Status)
	}
	if a.Fault != nil {
		status += " " + *a.Fault
	}
	return status
}

func (a asked) target() string {
	if a.Query == "" {
		return a.Method + " " + a.Path
	}
	return a.Method + " " + a.Path + "?" + a.Query
}

// journalQuery is what the flags say of which requests are wanted.
func journalQuery(c *cli.Command) url.Values {
	query := make(url.Values)
	for _, name := range []string{"operation", "status", "path", "since"} {
		if value := c.String(name); value != "" {
			query.Set(name, value)
		}
	}
	return query
}

func showJournal(ctx context.Context, c *cli.Command) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	if c.Int("last") < 0 {
		return fmt.Errorf("--last %d is not a number of requests", c.Int("last"))
	}
	if c.Bool("follow") {
		return followJournal(ctx, c, r)
	}
	items, err := r.list(ctx, "journal", journalQuery(c))
	if err != nil {
		return err
	}
	if last := c.Int("last"); last > 0 {
		items = items[:min(last, len(items))]
	}
	if !r.json { // programs have the emulator's own order
		slices.Reverse(items)
	}
	return tellList(r, items, columns, asked.row)
}

// entry is a request as the control plane shows it whole.
type entry struct {
	asked
	Operation  string    `json:"operation"`
	WallTime   time.Time `json:"wall_time"`
	DurationMS float64   `json:"duration_ms"`
	Rule       *string   `json:"rule"`
	Headers    []struct{ Name, Value string }
	Request    *keptBody `json:"request"`
	Response   *keptBody `json:"response"`
}

// keptBody is as much of a body as the journal has.
type keptBody struct {
	JSON      json.RawMessage `json:"json"`
	Text      *string         `json:"text"`
	Size      int64           `json:"size"`
	Truncated bool            `json:"truncated"`
}

func showEntry(ctx context.Context, c *cli.Command) error {
	id, err := oneArgument(c, "which request, by its id")
	if err != nil {
		return err
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, http.MethodGet, "journal/"+url.PathEscape(id), nil, nil)
	if err != nil {
		return err
	}
	return tell(r, answer, sayEntry)
}

func sayEntry(to io.Writer, e entry) {
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
	for i, note := range e.Diagnosis {
		if i == 0 {
			fmt.Fprintln(to, "\nDIAGNOSIS")
		}
		fmt.Fprintln(to, note)
	}
	e.Request.say(to, "REQUEST")
	e.Response.say(to, "RESPONSE")
}

// say prints a body below its head; nil prints nothing.
func (b *keptBody) say(to io.Writer, head string) {
	if b == nil {
		return
	}
	cut := ""
	if b.Truncated {
		cut = fmt.Sprintf(", of %d bytes the beginning", b.Size)
	}
	fmt.Fprintf(to, "\n%s%s\n%s\n", head, cut, cmp.Or(stringOf(b.Text), indented(b.JSON)))
}

// indented is JSON as people read it.
func indented(text json.RawMessage) string {
	var lines bytes.Buffer
	if json.Indent(&lines, text, "", "  ") != nil {
		return string(text) // it is none
	}
	return lines.String()
}

func stringOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func clearJournal(ctx context.Context, c *cli.Command) error {
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	if _, err := r.ask(ctx, http.MethodDelete, "journal", nil, nil); err != nil {
		return err
	}
	return r.done("the journal is empty")
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// tell prints an answer: as it came for programs, else as say puts it for people, who is given it decoded.
func tell[T any](r *remote, answer []byte, say func(io.Writer, T)) error {
	if r.json {
		return write(r.to, string(answer)+"\n")
	}
	var value T
	if err := json.Unmarshal(answer, &value); err != nil {
		return failure{fmt.Errorf("the answer of %s cannot be read: %w; is it of another version?", r.base, err)}
	}
	var text strings.Builder
	say(&text, value)
	return write(r.to, text.String())
}

// tellList prints the items of a list: as one list for programs, else as a table with a row for each.
func tellList[T any](r *remote, items []json.RawMessage, head string, row func(T) []string) error {
	all, err := json.Marshal(map[string]any{"items": items, "next": nil})
	if err != nil {
		return failure{err}
	}
	type list struct {
		Items []T `json:"items"`
	}
	return tell(r, all, func(to io.Writer, l list) {
		var rows [][]string
		for _, item := range l.Items {
			rows = append(rows, row(item))
		}
		printRows(to, head, rows)
	})
}

// printRows prints a table below its head, whose words are apart by a vertical bar.
func printRows(to io.Writer, head string, rows [][]string) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{strings.Split(head, "|")}, rows...) {
		fmt.Fprintln(table, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	table.Flush()
}

// done prints that something was done, for people.
func (r *remote) done(format string, args ...any) error {
	if r.json {
		return nil // the emulator had nothing to say
	}
	return write(r.to, fmt.Sprintf(format+"\n", args...))
}

func write(to io.Writer, text string) error {
	if _, err := io.WriteString(to, text); err != nil {
		return failure{err}
	}
	return nil
}

// instant is a time as people read it, - when there is none.
func instant(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.Format(time.RFC3339)
}

// Package provenance says on what an answer rests where the specification is silent. A subject flows in, and the words for a
// diagnosis flow out. The decisions are in decisions.csv, which is also a page of the manual.
package provenance

import (
	_ "embed"
	"encoding/csv"
	"strings"
	"sync"
)

// Decision is what the emulator does where the specification is silent, or leaves a choice.
type Decision struct {
	Subject string
	Text    string // what is done
	Class   string // seen, ours, or the section of the specification, such as "specification 3"
	Test    string // that holds it: its folder, and its name with that of the case
}

// reasons are the words for the classes that the specification does not cover.
var reasons = map[string]string{
	"seen": "seen in public material; the specification does not show it",
	"ours": "our decision; the specification is silent",
}

//go:embed decisions.csv
var table string

// Decisions returns all decisions in the order of the table.
var Decisions = sync.OnceValue(func() (all []Decision) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // it is built in, and TestDecisions reads it
	}
	for _, row := range rows[1:] {
		all = append(all, Decision{row[0], row[1], row[2], row[3]})
	}
	return all
})

// Table returns the decisions as comma-separated values.
func Table() string { return table }

// Reason returns, in parentheses and after a space, on what an answer rests that a decision makes: "" for one of the
// specification. It panics for an unknown subject.
func Reason(subject string) string {
	for _, d := range Decisions() {
		if d.Subject != subject {
			continue
		}
		if reason := reasons[d.Class]; reason != "" {
			return " (" + reason + ")"
		}
		return ""
	}
	panic("no decision has the subject " + subject)
}

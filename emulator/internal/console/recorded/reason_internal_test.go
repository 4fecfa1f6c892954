package recorded

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// The journal page explains every refused or damaged answer.
func TestReason(t *testing.T) {
	t.Parallel()
	const version = "no version was asked for: send Accept: application/json; version=2019-10-15"
	for name, tt := range map[string]struct {
		entry           journal.Entry
		sentence, brief string
		also            int
	}{
		"a refusal says its cause": {
			journal.Entry{Status: 400, Diagnosis: []string{`no verification request is "x": did you mean y?`, version}},
			`No verification request is "x": did you mean y?`, `no verification request is "x": did you mean y?`, 1,
		},
		"a refusal without a cause ignores findings": {
			journal.Entry{Status: 400, Diagnosis: []string{version}},
			"The request was refused.", "the request was refused", 1,
		},
		"a fault without its scenario": {
			journal.Entry{Fault: "empty", Scenario: "fault-empty", Rule: "incidents.yaml:26:5", Diagnosis: []string{version}},
			"Empty by the scenario fault-empty.", "empty by the scenario fault-empty", 1,
		},
		"a fault that is gone": {
			journal.Entry{Status: 200, Fault: "truncated", Scenario: "fault-1", Rule: "fault-1:1:1"},
			"Truncated, your fault fault-1, which is gone.", "truncated, your fault fault-1, which is gone", 0,
		},
		"a client that left": {
			journal.Entry{Diagnosis: []string{"the client did not wait for the answer", version}},
			"The client did not wait for the answer.", "the client did not wait for the answer", 1,
		},
		"a plain answer has short findings": {
			journal.Entry{Status: 200, Scenario: "completed", Diagnosis: []string{version}},
			"The resource answered, as the scenario completed has it.", "", 1,
		},
		"findings come before the version": {
			journal.Entry{Status: 200, Diagnosis: []string{version, `unknown key "x" was ignored`}},
			"The resource answered.", `unknown key "x" was ignored`, 2,
		},
		"a plain answer without findings": {journal.Entry{Status: 200}, "The resource answered.", "", 0},
		"an empty finding is left out":    {journal.Entry{Status: 400, Diagnosis: []string{""}}, "The request was refused.", "the request was refused", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := Causes{}.Reason(&tt.entry)
			if w.Sentence() != tt.sentence || w.Brief() != tt.brief || len(w.Also) != tt.also {
				t.Errorf("%s | %s | %q", w.Sentence(), w.Brief(), w.Also)
			}
		})
	}
}

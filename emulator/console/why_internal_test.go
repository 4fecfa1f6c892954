package console

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/journal"
)

// Contract 8: every answer that is not plainly right is explained.
func TestWhatDecidedComesFirstAndWhatWasRemarkedComesApart(t *testing.T) {
	t.Parallel()
	const version = "no version was asked for: send Accept: application/json; version=2019-10-15"
	for name, tt := range map[string]struct {
		entry           journal.Entry
		sentence, brief string
		also            int
	}{
		"a refusal says its cause": {
			journal.Entry{Status: 400, Diagnosis: []string{version, `no verification request is "x": did you mean y?`}},
			`No verification request is "x": did you mean y?`, `no verification request is "x": did you mean y?; also: no version was asked for`, 1,
		},
		"a refusal without a cause does not take a remark for it": {
			journal.Entry{Status: 400, Diagnosis: []string{version}},
			"The request was refused.", "the request was refused; also: no version was asked for", 1,
		},
		"a fault names the rule that broke the connection": {
			journal.Entry{Fault: "empty", Scenario: "fault-empty", Rule: "incidents.yaml:26:5", Diagnosis: []string{version}},
			"Scenario fault-empty, by its rule at incidents.yaml:26:5, broke the connection off.",
			"scenario fault-empty, by its rule at incidents.yaml:26:5, broke the connection off; also: no version was asked for", 1,
		},
		"a fault that was put on has one rule": {
			journal.Entry{Status: 200, Fault: "truncated", Scenario: "fault-1", Rule: "fault-1:1:1"},
			"Fault-1 spoiled the answer on its way.", "fault-1 spoiled the answer on its way", 0,
		},
		"a client that left": {
			journal.Entry{Diagnosis: []string{version, "the client did not wait for the answer"}},
			"The client did not wait for the answer.", "the client did not wait for the answer; also: no version was asked for", 1,
		},
		"a plain answer is remarked upon briefly": {
			journal.Entry{Status: 200, Scenario: "completed", Diagnosis: []string{version}},
			"The resource answered, as the scenario completed has it.", "no version was asked for", 1,
		},
		"what is more telling comes before the version": {
			journal.Entry{Status: 200, Diagnosis: []string{version, `unknown key "x" was ignored`}},
			"The resource answered.", `unknown key "x" was ignored; no version was asked for`, 2,
		},
		"there may be nothing to say":                 {journal.Entry{Status: 200}, "The resource answered.", "", 0},
		"a remark that a snapshot left empty is none": {journal.Entry{Status: 400, Diagnosis: []string{""}}, "The request was refused.", "the request was refused", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := whyOf(&tt.entry)
			if w.Sentence() != tt.sentence || w.brief() != tt.brief || len(w.Also) != tt.also {
				t.Errorf("%s | %s | %q", w.Sentence(), w.brief(), w.Also)
			}
		})
	}
}

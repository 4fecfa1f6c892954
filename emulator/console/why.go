package console

import (
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// why is why an answer is what it is: what decided it, and what was remarked about the request beside.
type why struct {
	Cause string   // what decided; it begins as in the middle of a sentence
	Plain bool     // nothing but the resource decided
	Also  []string // what came up last first: what every request of a client is told comes up first
}

// unversioned begins the remark on a request without a version (spec 9.1).
const unversioned = "no version was asked for"

// whyOf returns why an entry's answer is what it is. Of a refused request the last that came up decided, unless that is a
// remark that comes with every answer.
func whyOf(e *journal.Entry) why {
	w := why{Also: slices.DeleteFunc(slices.Clone(e.Diagnosis), func(note string) bool { return note == "" })}
	slices.Reverse(w.Also)
	refused := e.Fault == "" && (e.Status >= 400 || e.Status == 0)
	if refused && len(w.Also) > 0 && !strings.HasPrefix(w.Also[0], unversioned) {
		w.Cause, w.Also = w.Also[0], w.Also[1:]
		return w
	}
	w.Cause, w.Plain = decided(e), e.Fault == "" && !refused
	return w
}

// Sentence says what decided, as a sentence.
func (w why) Sentence() string {
	sentence := strings.ToUpper(w.Cause[:1]) + w.Cause[1:]
	if !strings.HasSuffix(sentence, "?") {
		sentence += "."
	}
	return sentence
}

// brief says it in a line; of a plain answer only what was remarked, and of versions only that none was asked for.
func (w why) brief() string {
	also := slices.Clone(w.Also)
	for i, note := range also {
		if strings.HasPrefix(note, unversioned) {
			also[i] = unversioned
		}
	}
	switch remarks := strings.Join(also, "; "); {
	case w.Plain:
		return remarks
	case remarks == "":
		return w.Cause
	default:
		return w.Cause + "; also: " + remarks
	}
}

// decided says what decided where the diagnosis does not.
func decided(e *journal.Entry) string {
	switch {
	case e.Fault == string(scenarios.ConnectionReset) || e.Fault == string(scenarios.Empty):
		return ruleOf(e) + " broke the connection off"
	case e.Fault != "":
		return ruleOf(e) + " spoiled the answer on its way"
	case e.Status == 0:
		return "the client did not wait for the answer"
	case e.Status >= 400:
		return "the request was refused"
	case e.Scenario != "":
		return "the resource answered, as the scenario " + e.Scenario + " has it"
	}
	return "the resource answered"
}

// ruleOf names the rule that decided: a fault that was put on has one only.
func ruleOf(e *journal.Entry) string {
	if e.Rule == "" || strings.HasPrefix(e.Rule, e.Scenario+":") {
		return e.Scenario
	}
	return "scenario " + e.Scenario + ", by its rule at " + e.Rule + ","
}

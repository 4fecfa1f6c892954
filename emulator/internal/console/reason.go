package console

import (
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// reason is the reason of an answer, and the other findings about the request.
type reason struct {
	Cause string   // begins as in the middle of a sentence
	Plain bool     // the resource alone decided
	Also  []string // other findings, the latest first: those of every request are at the end
}

// unversioned begins the finding about a request without a version (spec 9.1).
const unversioned = "no version was asked for"

// reasonOf returns the reason of an entry's answer. The first finding about a refused request is its cause, unless that
// is the one about versions.
func reasonOf(e *journal.Entry) reason {
	notes := slices.DeleteFunc(slices.Clone(e.Diagnosis), func(note string) bool { return note == "" })
	refused := e.Fault == "" && (e.Status >= 400 || e.Status == 0)
	r := reason{Cause: decision(e), Plain: e.Fault == "" && e.Rule == "" && !refused}
	if refused && len(notes) > 0 && !strings.HasPrefix(notes[0], unversioned) {
		r.Cause, notes = notes[0], notes[1:]
	}
	slices.Reverse(notes)
	r.Also = notes
	return r
}

// Sentence returns the cause as a sentence.
func (r reason) Sentence() string {
	sentence := capital(r.Cause)
	if !strings.HasSuffix(sentence, "?") && !strings.HasSuffix(sentence, ".") {
		sentence += "."
	}
	return sentence
}

// capital begins a sentence with a capital letter, unless it begins with the name of a field or a flag.
func capital(sentence string) string {
	if first, _, _ := strings.Cut(sentence, " "); strings.ContainsAny(first, "._") {
		return sentence
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// inShort returns the findings, shortened.
func (r reason) inShort() []string {
	also := slices.Clone(r.Also)
	for i, note := range also {
		if strings.HasPrefix(note, unversioned) {
			also[i] = unversioned
		}
	}
	return also
}

// brief returns cause and findings in a line, but for those that are said elsewhere: of a plain answer only the findings.
func (r reason) brief(elsewhere []string) string {
	also := slices.DeleteFunc(r.inShort(), func(note string) bool { return slices.Contains(elsewhere, note) })
	switch findings := strings.Join(also, "; "); {
	case r.Plain:
		return findings
	case findings == "":
		return r.Cause
	default:
		return r.Cause + "; also: " + findings
	}
}

// decision returns the cause of an answer whose diagnosis does not name it.
func decision(e *journal.Entry) string {
	switch {
	case e.Fault == string(scenarios.ConnectionReset) || e.Fault == string(scenarios.Empty):
		return ruleOf(e) + " broke the connection"
	case e.Fault != "":
		return ruleOf(e) + " damaged the answer"
	case e.Status == 0:
		return "the client did not wait for the answer"
	case e.Status >= 400:
		return "the request was refused"
	case e.Rule != "":
		return ruleOf(e) + " made or changed the answer"
	case e.Scenario != "":
		return "the resource answered, as the scenario " + e.Scenario + " has it"
	}
	return "the resource answered"
}

// ruleOf names the rule that decided: a fault has only one.
func ruleOf(e *journal.Entry) string {
	if e.Rule == "" || strings.HasPrefix(e.Rule, e.Scenario+":") {
		return e.Scenario
	}
	return "scenario " + e.Scenario + ", by its rule at " + e.Rule + ","
}

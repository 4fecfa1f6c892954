package recorded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Reason is the reason of an answer, and the other findings about the request.
type Reason struct {
	Cause string   // begins as in the middle of a sentence
	Plain bool     // the resource alone decided
	Also  []string // other findings, the latest first: those of every request are at the end
}

// unversioned begins the finding about a request without a version (spec 9.1). Lists leave it out.
const unversioned = "no version was asked for"

// Causes are what the rules of a world's answers belong to. The zero value has none.
type Causes struct {
	catalogue *scenarios.Catalogue
	Faults    []rules.Fault
}

// CausesIn returns the causes of a world's answers, none of one that is deleted meanwhile.
func CausesIn(x *frame.Exchange, w *world.World) (c Causes, err error) {
	err = w.Preview(x.Context(), func(tx *world.Tx) (err error) {
		c.catalogue, c.Faults, err = tx.Causes()
		return err
	})
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return c, nil
	}
	return c, err
}

// CausesHere returns those of the page's world.
func CausesHere(x *frame.Exchange) (Causes, error) {
	if x.Status == nil {
		return Causes{}, nil
	}
	return CausesIn(x, x.World)
}

// Scenario returns the scenario of an answer, and the rule of it that decided, nil for none.
func (c Causes) Scenario(e *journal.Entry) (s *scenarios.Scenario, rule *scenarios.Rule) {
	if c.catalogue == nil {
		return nil, nil
	}
	if s = c.catalogue.ByName(e.Scenario); s == nil {
		return nil, nil
	}
	if i := slices.IndexFunc(s.Rules, func(r scenarios.Rule) bool { return r.At.String() == e.Rule }); i >= 0 {
		rule = &s.Rules[i]
	}
	return s, rule
}

// Fault returns the fault of an answer, nil for none and for one that is gone.
func (c Causes) Fault(e *journal.Entry) *rules.Fault {
	if i := slices.IndexFunc(c.Faults, func(f rules.Fault) bool { return f.ID == e.Scenario }); i >= 0 {
		return &c.Faults[i]
	}
	return nil
}

// Reason returns the reason of an entry's answer. The first finding about a refused request is its cause, unless a rule decided.
func (c Causes) Reason(e *journal.Entry) Reason {
	refused := e.Fault == "" && (e.Status >= 400 || e.Status == 0)
	r := Reason{Cause: c.decision(e), Plain: e.Fault == "" && e.Rule == "" && !refused}
	notes := slices.DeleteFunc(slices.Clone(e.Diagnosis), func(note string) bool {
		return note == "" || e.Rule != "" && strings.Contains(note, "by its rule at "+e.Rule)
	})
	if refused && e.Rule == "" && len(notes) > 0 && !strings.HasPrefix(notes[0], unversioned) {
		r.Cause, notes = notes[0], notes[1:]
	}
	slices.Reverse(notes)
	r.Also = notes
	return r
}

// Sentence returns the cause as a sentence.
func (r Reason) Sentence() string {
	sentence := Capital(r.Cause)
	if !strings.HasSuffix(sentence, "?") && !strings.HasSuffix(sentence, ".") {
		sentence += "."
	}
	return sentence
}

// Advice returns what was failing with a refused request, and what to do about it, in sentences.
func (r Reason) Advice() []string {
	advice := strings.SplitN(r.Sentence(), ": ", 2)
	for i, sentence := range advice {
		advice[i] = Capital(sentence)
	}
	return advice
}

// Capital begins a sentence with a capital letter, unless it begins with the name of a field or a flag.
func Capital(sentence string) string {
	if first, _, _ := strings.Cut(sentence, " "); strings.ContainsAny(first, "._") {
		return sentence
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// Brief returns cause and findings in a line: of a plain answer only the findings.
func (r Reason) Brief() string {
	also := slices.DeleteFunc(slices.Clone(r.Also), func(note string) bool { return strings.HasPrefix(note, unversioned) })
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
func (c Causes) decision(e *journal.Entry) string {
	switch {
	case e.Rule != "":
		return c.ruled(e)
	case e.Status == 0:
		return "the client did not wait for the answer"
	case e.Status >= 400:
		return "the request was refused"
	case e.Scenario != "":
		return "the resource answered, as the scenario " + e.Scenario + " has it"
	}
	return "the resource answered"
}

// ruled says what a rule did, and whose it is: 451 by SSN 000-00-0451 (the social security number is frozen).
func (c Causes) ruled(e *journal.Entry) string {
	did := fmt.Sprint(e.Status)
	if e.Fault != "" {
		did = strings.ReplaceAll(e.Fault, "-", " ")
	}
	if strings.HasPrefix(e.Scenario, rules.FaultPrefix) && strings.HasPrefix(e.Rule, e.Scenario+":") {
		return c.faulted(e, did)
	}
	s, rule := c.Scenario(e)
	if rule == nil {
		return did + " by the scenario " + e.Scenario
	}
	condition, effect, _ := strings.Cut(rule.String(), ": ")
	meaning := answered(e)
	if e.Fault == "" && meaning == "" {
		did = effect
	}
	did += " by " + magicOf(s, e)
	if rule.Every > 0 || !strings.HasPrefix(condition, "every ") {
		did += ", " + condition
	}
	if meaning != "" {
		did += " (" + meaning + ")"
	}
	return did
}

// faulted says what a fault did: 429 once, your fault on vr_completed.
func (c Causes) faulted(e *journal.Entry, did string) string {
	f := c.Fault(e)
	if f == nil {
		return did + ", your fault " + e.Scenario + ", which is gone"
	}
	condition, effect, _ := strings.Cut(f.Rule.String(), ": ")
	condition, _, _ = strings.Cut(condition, ", ")
	if e.Fault == "" && e.Status < 400 {
		did = effect
	}
	if f.Rule.Times == 1 {
		did += " once"
	} else if f.Rule.Times > 1 {
		did += fmt.Sprintf(" %d times", f.Rule.Times)
	}
	return did + ", your fault on " + cmp.Or(f.Resource, condition)
}

// magicOf returns the magic value that led to a scenario, else its name.
func magicOf(s *scenarios.Scenario, e *journal.Entry) string {
	_, id, _ := PartsOf(e)
	for _, magic := range s.MagicValues() {
		switch {
		case magic.Value == id:
			return id
		case magic.Kind == scenarios.SSN && magic.Value != string(scenarios.AnySSN) && e.Operation == "createCredentialsSession":
			return "SSN " + magic.Value
		}
	}
	return "the scenario " + s.Name
}

// answered returns the message of an answer that is an error, "" for none.
func answered(e *journal.Entry) string {
	var body struct{ Error api.ErrorMessage }
	if e.Status >= 400 && e.Response() != nil && json.Unmarshal([]byte(RawBody(e.Response())), &body) == nil {
		return strings.TrimSuffix(body.Error.Message, ".")
	}
	return ""
}

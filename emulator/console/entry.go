package console

import (
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// entryView is a request and its answer, side by side.
type entryView struct {
	*journal.Entry
	Why        why
	Curl       curl
	Resource   string // the page of the resource that was asked for
	ScenarioAt string // the page of the scenario, or of the fault; "" when there is none
	RuleAt     string
	Newer      string // entries' ids; "" at the ends
	Older      string
}

// showEntry shows a request and its answer whole; stream, which is in the place of an id, sends those to come, and clear
// asks whether to forget them.
func showEntry(x *exchange) (answer, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	id := x.param("entry")
	switch {
	case id == "clear":
		return askFirst(x)
	case !x.Journal.On():
		return nil, journal.ErrOff
	case id == "stream":
		return streamJournal(x)
	}
	entries, _, err := x.Journal.Read(x.context(), x.world.Journal())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(entries, func(e *journal.Entry) bool { return e.ID == id })
	if i < 0 {
		return nil, x.NoEntry(id)
	}
	e := entries[i]
	view := entryView{Entry: e, Why: whyOf(e), Curl: x.curl(e), Resource: x.resourceAsked(e.Path)}
	if i > 0 {
		view.Older = entries[i-1].ID
	}
	if i+1 < len(entries) {
		view.Newer = entries[i+1].ID
	}
	switch {
	case x.world.Catalogue().ByName(e.Scenario) != nil:
		view.ScenarioAt = link("catalogue", e.Scenario) + "?world=" + x.world.ID
		if parts := strings.Split(e.Rule, ":"); len(parts) >= 3 {
			view.RuleAt = view.ScenarioAt + "#rule-" + parts[len(parts)-2]
		}
	case strings.HasPrefix(e.Scenario, "fault-"):
		view.ScenarioAt = x.here("faults") + "#" + e.Scenario
	}
	return page{name: "entry", title: e.Method + " " + e.Path, data: view}, nil
}

// bodyText returns a body for people.
func bodyText(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return indented(b.JSON)
}

// resourceAsked returns the page of the resource that a path leads to, "" when it leads to none.
func (x *exchange) resourceAsked(path string) string {
	kind, id, _ := strings.Cut(strings.Trim(path, "/"), "/")
	id = strings.TrimSuffix(id, "/cancel")
	if id == "" || kind == "credentials" || strings.Contains(id, "/") {
		return ""
	}
	return x.here(kind, id)
}

// bytesOf writes a size for people.
func bytesOf(size int64) string {
	if size < 1<<10 {
		return strconv.FormatInt(size, 10) + " B"
	}
	return strconv.FormatFloat(float64(size)/(1<<10), 'f', 1, 64) + " kB"
}

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

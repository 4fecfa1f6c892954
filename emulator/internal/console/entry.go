package console

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
)

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
	id := x.param("entry")
	switch id {
	case "clear":
		return askFirst(x)
	case "stream":
		return streamJournal(x)
	}
	entries, _, err := x.world.JournalEntries(x.context())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(entries, func(e *journal.Entry) bool { return e.ID == id })
	if i < 0 {
		return nil, x.world.EntryUnknown(id)
	}
	e := entries[i]
	view := entryView{Entry: e, Why: whyOf(e), Curl: x.curl(e), Resource: x.resourceAsked(e)}
	if i > 0 {
		view.Older = entries[i-1].ID
	}
	if i+1 < len(entries) {
		view.Newer = entries[i+1].ID
	}
	catalogue, _, err := x.world.Catalogue(x.context())
	switch {
	case err != nil:
		return nil, err
	case catalogue.ByName(e.Scenario) != nil:
		view.ScenarioAt = link("catalogue", e.Scenario) + "?world=" + x.status.ID
		if parts := strings.Split(e.Rule, ":"); len(parts) >= 3 {
			view.RuleAt = view.ScenarioAt + "#rule-" + parts[len(parts)-2]
		}
	case strings.HasPrefix(e.Scenario, "fault-"):
		view.ScenarioAt = x.here("faults") + "#" + e.Scenario
	}
	return page{name: "entry", title: e.Method + " " + e.Path, data: view}, nil
}

func bodyText(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return indented(b.JSON)
}

// resourceAsked returns the page of the resource that an entry's path leads to, "" when it leads to none.
func (x *exchange) resourceAsked(e *journal.Entry) string {
	kind, id, _ := partsOf(e)
	if id == "" || strings.Contains(id, "/") {
		return ""
	}
	return x.here(strings.Trim(kind, "/"), id)
}

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

type curl struct {
	Command string
	Key     string   // stands for the one that no journal has
	Unlike  []string // says what of it is not as it was sent
}

// curl returns an entry as a command that leads to the same operation and id. What the journal does not keep has a place
// in it, and is said.
func (x *exchange) curl(e *journal.Entry) curl {
	c := curl{Key: x.Key("YOUR-KEY")}
	command := "curl "
	if strings.ContainsAny(e.Query, "[]{}") {
		command += "--globoff "
	}
	if _, id, _ := partsOf(e); id == "." || id == ".." {
		command += "--path-as-is "
	}
	words := []string{command + "-X " + shellQuote(e.Method) + " " + shellQuote(x.baseURL()+c.target(e)),
		"-H " + shellQuote("Authorization: Bearer "+c.Key)}
	typed := false
	for _, h := range e.Headers {
		switch {
		case h.Name == "User-Agent":
		case h.Value == "":
			words = append(words, "-H "+shellQuote(h.Name+";"))
		default:
			words = append(words, "-H "+shellQuote(h.Name+": "+c.kept("A header", h.Value)))
		}
		typed = typed || h.Name == "Content-Type"
	}
	if body := e.Request(); body != nil {
		if !typed {
			words = append(words, "-H 'Content-Type:'") // lest curl sends one of its own
		}
		words = append(words, c.body(body))
	}
	c.Command = strings.Join(words, " \\\n  ")
	return c
}

// target returns the path and the query. The journal has the path decoded: whatever is in the id is one part of it.
func (c *curl) target(e *journal.Entry) string {
	kind, id, rest := partsOf(e)
	target := kind + url.PathEscape(c.kept("The path", id)) + rest
	if e.Query != "" {
		target += "?" + c.kept("The query", e.Query)
	}
	return target
}

// partsOf cuts an entry's path at its id: what is before it, the id as a client means it, and what is behind it.
func partsOf(e *journal.Entry) (kind, id, rest string) {
	path := e.Path
	if trimmed := strings.TrimSuffix(path, "/"); trimmed != path {
		path, rest = trimmed, "/"
	}
	if e.Operation == "cancelVerificationRequest" {
		if trimmed, ok := strings.CutSuffix(path, "/cancel"); ok {
			path, rest = trimmed, "/cancel"+rest
		}
	}
	if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 && !strings.HasPrefix(path, "/credentials/") {
		return path[:i+2], path[i+2:], rest
	}
	return path, "", rest
}

// body returns the option with a request's body: what is not kept whole, or not text, is left to a file.
func (c *curl) body(b *journal.Body) string {
	text := string(b.JSON)
	if b.Text != nil {
		text = *b.Text
	}
	switch {
	case b.Truncated:
		c.unlike(fmt.Sprintf("Of the body, %s, only the beginning is kept: put the whole of it into a file named body.", bytesOf(b.Size)))
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		c.unlike("The body is no text that goes into a command: put it into a file named body.")
	default:
		return "--data-raw " + shellQuote(c.kept("The body", text))
	}
	return "--data-binary @body"
}

// What the journal puts in the place of social security numbers, and of keys and longer rows of digits.
var (
	maskedNumber = regexp.MustCompile(`\*\*\*-\*\*-([0-9]{4})`)
	masked       = regexp.MustCompile(`\*{3}|###|(?:%23){3}`)
)

// kept returns a part of the request as the journal has it, with a number in the place of a masked one that no person has,
// and says so.
func (c *curl) kept(part, text string) string {
	numbered := maskedNumber.ReplaceAllString(text, "000-00-$1")
	switch {
	case numbered != text:
		c.unlike(part + " had a social security number, of which the last four digits are kept: 000-00- stands before them, which is right for test people only.")
	case masked.MatchString(text):
		c.unlike(part + " had what the journal does not keep, such as a key or a long number: put it in the place of *** or ###.")
	}
	if len(text) > 1<<10 && strings.HasSuffix(text, "...") {
		c.unlike(part + " was longer, and only the beginning is kept.")
	}
	return numbered
}

// unlike says what is not as it was sent, once.
func (c *curl) unlike(what string) {
	if !slices.Contains(c.Unlike, what) {
		c.Unlike = append(c.Unlike, what)
	}
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

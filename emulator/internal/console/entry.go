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
	Why        reason
	Curl       curl
	Resource   string // the page of the requested resource
	ScenarioAt string // the page of the scenario or fault; "": none
	RuleAt     string
	Newer      string // entries' ids; "" at the ends
	Older      string
}

// showEntry shows a request and its answer whole. For the id stream it streams new requests; for clear it asks for
// confirmation.
func showEntry(x *exchange) (answer, error) {
	id := x.param("entry")
	switch id {
	case "clear":
		return confirm(x)
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
	view := entryView{Entry: e, Why: reasonOf(e), Curl: x.curl(e), Resource: x.resourceLink(e)}
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

// resourceLink returns the page of the resource in an entry's path, "" when there is none.
func (x *exchange) resourceLink(e *journal.Entry) string {
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
	r := reason{Cause: decision(e), Plain: e.Fault == "" && !refused}
	if refused && len(notes) > 0 && !strings.HasPrefix(notes[0], unversioned) {
		r.Cause, notes = notes[0], notes[1:]
	}
	slices.Reverse(notes)
	r.Also = notes
	return r
}

// Sentence returns the cause as a sentence.
func (r reason) Sentence() string {
	sentence := strings.ToUpper(r.Cause[:1]) + r.Cause[1:]
	if !strings.HasSuffix(sentence, "?") {
		sentence += "."
	}
	return sentence
}

// brief returns cause and findings in a line: of a plain answer only the findings, shortened.
func (r reason) brief() string {
	also := slices.Clone(r.Also)
	for i, note := range also {
		if strings.HasPrefix(note, unversioned) {
			also[i] = unversioned
		}
	}
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

type curl struct {
	Command string
	Key     string   // a placeholder
	Unlike  []string // differences from the request that came
}

// curl returns a command that sends an entry's request again, with placeholders for what the journal does not have.
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
			words = append(words, "-H "+shellQuote(h.Name+": "+c.recorded("A header", h.Value)))
		}
		typed = typed || h.Name == "Content-Type"
	}
	if body := e.Request(); body != nil {
		if !typed {
			words = append(words, "-H 'Content-Type:'") // or curl would send its own
		}
		words = append(words, c.body(body))
	}
	c.Command = strings.Join(words, " \\\n  ")
	return c
}

// target returns the path and the query. The path of an entry is decoded: its id is escaped again as one segment.
func (c *curl) target(e *journal.Entry) string {
	kind, id, rest := partsOf(e)
	target := kind + url.PathEscape(c.recorded("The path", id)) + rest
	if e.Query != "" {
		target += "?" + c.recorded("The query", e.Query)
	}
	return target
}

// partsOf splits an entry's path into the part before the id, the id, and the part after it.
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

// body returns the option with a request's body. A truncated or binary body must come from a file.
func (c *curl) body(b *journal.Body) string {
	text := string(b.JSON)
	if b.Text != nil {
		text = *b.Text
	}
	switch {
	case b.Truncated:
		c.unlike(fmt.Sprintf("Only the beginning of the body, %s, is recorded: put the whole body into a file named body.", bytesOf(b.Size)))
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		c.unlike("The body is not text: put it into a file named body.")
	default:
		return "--data-raw " + shellQuote(c.recorded("The body", text))
	}
	return "--data-binary @body"
}

// The journal's masks of social security numbers, and of keys and longer numbers.
var (
	maskedNumber = regexp.MustCompile(`\*\*\*-\*\*-([0-9]{4})`)
	masked       = regexp.MustCompile(`\*{3}|###|(?:%23){3}`)
)

// recorded returns a recorded part of the request, and adds its differences from the sent one. It replaces masked social
// security numbers by valid ones that no person has.
func (c *curl) recorded(part, text string) string {
	numbered := maskedNumber.ReplaceAllString(text, "000-00-$1")
	switch {
	case numbered != text:
		c.unlike(part + " had a social security number, of which the last four digits are recorded: 000-00- before them is valid for test people only.")
	case masked.MatchString(text):
		c.unlike(part + " had a secret that the journal does not have, such as a key or a long number: put it in place of *** or ###.")
	}
	if len(text) > 1<<10 && strings.HasSuffix(text, "...") {
		c.unlike(part + " was longer: only the beginning is recorded.")
	}
	return numbered
}

// unlike adds a difference, once.
func (c *curl) unlike(what string) {
	if !slices.Contains(c.Unlike, what) {
		c.Unlike = append(c.Unlike, what)
	}
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

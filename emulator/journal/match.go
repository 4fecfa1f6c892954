package journal

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Match says what a request must be to count. What is left out may be anything. An entry has no secrets, and what it is
// compared with is compared without them too: of a social security number the last four digits.
type Match struct {
	Method  string          `json:"method"`
	Path    *Text           `json:"path"`
	Query   map[string]Text `json:"query"`   // by the parameter's name; the first of several values
	Headers map[string]Text `json:"headers"` // by a name of [Headers]
	Status  *Status         `json:"status"`
	Body    *JSON           `json:"body"`
}

// Text says what a text must be: on the wire a string, which it must equal, or an object of these.
type Text struct {
	Equals   *string  `json:"equals"`
	Contains *string  `json:"contains"`
	Matches  *Pattern `json:"matches"`
	Absent   bool     `json:"absent"`
}

// Is returns what only one text meets.
func Is(text string) *Text { return &Text{Equals: &text} }

// Like returns what the texts meet in which a regular expression finds something. It panics on one that is malformed.
func Like(expression string) *Text {
	return &Text{Matches: &Pattern{regexp.MustCompile(expression)}}
}

// UnmarshalJSONFrom reads a string or an object.
func (t *Text) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() == '"' {
		t.Equals = new("")
		return json.UnmarshalDecode(in, t.Equals)
	}
	type plain Text
	return json.UnmarshalDecode(in, (*plain)(t))
}

// isAbsent says of something that should be there that it is not.
const isAbsent = " is absent"

// text compares a text that has a name.
func (c *comparison) text(want Text, name, text string, present bool) {
	switch {
	case c.over() || want.Absent && !present:
	case want.Absent:
		c.differ("%s is %s, not absent", name, api.Quote(text))
	case !present:
		c.differ("%s%s", name, isAbsent)
	case want.Equals != nil && api.Mask(*want.Equals) != text:
		c.differ("%s is %s, not %s", name, api.Quote(text), api.Quote(*want.Equals))
	case want.Contains != nil && !strings.Contains(text, api.Mask(*want.Contains)):
		c.differ("%s is %s, without %s", name, api.Quote(text), api.Quote(*want.Contains))
	case want.Matches != nil && !want.Matches.MatchString(text):
		c.differ("%s is %s, which does not match %s", name, api.Quote(text), api.Quote(want.Matches.String()))
	}
}

// Pattern is a regular expression, as Go's package regexp has them. It has at most 4096 bytes and compiles to at most 5000
// instructions: what a match takes is in proportion to these and to the text, which is at most a body of [MaxBody] bytes.
type Pattern struct{ *regexp.Regexp }

const (
	maxPattern      = 4096 // bytes
	maxInstructions = 5000 // of the compiled program
)

// UnmarshalText reads a regular expression.
func (p *Pattern) UnmarshalText(text []byte) error {
	if len(text) > maxPattern {
		return fmt.Errorf("is longer than %d bytes, which is the most of a regular expression", maxPattern)
	}
	parsed, err := syntax.Parse(string(text), syntax.Perl)
	if err != nil {
		return fmt.Errorf("is not a regular expression: %w", err)
	}
	if program, err := syntax.Compile(parsed.Simplify()); err != nil || len(program.Inst) > maxInstructions {
		return errors.New("repeats too much, and would take too long: write smaller numbers into its {n,m}")
	}
	p.Regexp, err = regexp.Compile(string(text))
	return err
}

// UnmarshalJSONFrom reads a number or a string.
func (s *Status) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	*s, err = ParseStatus(strings.Trim(string(value), `"`))
	return err
}

// Check returns an error for what no request can be, and for what says nothing.
func (m Match) Check() error {
	if err := checkMethod(m.Method); err != nil {
		return err
	}
	if m.Path != nil && m.Path.anything() { // each request has one
		return saysNothing("path", "a text, ")
	}
	if m.Path != nil && m.Path.Equals != nil {
		if err := checkPath(*m.Path.Equals); err != nil {
			return fmt.Errorf("path %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		if m.Query[name] == (Text{}) {
			return saysNothing("query."+name, "a text, ")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if m.Headers[name] == (Text{}) {
			return saysNothing("headers."+name, "a text, ")
		}
		if !slices.ContainsFunc(headers, func(recorded string) bool { return strings.EqualFold(recorded, name) }) {
			return fmt.Errorf("the journal has no header %s: it has %s", api.Quote(name), strings.Join(headers, ", "))
		}
	}
	if b := m.Body; b != nil && b.Equals == nil && b.Contains == nil && len(b.Matches) == 0 && len(b.Absent) == 0 {
		return saysNothing("body", "")
	}
	return nil
}

func saysNothing(name, text string) error {
	return fmt.Errorf(`%s says nothing: give it %s"equals", "contains", "matches" or "absent", or leave it out`, name, text)
}

// anything reports whether all texts are like this.
func (t Text) anything() bool {
	return t.Equals == nil && (t.Contains == nil || *t.Contains == "") && (t.Matches == nil || t.Matches.String() == "")
}

func checkMethod(method string) error {
	if method == "" || slices.Contains(methods, strings.ToUpper(method)) {
		return nil
	}
	message := "no operation is asked with the method " + api.Quote(method)
	return errors.New(message + api.DidYouMean(method, methods, ": it is one of "+strings.Join(methods, ", ")))
}

// entry compares an entry.
func (c *comparison) entry(m Match, e *Entry) {
	if m.Method != "" && !strings.EqualFold(m.Method, e.Method) {
		c.differ("method is %s, not %s", e.Method, api.Quote(m.Method))
	}
	if m.Path != nil { // a trailing slash makes no difference to the service
		path := *m.Path
		if path.Equals != nil {
			path.Equals = new(withoutSlash(*path.Equals))
		}
		c.text(path, "path", withoutSlash(e.Path), true)
	}
	query, _ := url.ParseQuery(e.Query) // what cannot be read is not there
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		c.text(m.Query[name], "query."+name, query.Get(name), query.Has(name))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		value, present := e.header(name)
		c.text(m.Headers[name], "header "+name, value, present)
	}
	if m.Status != nil && !m.Status.holds(e.Status) {
		c.differ("status is %d, not %s", e.Status, m.Status)
	}
	if m.Body != nil {
		c.body(*m.Body, e.request)
	}
}

func (e *Entry) header(name string) (value string, present bool) {
	for _, h := range e.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

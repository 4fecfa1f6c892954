package journal

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
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

// difference says how a text is not what is wanted, "" when it is. name is what the text is called.
func (t Text) difference(name, text string, present bool) string {
	shown := "is " + api.Quote(text)
	switch {
	case t.Absent && !present:
		return ""
	case t.Absent:
		return name + " " + shown + ", not absent"
	case !present:
		return name + isAbsent
	case t.Equals != nil && api.Mask(*t.Equals) != text:
		return name + " " + shown + ", not " + api.Quote(*t.Equals)
	case t.Contains != nil && !strings.Contains(text, api.Mask(*t.Contains)):
		return name + " " + shown + ", without " + api.Quote(*t.Contains)
	case t.Matches != nil && !t.Matches.MatchString(text):
		return name + " " + shown + ", which does not match " + api.Quote(t.Matches.String())
	}
	return ""
}

// Pattern is a regular expression, as Go's package regexp has them.
type Pattern struct{ *regexp.Regexp }

// longestPattern is how long a regular expression may be, in bytes: every request of a journal is held against it.
const longestPattern = 4096

// UnmarshalText reads a regular expression.
func (p *Pattern) UnmarshalText(text []byte) error {
	if len(text) > longestPattern {
		return fmt.Errorf("is longer than %d bytes, which is the most of a regular expression", longestPattern)
	}
	compiled, err := regexp.Compile(string(text))
	if err != nil {
		return fmt.Errorf("is not a regular expression: %w", err)
	}
	p.Regexp = compiled
	return nil
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
	if m.Path != nil && m.Path.anywhere() { // each request has one
		return saysNothing("path")
	}
	if m.Path != nil && m.Path.Equals != nil {
		if err := checkPath(*m.Path.Equals); err != nil {
			return fmt.Errorf("path %w", err)
		}
	}
	for _, part := range []struct {
		name  string
		texts map[string]Text
	}{{"query", m.Query}, {"headers", m.Headers}} {
		for _, name := range slices.Sorted(maps.Keys(part.texts)) {
			if part.texts[name].empty() {
				return saysNothing(part.name + "." + name)
			}
		}
	}
	if m.Body != nil && m.Body.empty() {
		return fmt.Errorf(`body says nothing: give it "equals", "contains", "matches" or "absent", or leave it out`)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if !slices.ContainsFunc(headers, func(kept string) bool { return strings.EqualFold(kept, name) }) {
			return fmt.Errorf("the journal has no header %s: it has %s", api.Quote(name), strings.Join(headers, ", "))
		}
	}
	return nil
}

// checkMethod returns an error for a method with which no operation is asked.
func checkMethod(method string) error {
	if method == "" || slices.Contains(methods, strings.ToUpper(method)) {
		return nil
	}
	message := "no operation is asked with the method " + api.Quote(method)
	if nearest, ok := api.Nearest(method, methods); ok {
		return fmt.Errorf("%s: did you mean %s?", message, nearest)
	}
	return fmt.Errorf("%s: it is one of %s", message, strings.Join(methods, ", "))
}

func saysNothing(name string) error {
	return fmt.Errorf(`%s says nothing: give it a text, "equals", "contains", "matches" or "absent", or leave it out`, name)
}

// empty reports whether any text will do, and none.
func (t Text) empty() bool { return t == Text{} }

// anywhere reports whether any text will do that is there: "" is in each, and found by the expression of that.
func (t Text) anywhere() bool {
	return t.Equals == nil && (t.Contains == nil || *t.Contains == "") && (t.Matches == nil || t.Matches.String() == "")
}

// empty reports whether any body will do, and none.
func (j JSON) empty() bool {
	return j.Equals == nil && j.Contains == nil && len(j.Matches) == 0 && len(j.Absent) == 0
}

// differences says how an entry is not what is wanted: nothing when it is.
func (m Match) differences(e *Entry) (all []string) {
	add := func(difference string) {
		if difference != "" {
			all = append(all, difference)
		}
	}
	if m.Method != "" && !strings.EqualFold(m.Method, e.Method) {
		add("method is " + e.Method + ", not " + api.Quote(m.Method))
	}
	if m.Path != nil {
		add(m.pathDifference(e.Path))
	}
	query, _ := url.ParseQuery(e.Query) // what cannot be read is not there
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		add(m.Query[name].difference("query."+name, query.Get(name), query.Has(name)))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		value, present := e.header(name)
		add(m.Headers[name].difference("header "+name, value, present))
	}
	if m.Status != nil && !m.Status.holds(e.Status) {
		add(fmt.Sprintf("status is %d, not %s", e.Status, m.Status))
	}
	if m.Body != nil {
		all = append(all, m.Body.differences(e.request)...)
	}
	return all
}

// pathDifference lets a trailing slash pass, as the service does.
func (m Match) pathDifference(asked string) string {
	wanted := *m.Path
	if wanted.Equals != nil {
		wanted.Equals = new(samePath(*wanted.Equals))
	}
	return wanted.difference("path", samePath(asked), true)
}

func (e *Entry) header(name string) (value string, present bool) {
	for _, h := range e.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

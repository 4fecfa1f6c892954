package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Expectation is how often something should have been asked.
type Expectation struct {
	Operation string `json:"operation"` // "" for any
	Match     Match  `json:"match"`
	Times     Times  `json:"times"`
}

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

// JSON says what a body must be. All that is said must hold.
type JSON struct {
	Equals   any                `json:"equals"`   // the whole of it, whatever the order of its keys
	Contains any                `json:"contains"` // a part of it: an object has these keys and may have more, an array these elements
	Matches  map[string]Pattern `json:"matches"`  // regular expressions, by the path of the value that they match
	Absent   []string           `json:"absent"`   // paths where nothing is, or null
}

// Is returns what only one text meets.
func Is(text string) *Text { return &Text{Equals: &text} }

// Like returns what the texts meet in which a regular expression finds something. It panics on one that is malformed.
func Like(expression string) *Text {
	return &Text{Matches: &Pattern{regexp.MustCompile(expression)}}
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

// UnmarshalJSONFrom reads a string or an object.
func (t *Text) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() == '"' {
		t.Equals = new("")
		return json.UnmarshalDecode(in, t.Equals)
	}
	type plain Text
	return json.UnmarshalDecode(in, (*plain)(t))
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

// UnmarshalJSONFrom reads an expectation in which null stands only within a body that is compared, and "" where it is a
// text that is compared.
func (x *Expectation) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	text, err := in.ReadValue()
	if err != nil {
		return err
	}
	tokens := jsontext.NewDecoder(bytes.NewReader(text))
	for token, err := tokens.ReadToken(); err == nil; token, err = tokens.ReadToken() {
		path := strings.ReplaceAll(strings.TrimPrefix(string(tokens.StackPointer()), "/"), "/", ".")
		null := token.Kind() == 'n' && !strings.HasPrefix(path, "match.body.equals.") && !strings.HasPrefix(path, "match.body.contains.")
		if null || token.Kind() == '"' && token.String() == "" && (path == "operation" || path == "match.method") {
			return fmt.Errorf("%s is %s, which says nothing: leave it out, or say what must be there; that nothing is there is absent",
				path, cmp.Or(token.String(), `""`))
		}
	}
	type plain Expectation
	return json.Unmarshal(text, (*plain)(x), in.Options())
}

// Check returns an error for what can never be: for what no request can be, or that says nothing, and for numbers that
// exclude each other.
func (x Expectation) Check() error {
	m, t := x.Match, x.Times
	if m.Method != "" && !slices.Contains(methods, strings.ToUpper(m.Method)) {
		return errors.New("no operation is asked with the method " + api.Quote(m.Method) +
			api.DidYouMean(m.Method, methods, ": it is one of "+strings.Join(methods, ", ")))
	}
	if p := m.Path; p != nil {
		if p.Equals == nil && (p.Contains == nil || *p.Contains == "") && (p.Matches == nil || p.Matches.String() == "") { // each request has one
			return saysNothing("path", "a text, ")
		}
		if p.Equals != nil {
			if err := checkPath(*p.Equals); err != nil {
				return fmt.Errorf("path %w", err)
			}
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
	if least, most := t.bounds(); t.Exactly != nil && (t.AtLeast != nil || t.AtMost != nil) || least < 0 || least > most {
		return errors.New(`times is {"exactly":n}, or at_least, at_most or both, which are not negative and in this order`)
	}
	return nil
}

func saysNothing(name, text string) error {
	return fmt.Errorf(`%s says nothing: give it %s"equals", "contains", "matches" or "absent", or leave it out`, name, text)
}

package query

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Expectation says how often a matching request, or webhook, should have been sent.
type Expectation struct {
	Kind      journal.Kind `json:"kind"`      // "" is journal.KindRequest
	Operation string       `json:"operation"` // "" for any
	Match     Match        `json:"match"`
	Times     Times        `json:"times"`
}

// Match selects requests. An empty field matches all. Because an entry is masked, what it is compared with is masked too: of a
// social security number the last four digits count.
type Match struct {
	Method  string                 `json:"method"`
	Path    *TextMatcher           `json:"path"`
	Query   map[string]TextMatcher `json:"query"`   // by parameter, of which the first value counts
	Headers map[string]TextMatcher `json:"headers"` // by a name of [journal.Headers]
	Status  Status                 `json:"status"`
	Body    *BodyMatcher           `json:"body"`
}

// TextMatcher matches a text. Its JSON is an object of these keys, or a string for Equals.
type TextMatcher struct {
	Equals   *string  `json:"equals"`
	Contains *string  `json:"contains"`
	Matches  *Pattern `json:"matches"`
	Absent   bool     `json:"absent"`
}

// BodyMatcher matches a JSON body that meets all of its fields.
type BodyMatcher struct {
	Equals   any                `json:"equals"`   // the whole body; the order of keys makes no difference
	Contains any                `json:"contains"` // a part: an object has these keys and may have more, an array these elements
	Matches  map[string]Pattern `json:"matches"`  // by path
	Absent   []string           `json:"absent"`   // paths without a value, or with null
}

// Matching returns a TextMatcher for a regular expression. It panics if that is malformed.
func Matching(expression string) *TextMatcher {
	return &TextMatcher{Matches: &Pattern{Regexp: regexp.MustCompile(expression)}}
}

// Pattern is a regular expression in the syntax of package regexp, with at most 4096 bytes and 5000 compiled instructions. The
// time of a match is proportional to these and to the text, at most [journal.MaxBody] bytes.
type Pattern struct{ *regexp.Regexp }

const (
	maxPattern      = 4096 // bytes
	maxInstructions = 5000 // of the compiled program
)

// UnmarshalText parses a regular expression.
func (p *Pattern) UnmarshalText(text []byte) error {
	if len(text) > maxPattern {
		return fmt.Errorf("is longer than %d bytes, the limit of a regular expression", maxPattern)
	}
	parsed, err := syntax.Parse(string(text), syntax.Perl)
	if err != nil {
		return fmt.Errorf("is not a regular expression: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxInstructions {
		return errors.New("is too expensive to match: use smaller repetition counts {n,m}")
	}
	p.Regexp, err = regexp.Compile(string(text))
	return err
}

// UnmarshalJSONFrom reads a string or an object.
func (t *TextMatcher) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() == '"' {
		t.Equals = new("")
		return json.UnmarshalDecode(in, t.Equals)
	}
	type plain TextMatcher
	return json.UnmarshalDecode(in, (*plain)(t))
}

// maxDepth is the depth of an expectation outside the values of a body.
const maxDepth = 4

// UnmarshalJSONFrom reads an expectation. It refuses null outside the values of a body, and an empty operation, method or status.
func (x *Expectation) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	text, err := in.ReadValue()
	if err != nil {
		return err
	}
	tokens := jsontext.NewDecoder(bytes.NewReader(text))
	for token, err := tokens.ReadToken(); err == nil; token, err = tokens.ReadToken() {
		if tokens.StackDepth() > maxDepth { // its path takes long
			continue
		}
		path := strings.ReplaceAll(strings.TrimPrefix(string(tokens.StackPointer()), "/"), "/", ".")
		null := token.Kind() == 'n' && !strings.HasPrefix(path, "match.body.equals.") && !strings.HasPrefix(path, "match.body.contains.")
		if null || token.Kind() == '"' && token.String() == "" && (path == "kind" || path == "operation" || path == "match.method" || path == "match.status") {
			return fmt.Errorf("%s is %s: give it a value, or omit it",
				path, cmp.Or(token.String(), `""`))
		}
	}
	type plain Expectation
	err = json.Unmarshal(text, (*plain)(x), in.Options())
	if unknown := (*json.SemanticError)(nil); errors.As(err, &unknown) && errors.Is(unknown.Err, json.ErrUnknownName) {
		return misplaced(unknown)
	}
	return err
}

// misplaced says of an unknown key of an expectation where it belongs, if it does.
func misplaced(unknown *json.SemanticError) error {
	name := unknown.JSONPointer.LastToken()
	for field := range reflect.TypeFor[Expectation]().Fields() {
		if field.Type.Kind() != reflect.Struct {
			continue
		}
		for inner := range field.Type.Fields() {
			if within := field.Tag.Get("json"); inner.Tag.Get("json") == name {
				return &json.SemanticError{JSONPointer: unknown.JSONPointer, Err: fmt.Errorf("must be in %s: {%q:{%q:...}}", within, within, name)}
			}
		}
	}
	return unknown
}

// check returns the names of the operations whose requests can match, for webhooks "". It refuses with 400 an expectation that no request can
// meet, an empty matcher, and contradictory times.
func (x Expectation) check() (names []string, err error) {
	m, t := x.Match, x.Times
	webhook := x.Kind == journal.KindWebhook
	operations, err := ofKind(x.Kind, x.Operation)
	if err == nil && !webhook && m.Method != "" {
		methods := journal.MethodsOf(api.Operations())
		err = operations.narrow("the method "+api.Quote(m.Method),
			"No operation has the method "+api.Quote(m.Method)+api.DidYouMean(m.Method, methods, ": it is one of "+strings.Join(methods, ", ")),
			func(o api.Operation) bool { return strings.EqualFold(o.Method, m.Method) })
	}
	if err == nil && m.Path != nil {
		err = m.Path.checkPath(&operations, webhook)
	}
	if err == nil {
		err = m.Status.Check()
	}
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		if m.Query[name] == (TextMatcher{}) {
			return nil, errEmpty("query."+name, textMatchers)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if m.Headers[name] == (TextMatcher{}) {
			return nil, errEmpty("headers."+name, textMatchers)
		}
		if !webhook && !slices.ContainsFunc(journal.Headers(), func(recorded string) bool { return strings.EqualFold(recorded, name) }) {
			return nil, invalid("The journal does not record the header " + api.Quote(name) + ": it records " + strings.Join(journal.Headers(), ", "))
		}
	}
	if b := m.Body; b != nil && b.Equals == nil && b.Contains == nil && len(b.Matches) == 0 && len(b.Absent) == 0 {
		return nil, errEmpty("body", `"equals", "contains", "matches" or "absent"`)
	}
	if least, most := t.bounds(); t.Exactly != nil && (t.AtLeast != nil || t.AtMost != nil) || least < 0 || least > most {
		return nil, invalid("The times are exactly n, at_least n, at_most n, or at_least n and at_most m, where 0 <= n <= m")
	}
	if webhook {
		return []string{""}, nil
	}
	return journal.NamesOf(operations.left), nil
}

// checkPath narrows to the operations with a path that the matcher matches. It refuses one that matches every path. The path of
// a webhook is any URL.
func (t TextMatcher) checkPath(operations *possible, webhook bool) (err error) {
	if t.Equals == nil && (t.Contains == nil || *t.Contains == "") && (t.Matches == nil || t.Matches.String() == "") { // every request has a path
		return errEmpty("path", `a text, "equals", "contains" or "matches"`)
	}
	if t.Equals != nil && !webhook { // contains and matches may be of an id, which may be any text
		if err = checkPath(*t.Equals); err == nil {
			err = operations.path(*t.Equals, func(sent, segment string) bool { return sent == segment })
		}
	}
	return err
}

const textMatchers = `a text, "equals", "contains", "matches" or "absent"`

func errEmpty(name, matchers string) error {
	return invalid("The matcher of " + name + " is empty: give it " + matchers + ", or omit it")
}

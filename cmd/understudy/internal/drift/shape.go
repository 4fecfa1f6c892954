package drift

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// shape has, for each documented path of a body, how often each kind of value is there: null, object, array, boolean, integer,
// number, or the form of a string.
type shape map[string]map[string]int

// newShape returns the shape of a body, and where the body leaves the document.
func newShape(documented fields, value any, selected bool) (shape, []Finding) {
	r := &reader{documented, shape{}, selected, nil}
	r.read("", value)
	return r.shape, r.found
}

// reader reads a body.
type reader struct {
	documented fields
	shape      shape
	selected   bool // the query names the keys of the whole
	found      []Finding
}

func (r *reader) add(kind Kind, at, format string, args ...any) {
	if at == "" {
		at = "body"
	}
	r.found = append(r.found, Finding{Kind: kind, Path: at, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) read(at string, value any) {
	allowed, form, kind := r.documented[at], "", ""
	switch value := value.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "boolean"
	case string:
		kind, form = "string", formOf(value)
	case []any:
		kind = "array"
	case map[string]any:
		kind = "object"
	case json.Number:
		kind = "number"
		if !strings.ContainsAny(value.String(), ".eE") {
			kind = "integer"
		}
	}
	if form == "" {
		form = kind
	}
	if r.shape[at] == nil {
		r.shape[at] = make(map[string]int)
	}
	r.shape[at][form]++
	if !slices.Contains(allowed.types, kind) && !(kind == "integer" && slices.Contains(allowed.types, "number")) {
		r.add(Type, at, "%s, not %s", kind, strings.Join(allowed.types, " or "))
		return
	}
	switch value := value.(type) {
	case string:
		r.readText(at, form, value)
	case []any:
		for _, item := range value {
			r.read(join(at, "*"), item)
		}
	case map[string]any:
		r.readKeys(at, value)
	}
}

// word matches the values that a report shows at the path of an enumeration.
var word = expression(`^[a-z_-]{1,40}$`)

func (r *reader) readText(at, form, value string) {
	allowed := r.documented[at]
	switch {
	case allowed.words != nil && !slices.Contains(allowed.words, value) && word().MatchString(value):
		r.add(Enumeration, at, "%q is not in the enumeration", value)
	case allowed.words != nil && !slices.Contains(allowed.words, value):
		r.add(Enumeration, at, "a value that is not in the enumeration")
	case allowed.pattern != nil && !allowed.pattern.MatchString(value):
		r.add(Format, at, "%s, not %s", form, allowed.pattern)
	}
}

func (r *reader) readKeys(at string, object map[string]any) {
	for _, key := range r.documented[at].required {
		if _, ok := object[key]; !ok && !(r.selected && at == "") {
			r.add(MissingKey, join(at, key), "the document requires it")
		}
	}
	for key, value := range object {
		if below, documented := r.documented.step(at, key); documented {
			r.read(below, value)
		} else {
			r.add(UnknownKey, below, "not in the document")
		}
	}
}

// times returns how often there is a value at a path.
func (s shape) times(path string) (n int) {
	for _, count := range s[path] {
		n += count
	}
	return n
}

// merge adds another shape.
func (s shape) merge(other shape) {
	for path, kinds := range other {
		if s[path] == nil {
			s[path] = make(map[string]int)
		}
		for kind, n := range kinds {
			s[path][kind] += n
		}
	}
}

// expression returns a regular expression that is compiled at its first use: other commands start without it.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// forms are the kinds of a string, in the order in which they are tried.
var forms = []struct {
	name    string
	pattern func() *regexp.Regexp
}{
	{"an empty string", expression(`^$`)},
	{"a date", expression(`^\d{4}-\d\d-\d\d$`)},
	{"a date and time in UTC", expression(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d[Zz]$`)},
	{"a date and time in UTC with fractions of a second", expression(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d\.\d+[Zz]$`)},
	{"a date and time with an offset", expression(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:?\d\d$`)},
	{"a number with two decimals", expression(`^[+-]?\d+\.\d\d$`)},
	{"a number without decimals", expression(`^[+-]?\d+$`)},
	{"a number with other decimals", expression(`^[+-]?\d*\.\d*$`)},
	{"a text that is no number and no date", expression(``)},
}

// formOf returns the name of a text's form.
func formOf(text string) string {
	for _, f := range forms {
		if f.pattern().MatchString(text) {
			return f.name
		}
	}
	return ""
}

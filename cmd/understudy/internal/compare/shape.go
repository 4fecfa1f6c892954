package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
)

// shape has the kinds of values at each documented path of a body: null, object, array, boolean, integer, number, or the form
// of a text.
type shape map[string]map[string]bool

func (s shape) add(other shape) {
	for at, kinds := range other {
		if s[at] == nil {
			s[at] = make(map[string]bool)
		}
		maps.Copy(s[at], kinds)
	}
}

// reading is what a comparison has read from an answer.
type reading struct {
	documented document.Fields
	selected   bool // the query names the keys of the whole
	shape      shape
	found      map[Finding]bool
}

// read returns where an answer leaves the document, and the shape of its body, which is empty where it cannot be compared.
func (a answer) read(request Request) *reading {
	documented, ok := request.operation.Responses[a.status]
	r := &reading{documented.Body, request.query.Has("fields"), shape{}, make(map[Finding]bool)}
	if a.status == 0 {
		r.add("no answer", "body", "%s", a.problem)
		return r
	}
	if !ok {
		r.add("status", "status", "%d is not a status of %s", a.status, request.operation.ID)
		return r
	}
	r.readHeaders(a, documented.Headers)
	if a.problem != "" {
		r.add("body", "body", "%s", a.problem)
		return r
	}
	documented.Body.Walk("", a.value, r.read)
	return r
}

func (r *reading) add(kind, at, format string, args ...any) {
	if at == "" {
		at = "body"
	}
	r.found[Finding{kind, at, fmt.Sprintf(format, args...)}] = true
}

func (r *reading) readHeaders(a answer, documented map[string]document.Header) {
	at := func(name string) string { return "header." + strings.ToLower(name) }
	if mediaType, _, err := mime.ParseMediaType(a.header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		r.add("header", at("Content-Type"), "missing, or not application/json")
	}
	for name, allowed := range documented {
		switch text := a.header.Get(name); {
		case text == "" && allowed.Must:
			r.add("header", at(name), "missing")
		case text != "" && allowed.Integer && strings.Trim(text, "0123456789") != "":
			r.add("header", at(name), "not an integer")
		}
	}
}

// read reads a value of a body, and reports whether the document allows such a value.
func (r *reading) read(at string, value any) bool {
	allowed, kind := r.documented[at], kindOf(value)
	form := kind
	if text, ok := value.(string); ok {
		form = formOf(text)
	}
	r.shape.add(shape{at: {form: true}})
	if !slices.Contains(allowed.Types, kind) && !(kind == "integer" && slices.Contains(allowed.Types, "number")) {
		r.add("type", at, "%s, not %s", kind, strings.Join(allowed.Types, " or "))
		return false
	}
	switch value := value.(type) {
	case string:
		r.readText(at, form, value)
	case map[string]any:
		for _, key := range allowed.Required {
			if _, ok := value[key]; !ok && !(r.selected && at == "") {
				r.add("missing key", document.Join(at, key), "the document requires it")
			}
		}
		for key := range value {
			if r.documented.Below(at, key) != "" {
				continue
			}
			if !name().MatchString(key) {
				key = "(unnamed)"
			}
			r.add("unknown key", document.Join(at, key), "not in the document")
		}
	}
	return true
}

// name matches the keys that a report shows: none with a number as long as the last digits of a social security number.
var name = expression(`^[A-Za-z][A-Za-z_]{0,29}(_?[0-9]{1,2})?[A-Za-z_]{0,10}$`)

// word matches the values that a report shows at the path of an enumeration.
var word = expression(`^[a-z_-]{1,40}$`)

func (r *reading) readText(at, form, value string) {
	switch allowed := r.documented[at]; {
	case allowed.Words != nil && !slices.Contains(allowed.Words, value) && word().MatchString(value):
		r.add("enumeration", at, "%q is not in the enumeration", value)
	case allowed.Words != nil && !slices.Contains(allowed.Words, value):
		r.add("enumeration", at, "a value that is not in the enumeration")
	case allowed.Pattern != nil && !allowed.Pattern.MatchString(value):
		r.add("format", at, "%s, not %s", form, allowed.Pattern)
	}
}

// differs is the kind of what the document allows.
const differs = "differs from ours"

// differ adds where a body that the document may allow has other kinds of values than ours.
func (r *reading) differ(ours shape) {
	found := slices.Collect(maps.Keys(r.found))
	for path, kinds := range r.shape {
		mine := slices.Sorted(maps.Keys(ours[path]))
		if path == "" || slices.ContainsFunc(found, func(f Finding) bool { return path == f.Path || strings.HasPrefix(path, f.Path+".") }) {
			continue
		}
		for kind := range kinds {
			if len(mine) > 0 && !slices.Contains(mine, kind) {
				r.add(differs, path, "%s; ours is %s", kind, strings.Join(mine, ", or "))
			}
		}
		if r.selected && len(mine) == 0 && !strings.Contains(path, ".") {
			r.add(differs, path, "a key that ours does not have")
		}
	}
	for path := range ours {
		if r.selected && r.shape[path] == nil && !strings.Contains(path, ".") {
			r.add(differs, path, "missing; ours has it")
		}
	}
}

func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "object"
}

// forms are the kinds of a text, in the order in which they are tried.
var forms = []struct {
	name    string
	matches func() *regexp.Regexp
}{
	{"an empty text", expression(`^$`)},
	{"a date", expression(`^\d{4}-\d\d-\d\d$`)},
	{"a date and time in UTC", expression(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d[Zz]$`)},
	{"a date and time with fractions of a second or an offset", expression(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$`)},
	{"a number with two decimals", expression(`^[+-]?\d+\.\d\d$`)},
	{"a number without decimals", expression(`^[+-]?\d+$`)},
	{"a number with other decimals", expression(`^[+-]?\d*\.\d*$`)},
}

func formOf(text string) string {
	for _, form := range forms {
		if form.matches().MatchString(text) {
			return form.name
		}
	}
	return "a text that is no number and no date"
}

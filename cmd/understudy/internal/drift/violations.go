package drift

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// violations returns where an answer leaves the document. Messages are compared by differences, which has ours too.
func (a answer) violations(request Request) (found []Finding) {
	if a.status == 0 {
		return []Finding{{Kind: NoAnswer, Path: "body", Text: a.problem}}
	}
	documented := request.operation.responses[a.status]
	if documented == nil {
		text := fmt.Sprintf("%d is not a status of %s", a.status, request.operation.id)
		if a.status/100 == 3 {
			text += "; redirects are not followed"
		}
		return []Finding{{Kind: Status, Path: "status", Text: text}}
	}
	found = a.headerViolations(documented)
	if a.problem != "" {
		return append(found, Finding{Kind: Body, Path: "body", Text: a.problem})
	}
	against := documented.schema(request)
	if err := (*jsonschema.ValidationError)(nil); errors.As(against.Validate(a.value), &err) {
		found = append(found, against.findings(err)...)
	}
	return found
}

func (r *response) schema(request Request) *schema {
	if r.selected != nil && request.query.Has("fields") {
		return r.selected
	}
	return r.whole
}

func (a answer) headerViolations(documented *response) (found []Finding) {
	add := func(name, format string, args ...any) {
		found = append(found, Finding{Kind: Header, Path: headerPath(name), Text: fmt.Sprintf(format, args...)})
	}
	mediaType, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	switch {
	case len(a.header.Values("Content-Type")) == 0:
		add("Content-Type", "missing")
	case err != nil || !shownMediaType.MatchString(mediaType):
		add("Content-Type", "a value that is not application/json")
	case mediaType != "application/json":
		add("Content-Type", "%s, not application/json", mediaType)
	}
	for name, spec := range documented.headers {
		text := a.header.Get(name)
		var value any = text
		if n, err := strconv.Atoi(text); err == nil {
			value = json.Number(strconv.Itoa(n))
		}
		switch {
		case text == "" && spec.required:
			add(name, "missing")
		case text != "" && spec.schema.Validate(value) != nil:
			add(name, "a value that the document does not allow")
		}
	}
	return found
}

// shownMediaType matches the values of Content-Type that a report shows.
var shownMediaType = regexp.MustCompile(`^[a-z]+/[a-z.+-]+(; ?charset=[A-Za-z0-9-]+)?$`)

// headerPath returns the path of a header, in lower case so that patterns match it.
func headerPath(name string) string {
	return "header." + strings.ToLower(strings.ReplaceAll(name, ".", "_"))
}

// findings translates the errors of a validation. Several errors of one value are one finding.
func (s *schema) findings(err *jsonschema.ValidationError) (found []Finding) {
	values := make(map[string]*jsonschema.ValidationError) // by position
	for _, leaf := range innermost(err) {
		at := s.path(leaf.InstanceLocation)
		switch problem := leaf.ErrorKind.(type) {
		case *kind.Required:
			for _, key := range problem.Missing {
				found = append(found, Finding{Kind: MissingKey, Path: join(at, key), Text: "the document requires it"})
			}
		case *kind.AdditionalProperties:
			for _, key := range problem.Properties {
				path, _ := s.step(at, key)
				found = append(found, Finding{Kind: UnknownKey, Path: path, Text: "not in the document"})
			}
		default:
			position := strings.Join(leaf.InstanceLocation, "\x00")
			if first := values[position]; first == nil || rank(leaf) < rank(first) {
				values[position] = leaf
			}
		}
	}
	for _, leaf := range values {
		kind, text := describe(leaf)
		found = append(found, Finding{Kind: kind, Path: cmp.Or(s.path(leaf.InstanceLocation), "body"), Text: text})
	}
	return found
}

// innermost returns the innermost errors. That a value is not null is none if another alternative is nearer to it.
func innermost(err *jsonschema.ValidationError) (all []*jsonschema.ValidationError) {
	if len(err.Causes) == 0 {
		return []*jsonschema.ValidationError{err}
	}
	for _, cause := range err.Causes {
		all = append(all, innermost(cause)...)
	}
	if _, ok := err.ErrorKind.(*kind.OneOf); !ok || len(all) < 2 {
		return all
	}
	return slices.DeleteFunc(all, func(leaf *jsonschema.ValidationError) bool {
		problem, ok := leaf.ErrorKind.(*kind.Type)
		return ok && slices.Equal(problem.Want, []string{"null"})
	})
}

// rank orders the errors of one value: the lowest is the finding.
func rank(leaf *jsonschema.ValidationError) int {
	switch leaf.ErrorKind.(type) {
	case *kind.Type:
		return 0
	case *kind.Enum:
		return 1
	case *kind.Format:
		return 2
	}
	return 3
}

// word matches the values that a report shows at the path of an enumeration.
var word = regexp.MustCompile(`^[a-z_-]{1,40}$`)

// describe returns the kind and the text of an error of a value.
func describe(leaf *jsonschema.ValidationError) (Kind, string) {
	switch problem := leaf.ErrorKind.(type) {
	case *kind.Type:
		return Type, problem.Got + ", not " + strings.Join(problem.Want, " or ")
	case *kind.Enum:
		if value, ok := problem.Got.(string); ok && word.MatchString(value) {
			return Enumeration, fmt.Sprintf("%q is not in the enumeration", value)
		}
		return Enumeration, "a value that is not in the enumeration"
	case *kind.Format:
		text, _ := problem.Got.(string)
		return Format, fmt.Sprintf("%s, not a %s", formOf(text), problem.Want)
	case *kind.Pattern:
		return Format, fmt.Sprintf("%s, not %s", formOf(problem.Got), problem.Want)
	}
	return Body, "a value that the document does not allow"
}

// form is a kind of text.
type form struct {
	name    string
	family  string // forms of one family are compared with each other
	pattern *regexp.Regexp
}

const (
	dates   = "dates"
	numbers = "numbers"
)

// forms are in the order in which they are tried.
var forms = []form{
	{"an empty string", "", regexp.MustCompile(`^$`)},
	{"a date", dates, regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)},
	{"a date and time in UTC", dates, regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d[Zz]$`)},
	{"a date and time in UTC with fractions of a second", dates, regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d\.\d+[Zz]$`)},
	{"a date and time with an offset", dates, regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:?\d\d$`)},
	{"a number with two decimals", numbers, regexp.MustCompile(`^[+-]?\d+\.\d\d$`)},
	{"a number without decimals", numbers, regexp.MustCompile(`^[+-]?\d+$`)},
	{"a number with other decimals", numbers, regexp.MustCompile(`^[+-]?\d*\.\d*$`)},
	{"a text that is no number and no date", "", regexp.MustCompile(``)},
}

// formOf returns the name of a text's form.
func formOf(text string) string {
	i := slices.IndexFunc(forms, func(f form) bool { return f.pattern.MatchString(text) })
	return forms[i].name
}

// familyOf returns the family of a form, "" for none.
func familyOf(name string) string {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if i < 0 {
		return ""
	}
	return forms[i].family
}

// messageOf returns the message of an error.
func (a answer) messageOf() string {
	envelope, _ := a.value.(map[string]any)
	inner, _ := envelope["error"].(map[string]any)
	message, _ := inner["message"].(string)
	return message
}

func isError(status int) bool { return status >= http.StatusBadRequest }

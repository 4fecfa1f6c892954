package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxBody is the largest request body that is accepted, in bytes; a larger one is answered 400.
const MaxBody = 1 << 20

// readBody reads a request body that must be one JSON object (spec section 1): UTF-8, no name twice, nothing behind it.
func readBody(r *http.Request) (object, error) {
	found := &findings{}
	if err := checkContent(r.Header, found); err != nil {
		return object{}, err
	}
	data, err := readAll(r)
	if err != nil {
		return object{}, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return object{}, Invalid("the body is missing: send a JSON object")
	}
	body, err := readJSON(data)
	if err != nil && bytes.HasPrefix(data, []byte("\ufeff")) {
		return object{}, Invalid("the body begins with a byte-order mark: save and send it without")
	}
	if err != nil {
		return object{}, Invalid(explainBody(err))
	}
	members, ok := body.(map[string]any)
	if !ok {
		return object{}, Invalid("the body must be a JSON object, not " + kindOf(body))
	}
	return newObject("", members, found), nil
}

// readAll reads a body up to the limit. One that is announced as too large is not even asked for.
func readAll(r *http.Request) ([]byte, error) {
	tooLarge := Invalid(fmt.Sprintf("the body is larger than %d bytes", MaxBody))
	if r.ContentLength > MaxBody && r.Header.Get("Expect") != "" {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, Invalid("the body could not be read to its end")
	}
	if len(data) > MaxBody {
		_, _ = io.CopyN(io.Discard, r.Body, 32<<20) // so that a client that sends before it reads gets the answer
		return nil, tooLarge
	}
	return data, nil
}

// checkContent refuses a body that is declared to be something else than JSON in UTF-8.
func checkContent(header http.Header, found *findings) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return Invalid("Content-Encoding is not supported: send the body as it is")
	}
	if len(header["Content-Type"]) > 1 {
		return Invalid("Content-Type must be sent once")
	}
	declared := header.Get("Content-Type")
	if declared == "" {
		found.notes.add(Note{ContentTypeUnnamed, "no Content-Type was sent", ": send Content-Type: application/json"})
		return nil
	}
	if declared == "application/json" {
		return nil // as most clients send it: there is nothing to read out of it
	}
	mediaType, params, err := mime.ParseMediaType(declared)
	if err != nil || mediaType != "application/json" {
		return Invalid("Content-Type must be application/json, not " + Quote(declared))
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return Invalid("the body's charset must be utf-8, not " + Quote(charset))
	}
	return nil
}

// explainBody says where the JSON breaks and why, without repeating what could be a number of somebody's.
func explainBody(err error) string {
	syntax := (*jsontext.SyntacticError)(nil)
	switch {
	case !errors.As(err, &syntax):
		return "the body is not valid JSON"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "the body has a key twice: " + Quote(strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), "."))
	}
	return fmt.Sprintf("the body is not valid JSON at byte %d: %s", syntax.ByteOffset, explainSyntax(syntax.Err))
}

// object is a JSON object under validation. Each reader takes a member out of it and records what is wrong with it, so
// that one answer can name every problem; what nobody took is unknown to the spec.
type object struct {
	path     string // in front of its members' names: "" or "target."
	members  map[string]any
	known    *[]string // the members that were asked for
	findings *findings
}

func newObject(path string, members map[string]any, found *findings) object {
	known := make([]string, 0, 8) // about as many as an object of the spec has
	return object{path: path, members: members, known: &known, findings: found}
}

func (o object) problem(name, what string) {
	o.findings.problems.add(Note{What: o.path + name + " " + what})
}

// noteUnknown notes the members that nobody took.
func (o object) noteUnknown() {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		o.findings.notes.addLazily(func() Note {
			return Note{UnknownKey, "unknown key " + Quote(o.path+name), DidYouMean(name, *o.known, "")}
		})
	}
}

// presence says whether a member must be there and not null.
type presence bool

const (
	optional presence = false
	required presence = true
)

// member takes a member of the JSON type T; ok is false when it is absent, null or of another type.
func member[T any](o object, name string, must presence) (value T, ok bool) {
	raw, present := o.members[name]
	delete(o.members, name)
	*o.known = append(*o.known, name)
	switch v := raw.(type) {
	case T:
		return v, true
	case nil:
		if must == required && present {
			o.problem(name, "may not be null")
		} else if must == required {
			o.problem(name, "is required")
		}
	default:
		o.problem(name, "must be "+kindOf(value)+", not "+kindOf(raw))
	}
	return value, false
}

// text takes a required string, which may not be blank.
func (o object) text(name string) string {
	text, ok := member[string](o, name, required)
	if why := Unfit(notBlank, text); ok && why != "" {
		o.problem(name, why)
	}
	return text
}

// optionalText takes a string that may be absent, null or blank.
func (o object) optionalText(name string) *string {
	if text, ok := member[string](o, name, optional); ok {
		return new(text)
	}
	return nil
}

// enumeration is a type of the contract that lists its values.
type enumeration[E any] interface {
	~string
	Values() []E
}

// enum takes a required member of an enumeration.
func enum[E enumeration[E]](o object, name string) E {
	text, ok := member[string](o, name, required)
	if !ok {
		return ""
	}
	value := E(text)
	if values := value.Values(); !slices.Contains(values, value) {
		o.problem(name, "must be "+oneOf(text, values))
	}
	return value
}

// oneOf lists the values of an enumeration, the one that was probably meant first.
func oneOf[E ~string](text string, values []E) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	nearest, ok := Nearest(text, words)
	if !ok || len(words) == 1 {
		return "one of: " + strings.Join(words, ", ")
	}
	others := slices.DeleteFunc(words, func(word string) bool { return word == nearest })
	return fmt.Sprintf("%s (or another of: %s)", nearest, strings.Join(others, ", "))
}

// optionalDate takes a date that may be absent or null.
func (o object) optionalDate(name string) *Date {
	text, ok := member[string](o, name, optional)
	if !ok {
		return nil
	}
	date, err := ParseDate(text)
	if err != nil {
		o.problem(name, err.Error())
	}
	return &date
}

// ssn takes a required social security number.
func (o object) ssn(name string) SSN {
	text, ok := member[string](o, name, required)
	if !ok {
		return SSN{}
	}
	ssn, err := ParseSSN(text)
	if err != nil {
		o.problem(name, err.Error())
	}
	return ssn
}

// object takes an object; ok is false when there is none to look into.
func (o object) object(name string, must presence) (inner object, ok bool) {
	members, ok := member[map[string]any](o, name, must)
	return newObject(o.path+name+".", members, o.findings), ok
}

// metadata takes a single-level map of strings (spec section 8): by default an empty one, nil for null.
func (o object) metadata(name string) map[string]string {
	_, present := o.members[name]
	members, ok := member[map[string]any](o, name, optional)
	if present && !ok {
		return nil
	}
	metadata := make(map[string]string, len(members))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		value, ok := members[key].(string)
		if !ok {
			o.findings.problems.addLazily(func() Note {
				return Note{What: o.path + name + " must have strings only: " + Quote(key) + " is " + kindOf(members[key])}
			})
		}
		metadata[key] = value
	}
	return metadata
}

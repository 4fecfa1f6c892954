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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxBody is the largest request body that is accepted, in bytes; a larger one is answered 400.
const MaxBody = 1 << 20

// decodeBody reads a request body, a JSON object, and returns what read takes out of it. An error is an [*Error] with status 400.
func decodeBody[T any](r *http.Request, read func(*object) T) (in T, notes []Note, err error) {
	found := &findings{}
	members, err := readBody(r, found)
	if err != nil {
		return in, nil, err
	}
	in = read(&object{members: members, findings: found})
	var problems []string
	for _, problem := range found.problems.all() {
		problems = append(problems, problem.What)
	}
	if len(problems) > 0 {
		err = Invalid(strings.Join(problems, "; "))
	}
	return in, found.notes.all(), err
}

// readBody reads a request body that must be one JSON object (spec section 1): UTF-8, no name twice, nothing behind it. One
// that is announced as too large is not even asked for.
func readBody(r *http.Request, found *findings) (members map[string]jsontext.Value, err error) {
	if err := checkContent(r.Header, found); err != nil {
		return nil, err
	}
	var data []byte
	tooLarge := r.ContentLength > MaxBody && r.Header.Get("Expect") != ""
	if !tooLarge {
		if data, err = io.ReadAll(io.LimitReader(r.Body, MaxBody+1)); err != nil {
			return nil, Invalid("the body could not be read to its end")
		}
		if tooLarge = len(data) > MaxBody; tooLarge {
			_, _ = io.CopyN(io.Discard, r.Body, 32<<20) // so that a client that sends before it reads gets the answer
		}
	}
	if tooLarge {
		return nil, Invalid(fmt.Sprintf("the body is larger than %d bytes", MaxBody))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, Invalid("the body is missing: send a JSON object")
	}
	kind, into, syntax := jsontext.Value(data).Kind(), any(&members), (*jsontext.SyntacticError)(nil)
	if kind != '{' {
		into = new(any) // it may be no JSON at all
	}
	err = json.Unmarshal(data, into)
	switch {
	case err != nil && bytes.HasPrefix(data, []byte("\ufeff")):
		return nil, Invalid("the body begins with a byte-order mark: save and send it without")
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return nil, Invalid("the body has a key twice: " + Quote(strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), ".")))
	case errors.As(err, &syntax):
		return nil, Invalid(fmt.Sprintf("the body is not valid JSON at byte %d: %s", syntax.ByteOffset, explainSyntax(syntax.Err)))
	case kind != '{':
		return nil, Invalid("the body must be a JSON object, not " + kinds[kind])
	}
	return members, err
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
		found.notes.add(Note{contentTypeUnnamed, "no Content-Type was sent", ": send Content-Type: application/json"})
		return nil
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

// object is a JSON object under validation. Each reader takes a member out of it and records what is wrong with it, so
// that one answer can name every problem; what nobody took is unknown to the spec.
type object struct {
	path     string // in front of its members' names: "" or "target."
	members  map[string]jsontext.Value
	known    []string // the members that were asked for
	findings *findings
}

func (o *object) problem(name, what string) {
	o.findings.problems.add(Note{What: o.path + name + " " + what})
}

// noteUnknown notes the members that nobody took.
func (o *object) noteUnknown() {
	o.findings.notes.addUnknown(unknownKey, "unknown key ", o.path, maps.Keys(o.members), o.known)
}

// presence says whether a member must be there and not null.
type presence bool

const (
	optional presence = false
	required presence = true
)

// member takes a member of a JSON type; ok is false when it is absent, null or of another type.
func member[T any](o *object, name string, wanted jsontext.Kind, must presence) (value T, ok bool) {
	raw, present := o.members[name]
	delete(o.members, name)
	o.known = append(o.known, name)
	switch found := raw.Kind(); {
	case found == wanted:
		return value, json.Unmarshal(raw, &value) == nil
	case present && found != 'n':
		o.problem(name, "must be "+kinds[wanted]+", not "+kinds[found])
	case present && must == required:
		o.problem(name, "may not be null")
	case must == required:
		o.problem(name, "is required")
	}
	return value, false
}

// has reports whether there is such a member, and not null.
func (o *object) has(name string) bool {
	value, present := o.members[name]
	return present && value.Kind() != 'n'
}

// parsed takes a string as parse reads it; the zero value stands for none.
func parsed[T any](o *object, name string, must presence, parse func(string) (T, error)) (value T) {
	text, ok := member[string](o, name, '"', must)
	if !ok {
		return value
	}
	value, err := parse(text)
	if err != nil {
		o.problem(name, err.Error())
	}
	return value
}

// text takes a required string, which may not be blank.
func (o *object) text(name string) string {
	return parsed(o, name, required, func(text string) (string, error) {
		if why := Unfit(notBlank, text); why != "" {
			return text, errors.New(why)
		}
		return text, nil
	})
}

// optionalText takes a string that may be absent, null or blank.
func (o *object) optionalText(name string) *string {
	return parsed(o, name, optional, func(text string) (*string, error) { return &text, nil })
}

// enumeration is a type of the contract that lists its values.
type enumeration[E any] interface {
	~string
	Values() []E
}

// enum takes a required member of an enumeration. A problem names the value first that was probably meant.
func enum[E enumeration[E]](o *object, name string) E {
	return parsed(o, name, required, func(text string) (E, error) {
		var words []string
		for _, value := range E(text).Values() {
			words = append(words, string(value))
		}
		if slices.Contains(words, text) {
			return E(text), nil
		}
		nearest, ok := Nearest(text, words)
		if !ok || len(words) == 1 {
			return "", errors.New("must be one of: " + strings.Join(words, ", "))
		}
		others := slices.DeleteFunc(words, func(word string) bool { return word == nearest })
		return "", fmt.Errorf("must be %s (or another of: %s)", nearest, strings.Join(others, ", "))
	})
}

// object takes an object; ok is false when there is none to look into.
func (o *object) object(name string, must presence) (inner *object, ok bool) {
	members, ok := member[map[string]jsontext.Value](o, name, '{', must)
	return &object{path: o.path + name + ".", members: members, findings: o.findings}, ok
}

// metadata takes a single-level map of strings (spec section 8): by default an empty one, nil for null.
func (o *object) metadata(name string) map[string]string {
	_, present := o.members[name]
	members, ok := member[map[string]jsontext.Value](o, name, '{', optional)
	if present && !ok {
		return nil
	}
	metadata := make(map[string]string, len(members))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		var value string
		if kind := members[key].Kind(); kind == '"' {
			_ = json.Unmarshal(members[key], &value) // which is valid
		} else if !o.findings.problems.full() {
			o.problem(name, "must have strings only: "+Quote(key)+" is "+kinds[kind])
		}
		metadata[key] = value
	}
	return metadata
}

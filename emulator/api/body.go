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

	"github.com/understudy-sandbox/understudy/emulator/api/internal/explain"
)

// MaxBody limits a request body, in bytes. A larger one is answered 400.
const MaxBody = 1 << 20

// decodeBody reads a request body and decodes it by read. Its error is an [*Error] with status 400 that lists all problems.
func decodeBody[T any](r *http.Request, read func(*object) T) (in T, notes []Note, err error) {
	found := &findings{}
	members, err := readBody(r, found)
	if err != nil {
		return in, nil, err
	}
	in = read(&object{members: members, findings: found})
	var problems []string
	for _, problem := range found.problems.all() {
		problems = append(problems, problem.Text)
	}
	if len(problems) > 0 {
		err = Invalid(strings.Join(problems, "; "))
	}
	return in, found.notes.all(), err
}

// readBody reads a request body, which must be one JSON object in UTF-8 without duplicate keys (spec 1). It does not read a
// body that is announced as too large by a client that still waits for a 100 Continue.
func readBody(r *http.Request, found *findings) (members map[string]jsontext.Value, err error) {
	if err := checkContent(r.Header, found); err != nil {
		return nil, err
	}
	var data []byte
	tooLarge := r.ContentLength > MaxBody && r.Header.Get("Expect") != ""
	if !tooLarge {
		data, err = io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
		if errors.As(err, new(*Error)) { // of the reader
			return nil, err
		}
		if err != nil {
			return nil, Invalid("the body could not be read to its end")
		}
		if tooLarge = len(data) > MaxBody; tooLarge {
			_, _ = io.CopyN(io.Discard, r.Body, 32<<20) // a client that sends before it reads gets the answer
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
		into = new(any) // any JSON value, or a syntax error
	}
	err = json.Unmarshal(data, into)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return nil, Invalid("the body has a key twice: " + Quote(strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), ".")))
	case errors.As(err, &syntax):
		return nil, Invalid(fmt.Sprintf("the body is not valid JSON at byte %d: %s", syntax.ByteOffset, explain.Syntax(syntax.Err)))
	case kind != '{':
		return nil, Invalid("the body must be a JSON object, not " + explain.Kinds[kind])
	}
	return members, err
}

// checkContent rejects a body that its headers do not declare as JSON in UTF-8.
func checkContent(header http.Header, found *findings) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return Invalid("Content-Encoding is not supported: send the body as it is")
	}
	if len(header["Content-Type"]) > 1 {
		return Invalid("Content-Type must be sent once")
	}
	declared := header.Get("Content-Type")
	if declared == "" {
		found.notes.add(contentTypeUnnamed.note("no Content-Type was sent", ": send Content-Type: application/json"))
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(declared)
	if err != nil || mediaType != "application/json" {
		return Invalid("Content-Type must be application/json, not " + Quote(declared))
	}
	if charset, ok := params["charset"]; ok && !slices.Contains([]string{"utf-8", "utf8"}, strings.ToLower(charset)) {
		return Invalid("the body's charset must be utf-8, not " + Quote(charset))
	}
	return nil
}

// object is a JSON object under validation. Each reader removes a member and records its problem, so that one answer lists
// all problems. Members that remain are not in the spec.
type object struct {
	path     string // prefix of the members' names: "" or "target."
	members  map[string]jsontext.Value
	taken    []string // names of the members that the spec has
	findings *findings
}

func (o *object) problem(name, what string) {
	if !o.findings.problems.full() {
		o.findings.problems.add(Note{Text: o.path + name + " " + what})
	}
}

// noteUnknown adds a note for each member that is not in the spec.
func (o *object) noteUnknown() {
	o.findings.notes.addUnknown(unknownKey, "unknown key ", o.path, maps.Keys(o.members), o.taken)
}

// presence is whether a member must be present and not null.
type presence bool

const (
	optional presence = false
	required presence = true
)

// member takes a member of a JSON type. ok is false if it is absent, null or of another type.
func member[T any](o *object, name string, wanted jsontext.Kind, must presence) (value T, ok bool) {
	raw, present := o.members[name]
	delete(o.members, name)
	o.taken = append(o.taken, name)
	found := raw.Kind()
	switch {
	case explain.Kinds[found] == explain.Kinds[wanted]: // true and false are of two kinds
		return value, json.Unmarshal(raw, &value) == nil
	case present && found != 'n':
		o.problem(name, "must be "+explain.Kinds[wanted]+", not "+explain.Kinds[found])
	case present && must == required:
		o.problem(name, "may not be null")
	case must == required:
		o.problem(name, "is required")
	}
	return value, false
}

// has reports whether a member is present and not null.
func (o *object) has(name string) bool {
	value, present := o.members[name]
	return present && value.Kind() != 'n'
}

// parsed takes a string and parses it. It returns the zero value for none.
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

// text takes a required string that is not blank.
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

// enumeration is an enumeration of the spec.
type enumeration[E any] interface {
	comparable
	~string
	Values() []E
}

// enum takes a value of an enumeration, but for some that only answers have. Its problem suggests the nearest value.
func enum[E enumeration[E]](o *object, name string, must presence, but ...E) E {
	return parsed(o, name, must, func(text string) (E, error) {
		var words []string
		for _, value := range E(text).Values() {
			if !slices.Contains(but, value) {
				words = append(words, string(value))
			}
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

// object takes an object. ok is false if there is none.
func (o *object) object(name string, must presence) (inner *object, ok bool) {
	members, ok := member[map[string]jsontext.Value](o, name, '{', must)
	return &object{path: o.path + name + ".", members: members, findings: o.findings}, ok
}

// metadata takes a single-level map of strings (spec 8). It returns an empty map if absent, nil if null.
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
			o.problem(name, "must have strings only: "+Quote(key)+" is "+explain.Kinds[kind])
		}
		metadata[key] = value
	}
	return metadata
}

// Package document reads what the OpenAPI document allows: the published text goes in, and each operation comes out with the
// fields of its answers.
package document

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Operation is an operation of the document.
type Operation struct {
	ID        string
	Method    string
	Prefix    string   // of the path, up to the id
	Accept    string   // the Accept header that names its version
	Query     []string // names of the parameters
	Responses map[int]Response
}

// Response is what the document has for a status of an operation.
type Response struct {
	Body    Fields
	Headers map[string]Header // by canonical name
}

// Header is whether a header must be there, and must be an integer.
type Header struct{ Must, Integer bool }

// Fields has what the document allows at each path of a body, such as reports.*.employee.title. An object may have no other keys.
type Fields map[string]*Field

// Field is what the document allows at a path.
type Field struct {
	Types    []string // in JSON Schema
	Words    []string // of an enumeration; nil: any text
	Pattern  *regexp.Regexp
	Required []string // keys of an object
}

type object = map[string]any

// document is the decoded OpenAPI document.
type document object

// Operations returns the operations of the emulated API. The caller must not change them.
var Operations = sync.OnceValues(func() ([]Operation, error) {
	text, err := api.Parts{}.JSON()
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	var all []Operation
	for path := range d.at(object(d), "paths") {
		for method := range d.at(object(d), "paths", path) {
			op, err := d.operation(path, method)
			if err != nil {
				return nil, err
			}
			if op.ID != "" {
				all = append(all, op)
			}
		}
	}
	return all, nil
})

var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`application/json; version=\d{4}-\d{2}-\d{2}`) })

// operation returns the operation of a path and a method, without an id for a key of the path that is no method.
func (d document) operation(path, method string) (op Operation, err error) {
	of := d.at(object(d), "paths", path, method)
	if of["operationId"] == nil {
		return op, nil
	}
	prefix, _, _ := strings.Cut(path, "{")
	op = Operation{
		ID: fmt.Sprint(of["operationId"]), Method: strings.ToUpper(method), Prefix: prefix, Responses: make(map[int]Response),
		Accept: version().FindString(fmt.Sprint(of["description"])),
	}
	for _, parameter := range List(of["parameters"]) {
		if p := d.resolve(parameter); p["in"] == "query" {
			op.Query = append(op.Query, fmt.Sprint(p["name"]))
		}
	}
	for status := range d.at(of, "responses") {
		code, err := strconv.Atoi(status)
		if err != nil {
			return op, fmt.Errorf("%s has the status %q: %w", op.ID, status, err)
		}
		op.Responses[code] = d.response(d.at(of, "responses", status))
	}
	return op, nil
}

// at returns the object below some keys, or nil.
func (d document) at(in object, keys ...string) object {
	for _, key := range keys {
		in = d.resolve(in[key])
	}
	return in
}

// resolve returns an object, or what it refers to.
func (d document) resolve(value any) object {
	found, _ := value.(object)
	if ref, ok := found["$ref"].(string); ok {
		return d.at(object(d), strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return found
}

func (d document) response(of object) Response {
	r := Response{make(Fields), make(map[string]Header)}
	d.add(r.Body, "", d.at(of, "content", "application/json")["schema"])
	for name := range d.at(of, "headers") {
		if described := d.at(of, "headers", name); !strings.HasPrefix(name, "Understudy-") { // the service does not have those
			r.Headers[http.CanonicalHeaderKey(name)] = Header{described["required"] == true, d.at(described, "schema")["type"] == "integer"}
		}
	}
	return r
}

// add adds what a schema allows at a path and below. Of alternatives all are allowed; keys that only some of them require are
// required: the document cannot express that a query with fields needs none.
func (d document) add(all Fields, at string, value any) {
	s, ok := value.(object)
	if !ok {
		return
	}
	if all[at] == nil {
		all[at] = &Field{}
	}
	f := all[at]
	f.Types, f.Required = append(f.Types, texts(s["type"])...), append(f.Required, texts(s["required"])...)
	for _, word := range texts(s["enum"]) {
		if !slices.Contains(f.Words, word) { // of another alternative
			f.Words = append(f.Words, word)
		}
	}
	if pattern, ok := s["pattern"].(string); ok {
		f.Pattern = regexp.MustCompile(pattern)
	}
	if s["$ref"] != nil {
		d.add(all, at, d.resolve(s))
	}
	for _, part := range slices.Concat(List(s["allOf"]), List(s["anyOf"]), List(s["oneOf"])) {
		d.add(all, at, part)
	}
	for key, below := range d.at(s, "properties") {
		d.add(all, Join(at, key), below)
	}
	d.add(all, Join(at, "*"), s["items"])
	d.add(all, Join(at, "*"), s["additionalProperties"]) // keys that the verifier chooses, if it is a schema
	f.Types = slices.Compact(slices.Sorted(slices.Values(f.Types)))
}

// List returns the elements of a JSON array, nil for any other value.
func List(value any) []any {
	all, _ := value.([]any)
	return all
}

// texts returns the texts of a value that is one or a list.
func texts(value any) (all []string) {
	for _, v := range append(List(value), value) {
		if text, ok := v.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// Below returns the path of a key below a path, "" for a key that the document does not have.
func (all Fields) Below(at, key string) string {
	for _, path := range []string{Join(at, key), Join(at, "*")} {
		if all[path] != nil {
			return path
		}
	}
	return ""
}

// Walk visits a value of a body, and what is below it at the paths of the document, as long as visit returns true.
func (all Fields) Walk(at string, value any, visit func(at string, value any) bool) {
	if !visit(at, value) {
		return
	}
	for _, item := range List(value) {
		all.Walk(Join(at, "*"), item, visit)
	}
	of, _ := value.(object)
	for key, inner := range of {
		if below := all.Below(at, key); below != "" {
			all.Walk(below, inner, visit)
		}
	}
}

// Join returns the path of a key below a path.
func Join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

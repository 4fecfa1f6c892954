package compare

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

// operation is a GET of the document.
type operation struct {
	id        string
	prefix    string   // of the path, up to the id
	accept    string   // the Accept header that names its version
	query     []string // names of the parameters
	responses map[int]response
}

// response is what the document has for a status of an operation.
type response struct {
	body    fields
	headers map[string]header // by canonical name
}

type header struct{ must, integer bool }

// fields has what the document allows at each path of a body. An object may have no other keys.
type fields map[string]*field

type field struct {
	types    []string // in JSON Schema
	words    []string // of an enumeration; nil: any text
	pattern  *regexp.Regexp
	required []string // keys of an object
}

type object = map[string]any

// document is the decoded OpenAPI document.
type document object

// operations returns the GET operations of the document.
var operations = sync.OnceValues(func() ([]operation, error) {
	text, err := api.SurfaceJSON()
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	var all []operation
	for path := range d.at(object(d), "paths") {
		get := d.at(object(d), "paths", path, "get")
		if get == nil {
			continue
		}
		prefix, _, _ := strings.Cut(path, "{")
		version := regexp.MustCompile(`application/json; version=\d{4}-\d{2}-\d{2}`).FindString(fmt.Sprint(get["description"]))
		op := operation{id: fmt.Sprint(get["operationId"]), prefix: prefix, accept: version, responses: make(map[int]response)}
		for _, parameter := range list(get["parameters"]) {
			if p := d.resolve(parameter); p["in"] == "query" {
				op.query = append(op.query, fmt.Sprint(p["name"]))
			}
		}
		for status := range d.at(get, "responses") {
			code, err := strconv.Atoi(status)
			if err != nil {
				return nil, fmt.Errorf("%s has the status %q: %w", op.id, status, err)
			}
			op.responses[code] = d.response(d.at(get, "responses", status))
		}
		all = append(all, op)
	}
	return all, nil
})

// at returns the object below some keys, nil if there is none.
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

func (d document) response(of object) response {
	r := response{make(fields), make(map[string]header)}
	d.add(r.body, "", d.at(of, "content", "application/json")["schema"])
	for name := range d.at(of, "headers") {
		if described := d.at(of, "headers", name); !strings.HasPrefix(name, "Understudy-") { // the service does not have those
			r.headers[http.CanonicalHeaderKey(name)] = header{described["required"] == true, d.at(described, "schema")["type"] == "integer"}
		}
	}
	return r
}

// add adds what a schema allows at a path and below. Of alternatives all are allowed; keys that only some of them require are
// required: the document cannot express that a query with fields needs none.
func (d document) add(all fields, at string, value any) {
	s, ok := value.(object)
	if !ok {
		return
	}
	if all[at] == nil {
		all[at] = &field{}
	}
	f := all[at]
	f.types, f.words, f.required = append(f.types, texts(s["type"])...), append(f.words, texts(s["enum"])...), append(f.required, texts(s["required"])...)
	if pattern, ok := s["pattern"].(string); ok {
		f.pattern = regexp.MustCompile(pattern)
	}
	if s["$ref"] != nil {
		d.add(all, at, d.resolve(s))
	}
	for _, part := range slices.Concat(list(s["allOf"]), list(s["anyOf"]), list(s["oneOf"])) {
		d.add(all, at, part)
	}
	for key, below := range d.at(s, "properties") {
		d.add(all, join(at, key), below)
	}
	d.add(all, join(at, "*"), s["items"])
	d.add(all, join(at, "*"), s["additionalProperties"]) // keys that the verifier chooses, if it is a schema
	f.types = slices.Compact(slices.Sorted(slices.Values(f.types)))
}

func list(value any) []any {
	all, _ := value.([]any)
	return all
}

// texts returns the texts of a value that is one or a list.
func texts(value any) (all []string) {
	for _, v := range append(list(value), value) {
		if text, ok := v.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// step returns the path of a key below a path. A key that the document does not have is "(unnamed)" unless it reads as a name.
func (all fields) step(at, key string) (below string, documented bool) {
	switch {
	case all[join(at, key)] != nil:
		return join(at, key), true
	case all[join(at, "*")] != nil:
		return join(at, "*"), true
	case !name().MatchString(key):
		return join(at, "(unnamed)"), false
	}
	return join(at, key), false
}

// name matches the keys that a report shows: none with a number as long as the last digits of a social security number.
var name = expression(`^[A-Za-z][A-Za-z_]{0,29}(_?[0-9]{1,2})?[A-Za-z_]{0,10}$`)

// expression returns a regular expression that is compiled at its first use: other commands start without it.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

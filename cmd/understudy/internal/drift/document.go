package drift

import (
	"encoding/json"
	"fmt"
	"maps"
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
	responses map[int]*response
}

// response is what the document has for a status of an operation.
type response struct {
	body     fields
	headers  map[string]*field // by canonical name
	messages []string          // of an error
}

// fields has what the document allows at each path of a body. An object may have no other keys.
type fields map[string]*field

// field is what the document allows for a value.
type field struct {
	types    []string // in JSON Schema
	words    []string // of an enumeration; nil: any text
	pattern  *regexp.Regexp
	required []string // keys of an object
	must     bool     // a header that may not be missing
}

// The parts of an OpenAPI document that a comparison needs.
type (
	document struct {
		Paths      map[string]map[string]operationObject
		Components struct {
			Responses map[string]responseObject
			Headers   map[string]headerObject
			Schemas   map[string]schema
		}
	}
	operationObject struct {
		OperationID string
		Description string
		Parameters  []struct{ Name, In string }
		Responses   map[string]responseObject
	}
	responseObject struct {
		Ref     string `json:"$ref"`
		Headers map[string]struct {
			Ref string `json:"$ref"`
		}
		Content map[string]struct {
			Schema   schema
			Examples map[string]struct{ Value api.ErrorEnvelope }
		}
	}
	headerObject struct {
		Required bool
		Schema   schema
	}
	schema struct {
		Ref                  string `json:"$ref"`
		Type                 types
		Enum                 []any
		Pattern              string
		Required             []string
		Properties           map[string]schema
		AdditionalProperties free
		Items                *schema
		AllOf, AnyOf, OneOf  []schema
	}
	types []string                 // one, or a list
	free  struct{ schema *schema } // of the keys that the verifier chooses; nil: none
)

func (t *types) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), "[") {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.Unmarshal(text, &(*t)[0])
}

func (f *free) UnmarshalJSON(text []byte) error {
	if !strings.HasPrefix(string(text), "{") {
		return nil
	}
	return json.Unmarshal(text, &f.schema)
}

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
	for path, methods := range d.Paths {
		get, ok := methods["get"]
		if !ok {
			continue
		}
		prefix, _, _ := strings.Cut(path, "{")
		op := operation{id: get.OperationID, prefix: prefix, accept: version().FindString(get.Description), responses: make(map[int]*response)}
		for _, parameter := range get.Parameters {
			if parameter.In == "query" {
				op.query = append(op.query, parameter.Name)
			}
		}
		for status, object := range get.Responses {
			code, err := strconv.Atoi(status)
			if err != nil {
				return nil, fmt.Errorf("%s has the status %q: %w", op.id, status, err)
			}
			op.responses[code] = d.response(object)
		}
		all = append(all, op)
	}
	return all, nil
})

// version finds the version of an operation in its description.
var version = expression(`application/json; version=\d{4}-\d{2}-\d{2}`)

func (d document) response(object responseObject) *response {
	if object.Ref != "" {
		object = d.Components.Responses[base(object.Ref)]
	}
	content := object.Content["application/json"]
	r := &response{body: make(fields), headers: make(map[string]*field)}
	d.add(r.body, "", content.Schema)
	for _, example := range content.Examples {
		r.messages = append(r.messages, example.Value.Error.Message)
	}
	for name, header := range object.Headers {
		if strings.HasPrefix(name, "Understudy-") { // the service does not have them
			continue
		}
		described := d.Components.Headers[base(header.Ref)]
		value := make(fields)
		d.add(value, "", described.Schema)
		value[""].must = described.Required
		r.headers[http.CanonicalHeaderKey(name)] = value[""]
	}
	return r
}

// add adds what a schema allows at a path and below. Of alternatives all are allowed; keys that only some of them require are
// required: the document cannot express that a query with fields needs none.
func (d document) add(all fields, at string, s schema) {
	if all[at] == nil {
		all[at] = &field{}
	}
	f := all[at]
	f.types, f.required = append(f.types, s.Type...), append(f.required, s.Required...)
	for _, word := range s.Enum {
		if word, ok := word.(string); ok {
			f.words = append(f.words, word)
		}
	}
	if s.Pattern != "" {
		f.pattern = regexp.MustCompile(s.Pattern)
	}
	if s.Ref != "" {
		d.add(all, at, d.Components.Schemas[base(s.Ref)])
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		d.add(all, at, part)
	}
	for key, below := range s.Properties {
		d.add(all, join(at, key), below)
	}
	for _, below := range []*schema{s.Items, s.AdditionalProperties.schema} {
		if below != nil {
			d.add(all, join(at, "*"), *below)
		}
	}
	f.types, f.required = unique(f.types), unique(f.required)
}

func unique(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// base returns the last part of a reference.
func base(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// paths returns the paths of a body in order.
func (all fields) paths() []string { return slices.Sorted(maps.Keys(all)) }

// step returns the path of a key or item below a path. A key that the document does not have is "(unnamed)" unless it reads as a
// name.
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

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

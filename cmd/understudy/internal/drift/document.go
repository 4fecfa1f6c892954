package drift

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

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
	whole    *schema
	selected *schema                // with the query parameter fields; nil: the same
	headers  map[string]*headerSpec // by canonical name
	messages []string               // of an error
}

type headerSpec struct {
	required bool
	schema   *jsonschema.Schema
}

// schema is a schema of a body, and the paths of the keys and items that it describes.
type schema struct {
	*jsonschema.Schema
	paths map[string]bool
}

// The parts of an OpenAPI document that a comparison needs.
type (
	openAPI struct {
		Paths      map[string]map[string]operationObject
		Components struct {
			Responses map[string]responseObject
			Headers   map[string]struct{ Required bool }
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
			Examples map[string]struct{ Value api.ErrorEnvelope }
		}
	}
)

// operations returns the GET operations of the document.
var operations = sync.OnceValues(func() ([]operation, error) {
	text, err := api.SurfaceJSON()
	if err != nil {
		return nil, err
	}
	var document openAPI
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(documentURL, value); err != nil {
		return nil, err
	}
	var all []operation
	for path, methods := range document.Paths {
		get, ok := methods["get"]
		if !ok {
			continue
		}
		prefix, _, _ := strings.Cut(path, "{")
		op := operation{id: get.OperationID, prefix: prefix, accept: version.FindString(get.Description), responses: make(map[int]*response)}
		for _, parameter := range get.Parameters {
			if parameter.In == "query" {
				op.query = append(op.query, parameter.Name)
			}
		}
		for status, object := range get.Responses {
			code, err := strconv.Atoi(status)
			if err != nil {
				return nil, err
			}
			if op.responses[code], err = document.response(compiler, path, status, object); err != nil {
				return nil, err
			}
		}
		all = append(all, op)
	}
	return all, nil
})

const documentURL = "urn:openapi"

// version finds the version of an operation in its description.
var version = regexp.MustCompile(`application/json; version=\d{4}-\d{2}-\d{2}`)

func (d openAPI) response(compiler *jsonschema.Compiler, path, status string, object responseObject) (*response, error) {
	pointer := "#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/get/responses/" + status
	if object.Ref != "" {
		pointer, object = object.Ref, d.Components.Responses[object.Ref[strings.LastIndex(object.Ref, "/")+1:]]
	}
	r := &response{headers: make(map[string]*headerSpec)}
	for _, example := range object.Content["application/json"].Examples {
		r.messages = append(r.messages, example.Value.Error.Message)
	}
	for name, header := range object.Headers {
		if strings.HasPrefix(name, "Understudy-") { // the service does not have them
			continue
		}
		compiled, err := compiler.Compile(documentURL + header.Ref + "/schema")
		if err != nil {
			return nil, err
		}
		r.headers[http.CanonicalHeaderKey(name)] = &headerSpec{required: d.Components.Headers[header.Ref[strings.LastIndex(header.Ref, "/")+1:]].Required, schema: compiled}
	}
	compiled, err := compiler.Compile(documentURL + pointer + "/content/application~1json/schema")
	if err != nil {
		return nil, err
	}
	alternatives := compiled.AnyOf
	switch len(alternatives) {
	case 0:
		r.whole = newSchema(compiled)
	case 2: // the document cannot express that all keys are required unless the query has fields
		r.whole, r.selected = newSchema(alternatives[0]), newSchema(alternatives[1])
	default:
		return nil, fmt.Errorf("the schema at %s has %d alternatives", pointer, len(alternatives))
	}
	return r, nil
}

func newSchema(compiled *jsonschema.Schema) *schema {
	s := &schema{compiled, make(map[string]bool)}
	s.collect(compiled, "")
	return s
}

// collect adds the paths below a schema.
func (s *schema) collect(from *jsonschema.Schema, at string) {
	if from == nil {
		return
	}
	s.paths[at] = true
	s.collect(from.Ref, at)
	for _, alternatives := range [][]*jsonschema.Schema{from.AllOf, from.AnyOf, from.OneOf} {
		for _, alternative := range alternatives {
			s.collect(alternative, at)
		}
	}
	for key, below := range from.Properties {
		s.collect(below, join(at, key))
	}
	s.collect(from.Items2020, join(at, "*"))
	if free, ok := from.AdditionalProperties.(*jsonschema.Schema); ok { // keys of the user
		s.collect(free, join(at, "*"))
	}
}

// step returns the path of a key or item below a path. A key that the document does not have is "(unnamed)" unless it reads as a
// name.
func (s *schema) step(at, key string) (below string, documented bool) {
	switch {
	case s.paths[join(at, key)]:
		return join(at, key), true
	case s.paths[join(at, "*")]:
		return join(at, "*"), true
	case !name.MatchString(key):
		return join(at, "(unnamed)"), false
	}
	return join(at, key), false
}

// path returns the path of a value, "" for the whole body.
func (s *schema) path(location []string) (path string) {
	for _, key := range location {
		path, _ = s.step(path, key)
	}
	return path
}

// name matches the keys that a report shows: none with a number as long as the last digits of a social security number.
var name = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,29}(_?[0-9]{1,2})?[A-Za-z_]{0,10}$`)

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

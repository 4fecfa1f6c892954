package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// CheckBody returns why the OpenAPI document does not allow a JSON body of a request, nil if it does. The path is one of the
// document, with {names}. A call without a body, and what is not JSON, is not allowed.
func CheckBody(method, path string, body []byte) error {
	return checkJSON("#/paths/"+escape(path)+"/"+strings.ToLower(method)+"/requestBody/content/application~1json/schema", body)
}

// checkAnswer returns why the document does not allow a JSON body of an answer.
func checkAnswer(method, path string, responses *openapi3.Responses, status int, body []byte) error {
	key := fmt.Sprint(status)
	if responses.Value(key) == nil {
		key = key[:1] + "XX"
	}
	pointer := responses.Value(key).Ref
	if pointer == "" {
		pointer = "#/paths/" + escape(path) + "/" + strings.ToLower(method) + "/responses/" + key
	}
	return checkJSON(pointer+"/content/application~1json/schema", body)
}

// escape returns a path as a part of a JSON pointer in a URL.
func escape(path string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path)
}

// checkJSON validates JSON against the schema at a JSON pointer of the document.
func checkJSON(pointer string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	schema, err := schemaAt(pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// checkSelection validates a JSON object that has some of the keys of the schema at a JSON pointer.
func checkSelection(pointer string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	object, isObject := value.(map[string]any)
	if !isObject {
		return errors.New("a selection is an object")
	}
	schema, err := schemaAt(pointer)
	if err != nil {
		return err
	}
	for name, value := range object {
		of := schema.Properties[name]
		if of == nil {
			return fmt.Errorf("additional properties '%s' not allowed", name)
		}
		if err := of.Validate(value); err != nil {
			return err
		}
	}
	return nil
}

// compiled has the schemas of the document that were needed so far. OpenAPI 3.1 has those of JSON Schema 2020-12.
var compiled struct {
	sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

func schemaAt(pointer string) (*jsonschema.Schema, error) {
	compiled.Lock()
	defer compiled.Unlock()
	if compiled.compiler == nil {
		text, err := api.Parts{Control: true, Extensions: true}.JSON()
		if err != nil {
			return nil, err
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		compiled.schemas, compiled.compiler = map[string]*jsonschema.Schema{}, jsonschema.NewCompiler()
		compiled.compiler.AssertFormat()
		if err := compiled.compiler.AddResource("urn:openapi", document); err != nil {
			return nil, err
		}
	}
	if compiled.schemas[pointer] == nil {
		schema, err := compiled.compiler.Compile("urn:openapi" + pointer)
		if err != nil {
			return nil, err
		}
		compiled.schemas[pointer] = schema
	}
	return compiled.schemas[pointer], nil
}

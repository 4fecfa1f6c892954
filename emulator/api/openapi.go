// Package api is the wire contract of the emulated service: its resources and enumerations (spec section 2), the
// decoding and validation of requests (sections 4 and 9), the error envelope (section 7) and the OpenAPI document that
// says the same to machines. It imports nothing of this project.
//
// In resources a pointer or a slice is a key that may be null; every key is always present. Where the spec has a list
// that may not be null, the comment says so and [] stands for none.
package api

import (
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var openAPI string

// OpenAPIYAML returns the OpenAPI document of the five operations and of the control plane, as it is written. The caller
// owns the bytes.
func OpenAPIYAML() []byte { return []byte(openAPI) }

// OpenAPIJSON returns the same document as indented JSON, keys in the same order, the same bytes every time. It
// converts at each call.
func OpenAPIJSON() ([]byte, error) {
	converted, err := yaml.YAMLToJSON([]byte(openAPI))
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document as JSON: %w", err)
	}
	document := jsontext.Value(converted)
	if err := document.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("OpenAPI document as JSON: %w", err)
	}
	return append(document, '\n'), nil
}

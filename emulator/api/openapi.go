// Package api is the wire contract of the emulated service: resources and enumerations (spec 2), decoding and validation of
// requests (spec 4), errors (spec 7), versions (spec 9), and the OpenAPI document. It imports no other package of this
// project.
//
// "spec 4.1" in a comment is a section of README.md in this directory.
//
// In a resource every key is always present. A pointer, map or slice may be null, except a slice with the tag "not null".
package api

import (
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var openAPI string

func toJSON(text []byte) ([]byte, error) {
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document as JSON: %w", err)
	}
	document := jsontext.Value(converted)
	if err := document.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("OpenAPI document as JSON: %w", err)
	}
	return append(document, '\n'), nil
}

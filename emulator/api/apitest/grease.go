package apitest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// Ungreased returns a client that takes the grease from each answer of the emulated API before it checks the answer.
func (c *Client) Ungreased() *Client {
	with := *c
	with.ungreased = true
	return &with
}

// ungrease takes the grease from an answer whose form the document has.
func ungrease(resp *Response) {
	_, documented := find(resp)
	if strings.HasPrefix(resp.request.URL.Path, "/_understudy/") || documented == nil || documented.Value.Content["application/json"] == nil {
		return
	}
	if body, err := withoutGrease(documented.Value.Content["application/json"].Schema, resp.Body); err == nil { // else a check reports it
		resp.Body = body
	}
}

// Ungrease takes from JSON what a schema of the OpenAPI document's components does not have: unknown keys are deleted, an
// unknown word becomes the first of its enumeration, and an instant gets the documented form. It fails if the schema does not
// allow the rest.
func Ungrease(component string, body []byte) ([]byte, error) {
	document, _ := openAPI()
	rest, err := withoutGrease(document.Components.Schemas[component], body)
	if err == nil {
		err = checkJSON("#/components/schemas/"+component, rest)
	}
	return rest, err
}

func withoutGrease(schema *openapi3.SchemaRef, body []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(documented(value, alternatives(schema)))
}

// alternatives returns a schema and those that it is made of.
func alternatives(schema *openapi3.SchemaRef) (all []*openapi3.Schema) {
	if schema == nil {
		return nil
	}
	all = append(all, schema.Value)
	for _, part := range slices.Concat(schema.Value.OneOf, schema.Value.AnyOf, schema.Value.AllOf) {
		all = append(all, alternatives(part)...)
	}
	return all
}

// documented returns the part of a value that some schemas have.
func documented(value any, schemas []*openapi3.Schema) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			var of []*openapi3.Schema
			for _, schema := range schemas {
				of = append(of, alternatives(schema.Properties[name])...)
				of = append(of, alternatives(schema.AdditionalProperties.Schema)...)
			}
			if value[name] = documented(member, of); len(of) == 0 {
				delete(value, name)
			}
		}
	case []any:
		var of []*openapi3.Schema
		for _, schema := range schemas {
			of = append(of, alternatives(schema.Items)...)
		}
		for i, element := range value {
			value[i] = documented(element, of)
		}
	case string:
		for _, schema := range schemas {
			switch {
			case schema.Format == "date-time":
				return instant(value, schema.Pattern)
			case len(schema.Enum) > 0 && !slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool { return slices.Contains(s.Enum, any(value)) }):
				return schema.Enum[0]
			}
		}
	}
	return value
}

// instant returns an instant in the form of a pattern: with the digits of a second that it allows.
func instant(text, pattern string) string {
	at, err := time.Parse(time.RFC3339, text)
	for digits := 0; digits <= 6 && err == nil; digits += 3 {
		layout := "2006-01-02T15:04:05"
		if digits > 0 {
			layout += "." + strconv.Itoa(1e6)[1:1+digits]
		}
		shown := at.UTC().Format(layout + "Z")
		if ok, err := regexp.MatchString(pattern, shown); err == nil && ok {
			return shown
		}
	}
	return text
}

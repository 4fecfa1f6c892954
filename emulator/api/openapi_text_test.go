package api_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestOpenAPIHasNoSchemaThatNothingUses(t *testing.T) {
	t.Parallel()
	text := string(api.OpenAPIYAML())
	for name := range load(t).Components.Schemas {
		if !strings.Contains(text, `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to the schema %s", name)
		}
	}
}

func TestOpenAPIListsPropertiesInTheOrderOfTheRequiredKeys(t *testing.T) {
	t.Parallel()
	doc := ordered(t, api.OpenAPIYAML())
	walk(doc, func(schema yaml.MapSlice) {
		keys, required := keysOf(member(schema, "properties")), member(schema, "required")
		if required, ok := required.([]any); ok && len(keys) == len(required) {
			if diff := cmp.Diff(required, keys); diff != "" {
				t.Errorf("(-required +properties):\n%s", diff)
			}
		}
	})
	schemas := member(member(doc, "components"), "schemas")
	whole := member(member(schemas, "VerificationRequest"), "allOf").([]any)[1]
	selection := keysOf(member(member(schemas, "VerificationRequestSelection"), "properties"))
	if diff := cmp.Diff(member(whole, "required"), any(selection)); diff != "" {
		t.Errorf("verification request (-required +properties):\n%s", diff)
	}
}

func TestOpenAPIJSONIsTheSameDocument(t *testing.T) {
	t.Parallel()
	converted, err := api.OpenAPIJSON()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(converted) {
		t.Error("is not JSON")
	}
	if !strings.HasPrefix(string(converted), "{\n  \"openapi\": \"3.0.3\",\n") {
		t.Errorf("does not begin as an indented document: %.60s", converted)
	}
	if diff := cmp.Diff(ordered(t, api.OpenAPIYAML()), ordered(t, converted)); diff != "" {
		t.Errorf("content and order (-YAML +JSON):\n%s", diff)
	}
	fromJSON, err := openapi3.NewLoader().LoadFromData(converted)
	if err != nil {
		t.Fatal(err)
	}
	if err := fromJSON.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	again, err := api.OpenAPIJSON()
	if err != nil || string(again) != string(converted) {
		t.Errorf("a second conversion differs (%v)", err)
	}
}

func TestOpenAPIYAMLBelongsToItsCaller(t *testing.T) {
	t.Parallel()
	clear(api.OpenAPIYAML())
	if text := string(api.OpenAPIYAML()); !strings.HasPrefix(text, "openapi: 3.0.3\n") {
		t.Errorf("begins with %.20q", text)
	}
}

// ordered reads YAML, or JSON as YAML, with its keys in order.
func ordered(t *testing.T, text []byte) yaml.MapSlice {
	t.Helper()
	var doc yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &doc, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	return doc
}

func walk(value any, visit func(yaml.MapSlice)) {
	switch value := value.(type) {
	case yaml.MapSlice:
		visit(value)
		for _, item := range value {
			walk(item.Value, visit)
		}
	case []any:
		for _, item := range value {
			walk(item, visit)
		}
	}
}

func member(value any, key string) any {
	object, _ := value.(yaml.MapSlice)
	for _, item := range object {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

func keysOf(value any) []any {
	object, _ := value.(yaml.MapSlice)
	var keys []any
	for _, item := range object {
		keys = append(keys, item.Key)
	}
	return keys
}

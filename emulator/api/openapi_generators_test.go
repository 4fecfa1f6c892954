package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Generators make one type of each component, whatever its kind, in a language of their own: only letters and digits count.
func TestOpenAPIComponentNames(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, kind := range member(ordered(t, api.Parts{Control: true, Extensions: true}.YAML()), "components").(yaml.MapSlice) {
		for _, name := range keysOf(kind.Value) {
			plain := strings.ToLower(strings.ReplaceAll(name.(string), "-", ""))
			if other := seen[plain]; other != "" {
				t.Errorf("%s and %s/%s have one name", other, kind.Key, name)
			}
			seen[plain] = kind.Key.(string) + "/" + name.(string)
		}
	}
}

// What generators and validating proxies misread does not occur in the document.
func TestOpenAPIGenerators(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]func(schema yaml.MapSlice) bool{
		"nullable is no keyword of OpenAPI 3.1": func(s yaml.MapSlice) bool { return member(s, "nullable") != true },
		"an enumeration has no null": func(s yaml.MapSlice) bool {
			values, _ := member(s, "enum").([]any)
			return !slices.Contains(values, nil)
		},
		"a free-form object says that it has any keys": func(s yaml.MapSlice) bool {
			return !typed(s, "object") || member(s, "additionalProperties") != nil || member(s, "properties") != nil
		},
		"required keys stand beside their properties": func(s yaml.MapSlice) bool {
			required, _ := member(s, "required").([]any)
			keys := keysOf(member(s, "properties"))
			return !slices.ContainsFunc(required, func(key any) bool { return !slices.Contains(keys, key) })
		},
		"a property has no default": func(s yaml.MapSlice) bool {
			properties, _ := member(s, "properties").(yaml.MapSlice)
			return !slices.ContainsFunc(properties, func(p yaml.MapItem) bool { return member(p.Value, "default") != nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			walk(ordered(t, api.Parts{Control: true, Extensions: true}.YAML()), func(schema yaml.MapSlice) {
				if !rule(schema) {
					t.Errorf("%v", schema)
				}
			})
		})
	}
}

// typed reports whether a schema has a type, alone or beside null.
func typed(schema yaml.MapSlice, name string) bool {
	kind := member(schema, "type")
	kinds, _ := kind.([]any)
	return kind == name || slices.Contains(kinds, any(name))
}

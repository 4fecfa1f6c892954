package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The document closes every object of an answer, so that a key that it does not have is one that it does not allow.
func TestDocument(t *testing.T) {
	t.Parallel()
	all, err := operations()
	commandtest.NoError(t, err)
	var ids []string
	for _, op := range all {
		ids = append(ids, op.id)
		if op.accept == "" {
			t.Errorf("%s has no version", op.id)
		}
		for status, r := range op.responses {
			for path, f := range r.body {
				if len(f.types) == 0 {
					t.Errorf("%s %d: %s has no type", op.id, status, path)
				}
			}
		}
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"getQualificationCheck", "getVerificationRequest"}) {
		t.Errorf("the operations are %s", ids)
	}
}

// Every word of the schemas that could change what a body may be is compared.
func TestDocumentWords(t *testing.T) {
	t.Parallel()
	text, err := api.SurfaceJSON()
	commandtest.NoError(t, err)
	var d struct {
		Components struct{ Schemas map[string]any }
	}
	commandtest.NoError(t, json.Unmarshal(text, &d))
	compared := strings.Fields("type enum pattern required description examples deprecated format")
	var check func(at string, schema any)
	check = func(at string, s any) {
		object, ok := s.(map[string]any)
		if !ok {
			return
		}
		if object["properties"] != nil && object["additionalProperties"] != false {
			t.Errorf("%s may have unknown keys", at)
		}
		for word, value := range object {
			switch word {
			case "$ref":
				check(at, d.Components.Schemas[strings.TrimPrefix(value.(string), "#/components/schemas/")])
			case "properties":
				for key, below := range value.(map[string]any) {
					check(join(at, key), below)
				}
			case "items", "additionalProperties":
				check(join(at, "*"), value)
			case "allOf", "anyOf", "oneOf":
				for _, part := range value.([]any) {
					check(at, part)
				}
			default:
				if !slices.Contains(compared, word) {
					t.Errorf("%s: the word %q is not compared", at, word)
				}
			}
		}
	}
	for _, name := range []string{"VerificationRequest", "VerificationRequestSelection", "QualificationCheck", "Error"} {
		check(name, d.Components.Schemas[name])
	}
}

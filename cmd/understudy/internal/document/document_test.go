package document

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
	all, err := Operations()
	commandtest.NoError(t, err)
	var ids []string
	for _, op := range all {
		ids = append(ids, op.ID)
		if op.Accept == "" {
			t.Errorf("%s has no version", op.ID)
		}
		for status, r := range op.Responses {
			for path, f := range r.Body {
				if len(f.Types) == 0 {
					t.Errorf("%s %d: %s has no type", op.ID, status, path)
				}
			}
		}
	}
	var rows []string
	for _, op := range api.Operations() {
		if !op.Extension {
			rows = append(rows, op.Name)
		}
	}
	slices.Sort(ids)
	if slices.Sort(rows); !slices.Equal(ids, rows) {
		t.Errorf("the operations are %s, want %s", ids, rows)
	}
}

// Every word of the schemas that could change what a body may be is compared.
func TestDocumentWords(t *testing.T) {
	t.Parallel()
	text, err := api.Parts{}.JSON()
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
					check(Join(at, key), below)
				}
			case "items", "additionalProperties":
				check(Join(at, "*"), value)
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
	for _, name := range []string{"VerificationRequest", "QualificationCheck", "Error"} {
		check(name, d.Components.Schemas[name])
	}
}

// A body is visited at the paths of the document, each item of a list too, and not below a value that visit ends at.
func TestWalk(t *testing.T) {
	t.Parallel()
	all := Fields{}
	for _, path := range []string{"", "id", "reports", "reports.*", "reports.*.id", "metadata", "metadata.*", "target", "target.id"} {
		all[path] = &Field{}
	}
	var body any
	commandtest.NoError(t, json.Unmarshal([]byte(`{"id":"a","more":{"id":"b"},"reports":[{"id":"c"},{"id":"d"}],"metadata":{"any":"e"},"target":{"id":"f"}}`), &body))
	var seen []string
	all.Walk("", body, func(at string, value any) bool {
		if text, ok := value.(string); ok {
			seen = append(seen, at+" "+text)
		}
		return at != "target"
	})
	slices.Sort(seen)
	if want := []string{"id a", "metadata.* e", "reports.*.id c", "reports.*.id d"}; !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}

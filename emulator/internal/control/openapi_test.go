package control_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// published returns the OpenAPI document.
func published(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	lab.NoError(t, err)
	return doc
}

// publishedCalls returns the calls of the control plane in the document, by method and path.
func publishedCalls(t *testing.T) map[string]*openapi3.Operation {
	t.Helper()
	all := make(map[string]*openapi3.Operation)
	for path, item := range published(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Tags[0] == "Control plane" {
				all[method+" "+path] = operation
			}
		}
	}
	return all
}

// The OpenAPI document has the endpoints of the table and no others.
func TestOpenAPIEndpoints(t *testing.T) {
	t.Parallel()
	parameter := regexp.MustCompile(`:(\w+)`)
	want := []string{"GET " + lab.Control + "journal/stream"} // where the router has it: in the place of an id
	for _, c := range control.Calls() {
		want = append(want, c.Method+" "+parameter.ReplaceAllString(c.Path, "{$1}"))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(publishedCalls(t)))); diff != "" {
		t.Errorf("(-table +document):\n%s", diff)
	}
}

// What a call's query may have stands in the table, where unknown parameters are found by it, and in the document.
func TestOpenAPIQueryParameters(t *testing.T) {
	t.Parallel()
	documented, parameter := publishedCalls(t), regexp.MustCompile(`:(\w+)`)
	for _, c := range control.Calls() {
		path := parameter.ReplaceAllString(c.Path, "{$1}")
		if path == lab.Control+"journal/{id}" {
			path = lab.Control + "journal/stream"
		}
		operation := documented[c.Method+" "+path]
		if operation == nil {
			t.Errorf("the control plane serves %s %s, and the OpenAPI document has no such call: add it to openapi.yaml", c.Method, path)
			continue
		}
		var got []string
		for _, p := range operation.Parameters {
			if p.Value.In == openapi3.ParameterInQuery {
				got = append(got, p.Value.Name)
			}
		}
		if diff := cmp.Diff(c.Query, got); diff != "" {
			t.Errorf("%s %s (-table +document):\n%s", c.Method, path, diff)
		}
	}
}

// No object of the control plane has keys that its schema does not name.
func TestOpenAPISchemasAreStrict(t *testing.T) {
	t.Parallel()
	for name, operation := range publishedCalls(t) {
		for status, response := range operation.Responses.Map() {
			for _, media := range response.Value.Content {
				schema := media.Schema.Value
				if schema.Type.Is("object") && len(schema.Properties) > 0 && (schema.AdditionalProperties.Has == nil || *schema.AdditionalProperties.Has) {
					t.Errorf("%s %s lets other keys through", name, status)
				}
			}
		}
	}
}

// The document says that every body is JSON or YAML, except a snapshot, which is too large for YAML.
func TestOpenAPIMediaTypes(t *testing.T) {
	t.Parallel()
	for name, operation := range publishedCalls(t) {
		if body := operation.RequestBody; body != nil && operation.OperationID != "restoreSnapshot" {
			if got := slices.Sorted(maps.Keys(body.Value.Content)); !slices.Equal(got, []string{"application/json", "application/yaml"}) {
				t.Errorf("%s takes %s", name, got)
			}
		}
	}
}

// The enumerations of the document are those of the code.
func TestOpenAPIEnumerations(t *testing.T) {
	t.Parallel()
	doc := published(t)
	for name, want := range map[string]string{
		"Operation": fmt.Sprint(journal.NamesOf(api.Operations())), "State": fmt.Sprint(api.State("").Values()),
		"FaultName": fmt.Sprint(scenarios.Fault("").Values()), "RuleOperation": fmt.Sprint(scenarios.Operation("").Values()),
	} {
		if got := fmt.Sprint(doc.Components.Schemas[name].Value.Enum); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

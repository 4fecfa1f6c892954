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

// The OpenAPI document has the endpoints of the table and no others.
func TestOpenAPIEndpoints(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`:(\w+)`)
	want := []string{"GET " + lab.Control + "journal/stream"} // where the router has it: in the place of an id
	for _, c := range control.Calls() {
		want = append(want, c.Method+" "+parameter.ReplaceAllString(c.Path, "{$1}"))
	}
	var got []string
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Tags[0] == "Control plane" {
				got = append(got, method+" "+path)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-table +document):\n%s", diff)
	}
}

// What a call's query may have stands in the table, where unknown parameters are found by it, and in the document.
func TestOpenAPIQueryParameters(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`:(\w+)`)
	for _, c := range control.Calls() {
		path := parameter.ReplaceAllString(c.Path, "{$1}")
		if path == lab.Control+"journal/{id}" {
			path = lab.Control + "journal/stream"
		}
		item := doc.Paths.Value(path)
		if item == nil || item.GetOperation(c.Method) == nil {
			t.Errorf("the control plane serves %s %s, and the OpenAPI document has no such call: add it to openapi.yaml", c.Method, path)
			continue
		}
		var got []string
		for _, p := range item.GetOperation(c.Method).Parameters {
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
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					schema := media.Schema.Value
					open := schema.Type.Is("object") && len(schema.Properties) > 0 && (schema.AdditionalProperties.Has == nil || *schema.AdditionalProperties.Has)
					if operation.Tags[0] == "Control plane" && open {
						t.Errorf("%s %s %s lets other keys through", method, path, status)
					}
				}
			}
		}
	}
}

// The document says that every body is JSON or YAML, except a snapshot, which is too large for YAML.
func TestOpenAPIMediaTypes(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if body := operation.RequestBody; body != nil && operation.Tags[0] == "Control plane" && operation.OperationID != "restoreSnapshot" {
				if got := slices.Sorted(maps.Keys(body.Value.Content)); !slices.Equal(got, []string{"application/json", "application/yaml"}) {
					t.Errorf("%s %s takes %s", method, path, got)
				}
			}
		}
	}
}

// The enumerations of the document are those of the code.
func TestOpenAPIEnumerations(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Operation": fmt.Sprint(journal.NamesOf(api.Operations())), "State": fmt.Sprint(api.State("").Values()),
		"FaultName": fmt.Sprint(scenarios.Fault("").Values()), "RuleOperation": fmt.Sprint(scenarios.Operation("").Values()),
	} {
		if got := fmt.Sprint(doc.Components.Schemas[name].Value.Enum); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

package api_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

var document = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
})

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func schemaNamed(t *testing.T, name string) *openapi3.SchemaRef {
	t.Helper()
	schema := load(t).Components.Schemas[name]
	if schema == nil {
		t.Fatalf("there is no schema %s", name)
	}
	return schema
}

// operations are the rows of the operations that the spec shows.
var operations = slices.DeleteFunc(api.Operations(), func(o api.Operation) bool { return o.Extension })

var parameter = regexp.MustCompile(`\{\w+\}`)

// pathOf returns a path of the document as the rows have it.
func pathOf(documented string) string { return parameter.ReplaceAllString(documented, ":id") }

func TestOpenAPIValid(t *testing.T) {
	t.Parallel()
	if err := load(t).Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenAPIOperations(t *testing.T) {
	t.Parallel()
	doc := load(t)
	var want, got []string
	for _, o := range api.Operations() {
		want = append(want, o.Method+" "+o.Path+" "+o.Name)
	}
	for path, item := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/_understudy/") {
			continue // the control plane compares these with its own table
		}
		for method, operation := range item.Operations() {
			got = append(got, method+" "+pathOf(path)+" "+operation.OperationID)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-rows +document): add it to openapi.yaml\n%s", diff)
	}
}

func TestOpenAPIStatuses(t *testing.T) {
	t.Parallel()
	doc := load(t)
	documented := map[string]*openapi3.Operation{}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			documented[operation.OperationID] = operation
		}
	}
	for _, o := range api.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			documented := documented[o.Name]
			if documented == nil {
				t.Fatal("the document does not have it")
			}
			var got []int
			for text, response := range documented.Responses.Map() {
				status, err := strconv.Atoi(text)
				if err != nil {
					t.Fatalf("response %q is not of one status", text)
				}
				got = append(got, status)
				checkResponse(t, status, response.Value, o.Extension)
			}
			slices.Sort(got)
			if diff := cmp.Diff(append([]int{o.Success}, o.Errors...), got); diff != "" {
				t.Errorf("statuses (-row +document):\n%s", diff)
			}
			if !strings.Contains(documented.Description, "`application/json; version="+o.Version+"`") {
				t.Errorf("the description does not name the version %s", o.Version)
			}
		})
	}
}

// checkResponse checks what all responses have in common: JSON, headers, and for errors the envelope and examples. The surface
// provokes each example.
func checkResponse(t *testing.T, status int, response *openapi3.Response, extension bool) {
	t.Helper()
	want := []string{"Understudy-Diagnosis", "Understudy-Request-Id", "Understudy-Scenario", "Understudy-World"}
	if extension && status < 400 {
		want = slices.Insert(want, 1, "Understudy-Extension")
	}
	switch status {
	case http.StatusUnauthorized:
		want = append(want, "WWW-Authenticate")
	case http.StatusTooManyRequests:
		want = append([]string{"Retry-After"}, want...)
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(response.Headers))); diff != "" {
		t.Errorf("headers of %d (-want +document):\n%s", status, diff)
	}
	media := response.Content["application/json"]
	if len(response.Content) != 1 || media == nil {
		t.Fatalf("%d is not application/json only", status)
	}
	if status < 400 {
		return
	}
	if media.Schema.Ref != "#/components/schemas/Error" {
		t.Errorf("%d has the schema %q, not the error envelope", status, media.Schema.Ref)
	}
	if len(media.Examples) == 0 {
		t.Errorf("%d has no example of its messages", status)
	}
}

func TestOpenAPIValues(t *testing.T) {
	t.Parallel()
	const set = `{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":`
	for _, tt := range []struct {
		schema string
		valid  bool
		values []string
	}{
		{"Amount", true, []string{`"0.00"`, `"-12.50"`, `"1234567.89"`}},
		{"Amount", false, []string{`null`, `""`, `"1"`, `"1.5"`, `"1.500"`, `"1,000.00"`, `"+1.00"`, `"1.00\n"`, `1.00`}},
		{"NullableAmount", true, []string{`null`, `"1.00"`}},
		{"Decimal", true, []string{`"40"`, `"0.3333"`, `"-1.5"`, `"0"`}},
		{"Decimal", false, []string{`null`, `""`, `"."`, `"1."`, `".5"`, `"007"`, `"00.5"`, `"1e3"`, `40`}},
		{"Date", true, []string{`"2024-02-29"`}},
		{"Date", false, []string{`null`, `"2024-2-9"`, `"2024-13-01"`, `"2024-02-29T00:00:00Z"`}},
		{"NullableDate", true, []string{`null`, `"2024-02-29"`}},
		{"Datetime", true, []string{`"2025-01-15T09:30:00.000000Z"`, `"2025-01-15T09:30:00.123456Z"`}},
		{"Datetime", false, []string{
			`null`, `"2025-01-15"`, `"2025-01-15T09:30:00Z"`, `"2025-01-15T09:30:00.5Z"`, `"2025-01-15T09:30:00.000000+00:00"`, `"2025-01-15T25:30:00.000000Z"`,
		}},
		{"NullableDatetime", true, []string{`null`, `"2025-01-15T09:30:00.000000Z"`}},
		{"ObfuscatedSSN", true, []string{`null`, `"***-**-1234"`}},
		{"ObfuscatedSSN", false, []string{`"000001234"`, `"***-**-****"`, `"xxx-xx-1234"`}},
		{"QualificationCheckSet", true, []string{set + `"3"}`, set + `"0.05"}`, set + `null}`}},
		{"QualificationCheckSet", false, []string{set + `"0"}`, set + `"0.00"}`, set + `"-3"}`}},
	} {
		schema := schemaNamed(t, tt.schema).Value
		for _, text := range tt.values {
			var value any
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(err)
			}
			if err := schema.VisitJSON(value); (err == nil) != tt.valid {
				t.Errorf("%s: %s: valid is %v, want %v (%v)", tt.schema, text, err == nil, tt.valid, err)
			}
		}
	}
}

func TestOpenAPIDeprecated(t *testing.T) {
	t.Parallel()
	for schema, key := range map[string]string{"QualificationCheckSet": "income_multiple", "AnnualizedIncome": "amount"} {
		if !schemaNamed(t, schema).Value.Properties[key].Value.Deprecated {
			t.Errorf("%s.%s is not marked deprecated", schema, key)
		}
	}
}

func TestOpenAPIUnusedSchemas(t *testing.T) {
	t.Parallel()
	text := string(api.Parts{Control: true, Extensions: true}.YAML())
	for name := range load(t).Components.Schemas {
		if !strings.Contains(text, `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to the schema %s", name)
		}
	}
}

func TestOpenAPIPropertyOrder(t *testing.T) {
	t.Parallel()
	doc := ordered(t, api.Parts{Control: true, Extensions: true}.YAML())
	walk(doc, func(schema yaml.MapSlice) {
		keys, required := keysOf(member(schema, "properties")), member(schema, "required")
		if required, ok := required.([]any); ok && len(keys) == len(required) {
			if diff := cmp.Diff(required, keys); diff != "" {
				t.Errorf("(-required +properties):\n%s", diff)
			}
		}
	})
}

// TestParts has its content.
func TestOpenAPIJSON(t *testing.T) {
	t.Parallel()
	converted, err := api.Parts{}.JSON()
	if err != nil || !strings.HasPrefix(string(converted), "{\n  \"openapi\": \"3.1.0\",\n") {
		t.Errorf("%v: does not begin as an indented document: %.60s", err, converted)
	}
	if second, err := (api.Parts{}).JSON(); err != nil || string(second) != string(converted) {
		t.Errorf("a second conversion differs (%v)", err)
	}
}

func TestOpenAPIYAML(t *testing.T) {
	t.Parallel()
	clear(api.Parts{Control: true, Extensions: true}.YAML())
	if text := string(api.Parts{Control: true, Extensions: true}.YAML()); !strings.HasPrefix(text, "openapi: 3.1.0\n") {
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

package api_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
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
	return openapi3.NewLoader().LoadFromData(api.OpenAPIYAML())
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

// operations is spec section 4, with the versions of section 9.
var operations = []struct {
	method, path, id, version string
	statuses                  []int
}{
	{"PUT", "/verification-requests/{verification_request_id}/cancel", "cancelVerificationRequest", "2022-08-01",
		[]int{200, 400, 401, 403, 404, 406, 429, 451, 500, 501}},
	{"GET", "/verification-requests/{verification_request_id}", "getVerificationRequest", "2019-10-15",
		[]int{200, 400, 401, 403, 404, 406, 429, 451, 500, 501}},
	{"PUT", "/tenant-properties/{tenant_property_id}", "updateTenantProperty", "2023-10-30",
		[]int{200, 400, 401, 403, 404, 406, 429, 451, 500, 501}},
	{"POST", "/credentials/session", "createCredentialsSession", "2022-08-01",
		[]int{201, 400, 401, 403, 406, 429, 451, 500, 501}},
	{"GET", "/qualification-checks/{qualification_check_result_id}", "getQualificationCheck", "2023-10-30",
		[]int{200, 400, 401, 403, 404, 406, 429, 451, 500, 501}},
}

func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	if err := load(t).Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenAPIHasTheOperationsOfTheSpecAndNoOthers(t *testing.T) {
	t.Parallel()
	doc := load(t)
	var want, got []string
	for _, o := range operations {
		want = append(want, o.method+" "+o.path+" "+o.id)
	}
	for path, item := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/_understudy/") {
			continue // the control plane's, which holds them against its own table
		}
		for method, operation := range item.Operations() {
			got = append(got, method+" "+path+" "+operation.OperationID)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-spec +document):\n%s", diff)
	}
}

func TestOpenAPIOperationsListTheStatusesOfTheSpec(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, o := range operations {
		t.Run(o.id, func(t *testing.T) {
			t.Parallel()
			operation := doc.Paths.Value(o.path).GetOperation(o.method)
			var got []int
			for text, response := range operation.Responses.Map() {
				status, err := strconv.Atoi(text)
				if err != nil {
					t.Fatalf("response %q is not of one status", text)
				}
				got = append(got, status)
				checkResponse(t, status, response.Value)
			}
			slices.Sort(got)
			if diff := cmp.Diff(o.statuses, got); diff != "" {
				t.Errorf("statuses (-spec +document):\n%s", diff)
			}
			if !strings.Contains(operation.Description, "`application/json; version="+o.version+"`") {
				t.Errorf("the description does not name the version %s", o.version)
			}
		})
	}
}

// checkResponse looks at what all responses have in common: JSON, the headers, and for errors the envelope and examples
// that say what the server says.
func checkResponse(t *testing.T, status int, response *openapi3.Response) {
	t.Helper()
	want := []string{"Understudy-Diagnosis", "Understudy-Request-Id", "Understudy-Scenario", "Understudy-World"}
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
	known := map[string]any{
		api.StatusMessage(status):                       nil,
		api.VerificationNotFound("").Message:            nil,
		api.AlreadyTerminal(api.StateCompleted).Message: nil,
	}
	for name, example := range media.Examples {
		envelope := example.Value.Value.(map[string]any)
		message := envelope["error"].(map[string]any)["message"].(string)
		if _, ok := known[message]; !ok {
			t.Errorf("%d, example %s: the server never says %q", status, name, message)
		}
	}
}

// neverNull are the lists that the spec does not mark N.
var neverNull = []string{
	"VerificationRequest.reports[].disputes",
	"VerificationRequest.reports[].employee.positions",
	"QualificationCheck.result.report_results",
}

// beyondValues are what an enumeration has in one context beside the values of its Go type (spec 2.1, section 3).
var beyondValues = map[string][]any{
	"VerificationRequest.use_case":                            {"other"},
	"VerificationRequest.reseller_originating_party.use_case": {"other"},
	"CanceledVerification.state":                              {"other"},
	"CanceledVerification.cancellation_reason":                {"no-match"},
}

func TestOpenAPISchemasAgreeWithTheGoTypes(t *testing.T) {
	t.Parallel()
	for name, resource := range map[string]any{
		"VerificationRequest":  api.VerificationRequest{},
		"CanceledVerification": api.CanceledVerification{},
		"TenantProperty":       api.TenantProperty{},
		"CredentialsSession":   api.CredentialsSession{},
		"QualificationCheck":   api.QualificationCheck{},
		"Error":                api.ErrorEnvelope{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, name, schemaNamed(t, name).Value, reflect.TypeOf(resource))
		})
	}
}

// compare holds a schema against the Go type of the same value, all the way down.
func compare(t *testing.T, path string, schema *openapi3.Schema, goType reflect.Type) {
	t.Helper()
	kind := goType.Kind()
	nullable := kind == reflect.Pointer || kind == reflect.Map || kind == reflect.Slice && !slices.Contains(neverNull, path)
	if got := schema.VisitJSON(nil) == nil; got != nullable {
		t.Errorf("%s: nullable is %v in the document, %v in Go", path, got, nullable)
	}
	if got := takesNull(schema); got != nullable {
		t.Errorf("%s: nullable is %v to a strict reader of OpenAPI 3.0.3, %v in Go", path, got, nullable)
	}
	if kind == reflect.Pointer {
		goType = goType.Elem()
	}
	schema = merged(schema)
	compareEnum(t, path, schema, goType, nullable)
	switch {
	case goType == reflect.TypeFor[api.Decimal]():
		expect(t, path, schema, "string", "")
		if schema.Pattern == "" {
			t.Errorf("%s: a decimal without a pattern", path)
		}
	case goType == reflect.TypeFor[api.Date]():
		expect(t, path, schema, "string", "date")
	case goType == reflect.TypeFor[api.Datetime]():
		expect(t, path, schema, "string", "date-time")
	case goType.Kind() == reflect.String:
		expect(t, path, schema, "string", "")
	case goType.Kind() == reflect.Bool:
		expect(t, path, schema, "boolean", "")
	case goType.Kind() == reflect.Int:
		expect(t, path, schema, "integer", "")
	case goType.Kind() == reflect.Slice:
		expect(t, path, schema, "array", "")
		compare(t, path+"[]", schema.Items.Value, goType.Elem())
	case goType.Kind() == reflect.Map:
		expect(t, path, schema, "object", "")
		compare(t, path+"{}", schema.AdditionalProperties.Schema.Value, goType.Elem())
	case goType.Kind() == reflect.Struct:
		expect(t, path, schema, "object", "")
		compareKeys(t, path, schema, goType)
	default:
		t.Errorf("%s: no rule for the Go type %s", path, goType)
	}
}

func compareKeys(t *testing.T, path string, schema *openapi3.Schema, goType reflect.Type) {
	t.Helper()
	if has := schema.AdditionalProperties.Has; has == nil || *has {
		t.Errorf("%s: lets other keys through", path)
	}
	var keys []string
	for field := range goType.Fields() {
		key := field.Tag.Get("json")
		keys = append(keys, key)
		if property := schema.Properties[key]; property != nil {
			compare(t, path+"."+key, property.Value, field.Type)
		}
	}
	if diff := cmp.Diff(keys, schema.Required); diff != "" {
		t.Errorf("%s: required keys (-Go +document):\n%s", path, diff)
	}
	slices.Sort(keys)
	if diff := cmp.Diff(keys, slices.Sorted(maps.Keys(schema.Properties))); diff != "" {
		t.Errorf("%s: properties (-Go +document):\n%s", path, diff)
	}
}

func compareEnum(t *testing.T, path string, schema *openapi3.Schema, goType reflect.Type, nullable bool) {
	t.Helper()
	want := append(valuesOf(goType), beyondValues[path]...)
	if len(want) > 0 && nullable {
		want = append(want, nil)
	}
	if diff := cmp.Diff(want, schema.Enum); diff != "" {
		t.Errorf("%s: enumeration (-Go +document):\n%s", path, diff)
	}
}

// valuesOf calls Values of an enumeration's Go type; other types have none.
func valuesOf(goType reflect.Type) []any {
	method := reflect.Zero(goType).MethodByName("Values")
	if !method.IsValid() {
		return nil
	}
	var values []any
	for _, value := range method.Call(nil)[0].Seq2() {
		values = append(values, value.String())
	}
	return values
}

func expect(t *testing.T, path string, schema *openapi3.Schema, jsonType, format string) {
	t.Helper()
	if !schema.Type.Is(jsonType) || schema.Format != format {
		t.Errorf("%s: is %v %q, not %s %q", path, schema.Type.Slice(), schema.Format, jsonType, format)
	}
}

// merged gives an allOf as the one schema that it amounts to, as far as compare looks.
func merged(schema *openapi3.Schema) *openapi3.Schema {
	if len(schema.AllOf) == 0 {
		return schema
	}
	whole := *merged(schema.AllOf[0].Value)
	for _, part := range schema.AllOf[1:] {
		whole.Required = append(slices.Clone(whole.Required), part.Value.Required...)
	}
	return &whole
}

// takesNull reads null as OpenAPI 3.0.3 has it, word for word: nullable widens the type beside it and nothing else. A
// schema without a type is about objects here and takes none.
func takesNull(schema *openapi3.Schema) bool {
	if schema.Type == nil && len(schema.AllOf) == 0 || schema.Type != nil && !schema.Nullable {
		return false
	}
	if len(schema.Enum) > 0 && !slices.Contains(schema.Enum, nil) {
		return false
	}
	for _, part := range schema.AllOf {
		if !takesNull(part.Value) {
			return false
		}
	}
	if len(schema.OneOf) == 0 {
		return true
	}
	taking := 0
	for _, branch := range schema.OneOf {
		if takesNull(branch.Value) {
			taking++
		}
	}
	return taking == 1
}

func TestOpenAPIRequestEnumerationsAgreeWithTheGoTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		schema, key string
		values      any
	}{
		{"Cancellation", "cancellation_reason", api.CancellationReason("")},
		{"CredentialsSessionInput", "permissible_purpose", api.PermissiblePurpose("")},
		{"CredentialsSessionInput", "type", api.VerificationType("")},
		{"CredentialsSessionInput", "use_case", api.UseCase("")},
		{"ResellerOriginatingPartyInput", "permissible_purpose", api.PermissiblePurpose("")},
		{"ResellerOriginatingPartyInput", "use_case", api.UseCase("")},
	} {
		got := schemaNamed(t, tt.schema).Value.Properties[tt.key].Value.Enum
		if diff := cmp.Diff(valuesOf(reflect.TypeOf(tt.values)), got); diff != "" {
			t.Errorf("%s.%s (-Go +document):\n%s", tt.schema, tt.key, diff)
		}
	}
}

func TestOpenAPISchemasJudgeValues(t *testing.T) {
	t.Parallel()
	const person = `"first_name":"Ada","last_name":"Example","social_security_number":"000000000"`
	for _, tt := range []struct {
		schema string
		valid  bool
		values []string
	}{
		{"Amount", true, []string{`"0.00"`, `"-12.50"`, `"1234567.89"`}},
		{"Amount", false, []string{`null`, `""`, `"1"`, `"1.5"`, `"1.500"`, `"1,000.00"`, `"+1.00"`, `"1.00\n"`, `1.00`}},
		{"NullableAmount", true, []string{`null`, `"1.00"`}},
		{"Decimal", true, []string{`"40"`, `"0.3333"`, `"-1.5"`}},
		{"Decimal", false, []string{`null`, `""`, `"."`, `"1."`, `".5"`, `"1e3"`, `40`}},
		{"Date", true, []string{`"2024-02-29"`}},
		{"Date", false, []string{`null`, `"2024-2-9"`, `"2024-13-01"`, `"2024-02-29T00:00:00Z"`}},
		{"NullableDate", true, []string{`null`, `"2024-02-29"`}},
		{"Datetime", true, []string{`"2025-01-15T09:30:00Z"`}},
		{"Datetime", false, []string{
			`null`, `"2025-01-15"`, `"2025-01-15T09:30:00.5Z"`, `"2025-01-15T09:30:00+00:00"`, `"2025-01-15T25:30:00Z"`,
		}},
		{"NullableDatetime", true, []string{`null`, `"2025-01-15T09:30:00Z"`}},
		{"ObfuscatedSSN", true, []string{`null`, `"***-**-1234"`}},
		{"ObfuscatedSSN", false, []string{`"000001234"`, `"***-**-****"`, `"xxx-xx-1234"`}},
		{"Currency", true, []string{`null`, `"USD"`}},
		{"Currency", false, []string{`"EUR"`, `"null"`}},
		{"ReturnedCancellationReason", true, []string{`null`, `"other"`}},
		{"ReturnedCancellationReason", false, []string{`"no-match"`}},
		{"CanceledReason", true, []string{`null`, `"no-match"`}},
		{"CancellationReason", false, []string{`null`, `"no-match"`}},
		{"State", false, []string{`null`, `"other"`}},
		{"CanceledState", true, []string{`"other"`}},
		{"UseCase", false, []string{`"other"`}},
		{"ReturnedUseCase", true, []string{`"other"`}},
		{"Metadata", true, []string{`null`, `{}`, `{"a":"b"}`}},
		{"Metadata", false, []string{`{"a":1}`, `{"a":null}`, `{"a":{"b":"c"}}`, `[]`}},
		{"QualificationCheckSet", true, []string{
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":"3"}`,
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":"0.05"}`,
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":null}`,
		}},
		{"QualificationCheckSet", false, []string{
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":"0"}`,
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":"0.00"}`,
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25","income_multiple":"-3"}`,
			`{"id":"a","name":"b","applicant_rent_to_income_ratio":"0.33","guarantor_rent_to_income_ratio":"0.25"}`,
		}},
		{"VerificationRequestSelection", true, []string{`{}`, `{"id":"a","reports":null}`}},
		{"VerificationRequestSelection", false, []string{`null`, `{"extra":1}`, `{"id":null}`}},
		{"VerificationRequest", false, []string{`null`, `{}`, `{"id":"a"}`}},
		{"Error", true, []string{`{"error":{"message":"a"}}`}},
		{"Error", false, []string{
			`{}`, `{"error":null}`, `{"error":{}}`, `{"error":{"message":null}}`, `{"error":{"message":"a","code":1}}`,
			`{"error":{"message":"a"},"status":400}`,
		}},
		{"Cancellation", true, []string{
			`{"cancellation_reason":"other"}`, `{"cancellation_reason":"other","cancellation_details":null,"extra":1}`,
		}},
		{"Cancellation", false, []string{`{}`, `{"cancellation_reason":"no-match"}`, `{"cancellation_reason":null}`}},
		{"TargetInput", true, []string{
			`{` + person + `}`,
			`{` + person + `,"company":null,"date_of_birth":null,"extra":1}`,
			`{` + person + `,"company":{"name":"a","city":null,"extra":1},"date_of_birth":"1990-01-02"}`,
			`{` + person + `,"company":{"id":"1"}}`,
		}},
		{"TargetInput", false, []string{
			`{}`,
			`{` + person + `,"company":{}}`,
			`{` + person + `,"company":{"id":1}}`,
			`{` + person + `,"company":{"id":"1","name":"a"}}`,
			`{` + person + `,"date_of_birth":"02.01.1990"}`,
		}},
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

func TestOpenAPIMarksWhatIsDeprecated(t *testing.T) {
	t.Parallel()
	for schema, key := range map[string]string{"QualificationCheckSet": "income_multiple", "AnnualizedIncome": "amount"} {
		if !schemaNamed(t, schema).Value.Properties[key].Value.Deprecated {
			t.Errorf("%s.%s is not marked deprecated", schema, key)
		}
	}
}

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

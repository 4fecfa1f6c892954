package api_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// neverNull are the lists that may not be null (spec 2).
var neverNull = []string{
	"VerificationRequest.reports[].disputes",
	"VerificationRequest.reports[].employee.positions",
	"QualificationCheck.result.report_results",
}

// beyondValues are the additional values of an enumeration in one context (spec 2.1, spec 3).
var beyondValues = map[string][]any{
	"CanceledVerification.state":               {"other"},
	"CanceledVerification.cancellation_reason": {"no-match"},
}

func TestOpenAPITypes(t *testing.T) {
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

// compare compares a schema with the Go type of the same value, recursively.
func compare(t *testing.T, path string, schema *openapi3.Schema, goType reflect.Type) {
	t.Helper()
	kind := goType.Kind()
	nullable := kind == reflect.Pointer || kind == reflect.Map || kind == reflect.Slice && !slices.Contains(neverNull, path)
	if got := schema.VisitJSON(nil) == nil; got != nullable {
		t.Errorf("%s: nullable is %v in the document, %v in Go", path, got, nullable)
	}
	if kind == reflect.Pointer {
		goType = goType.Elem()
	}
	schema = referred(schema)
	compareEnum(t, path, schema, goType)
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

func compareEnum(t *testing.T, path string, schema *openapi3.Schema, goType reflect.Type) {
	t.Helper()
	want := append(valuesOf(goType), beyondValues[path]...)
	if diff := cmp.Diff(want, schema.Enum); diff != "" {
		t.Errorf("%s: enumeration (-Go +document):\n%s", path, diff)
	}
}

// valuesOf returns the values of an enumeration's Go type, nil for other types.
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
	withoutNull := slices.DeleteFunc(slices.Clone(schema.Type.Slice()), func(name string) bool { return name == "null" })
	if !slices.Equal(withoutNull, []string{jsonType}) || schema.Format != format {
		t.Errorf("%s: is %v %q, not %s %q", path, schema.Type.Slice(), schema.Format, jsonType, format)
	}
}

// referred returns the schema that an allOf describes, or the one beside null in a oneOf.
func referred(schema *openapi3.Schema) *openapi3.Schema {
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf) {
		if !part.Value.Type.Is("null") {
			return referred(part.Value)
		}
	}
	return schema
}

func TestOpenAPIRequestEnums(t *testing.T) {
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
		want := slices.DeleteFunc(valuesOf(reflect.TypeOf(tt.values)), func(value any) bool { return tt.key == "use_case" && value == "other" })
		got := schemaNamed(t, tt.schema).Value.Properties[tt.key].Value.Enum
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s.%s (-Go +document):\n%s", tt.schema, tt.key, diff)
		}
	}
}

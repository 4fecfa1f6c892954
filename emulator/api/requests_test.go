package api_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The OpenAPI document and the decoders accept the same request bodies. Each body here is valid except for one key, which
// gets each of many values in turn.
func TestOpenAPIRequestBodies(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	const company = `"company": {"name": "Mill"}`
	for schema, tt := range map[string]struct {
		decode func(*http.Request) error
		body   string
	}{
		"Cancellation": {
			func(r *http.Request) error { _, _, err := api.DecodeCancellation(r); return err },
			`{"cancellation_reason": "other", "cancellation_details": "x"}`,
		},
		"TenantPropertyUpdate": {
			func(r *http.Request) error { _, _, err := api.DecodeTenantPropertyUpdate(r); return err },
			`{"name": "a", "address_line_1": "b", "address_line_2": "c", "address_line_3": "d", "city": "e", "postal_code": "f", "state": "g"}`,
		},
		"CredentialsSessionInput": {
			func(r *http.Request) error { _, _, err := api.DecodeNewCredentialsSession(r); return err },
			`{"permissible_purpose": "employment", "type": "assets", "use_case": "auto", "metadata": {"k": "v"},
				"reseller_originating_party": {"originating_party": "p", "permissible_purpose": "employment", "use_case": "health"},
				"target": {"first_name": "a", "last_name": "b", "social_security_number": "000-12-3456", "contact_email": "c",
					"date_of_birth": "1990-02-28", "phone_number": "d", ` + company + `}}`,
		},
	} {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			compare := func(body any) {
				text, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				byDocument := document.Components.Schemas[schema].Value.VisitJSON(body)
				byDecoder := tt.decode(post("application/json", string(text)))
				if (byDocument == nil) != (byDecoder == nil) {
					t.Errorf("%s\ndocument: %v\ndecoder: %v", text, byDocument, byDecoder)
				}
			}
			var body map[string]any
			if err := json.Unmarshal([]byte(tt.body), &body); err != nil {
				t.Fatal(err)
			}
			compare(body)
			eachChange(body, func() { compare(body) })
		})
	}
}

// eachChange sets every key of an object, and of its inner objects, to many values in turn and then deletes it. It calls
// check after each change and then undoes the change.
func eachChange(object map[string]any, check func()) {
	values := []any{
		nil, "", " ", "x", "other", "immediate", "no-match", "mortgage", "assets", "subpoena", "000000451", "12345",
		7.0, true, []any{}, []any{"x"}, map[string]any{}, map[string]any{"x": "y"}, map[string]any{"x": 1.0},
		map[string]any{"id": "5"}, map[string]any{"id": ""}, map[string]any{"id": 5.0}, map[string]any{"name": "a"},
		map[string]any{"name": ""}, map[string]any{"id": "5", "name": nil}, map[string]any{"id": nil, "name": "a"},
		map[string]any{"id": "5", "name": "a"}, map[string]any{"id": "5", "name": ""}, map[string]any{"id": nil, "name": nil},
		map[string]any{"name": "a", "city": nil}, map[string]any{"name": "a", "city": 5.0}, map[string]any{"id": "5", "zip_code": ""},
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		right := object[key]
		for _, value := range values {
			object[key] = value
			check()
		}
		delete(object, key)
		check()
		object[key] = right
		if inner, ok := right.(map[string]any); ok {
			eachChange(inner, check)
		}
	}
	object["extra"] = "x"
	check()
	delete(object, "extra")
}

package api_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// What an importer of the document draws from its patterns is valid, and a number that it draws is nobody's.
func TestOpenAPIPatterns(t *testing.T) {
	t.Parallel()
	pattern := func(schema, key string) *rapid.Generator[string] {
		of := schemaNamed(t, schema).Value
		if key != "" {
			of = of.Properties[key].Value
		}
		if of.Pattern == "" {
			t.Fatalf("%s %s has no pattern", schema, key)
		}
		return rapid.StringMatching(of.Pattern)
	}
	ssns, days, names := pattern("TargetInput", "social_security_number"), pattern("TargetInput", "date_of_birth"), pattern("Text", "")
	rapid.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(map[string]any{
			"permissible_purpose": "credit-application", "type": "employment-income", "use_case": "mortgage",
			"target": map[string]any{
				"first_name": names.Draw(t, "first_name"), "last_name": names.Draw(t, "last_name"),
				"social_security_number": ssns.Draw(t, "ssn"), "date_of_birth": days.Draw(t, "date_of_birth"),
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/credentials/session", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		in, _, err := api.DecodeNewCredentialsSession(r)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if problem := in.Target.SocialSecurityNumber.CouldBeReal(); problem != "" {
			t.Errorf("%s: the number %s", body, problem)
		}
	})
}

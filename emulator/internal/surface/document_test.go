package surface_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// documented returns the OpenAPI document, and its operation of a row.
func documented(t *testing.T) (doc *openapi3.T, of func(api.Operation) *openapi3.Operation) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	lab.NoError(t, err)
	return doc, func(op api.Operation) *openapi3.Operation {
		for _, item := range doc.Paths.Map() {
			if found := item.GetOperation(op.Method); found != nil && found.OperationID == op.Name {
				return found
			}
		}
		t.Fatalf("the document has no operation %s", op.Name)
		return nil
	}
}

// refusals are requests that are refused for what they are, by operation. A fault provokes each other status.
var refusals = map[string]string{
	"cancelVerificationRequest": `
		PUT /verification-requests/vr_nobody/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_completed/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_processing/cancel {}`,
	"getVerificationRequest": `
		GET /verification-requests/vr_nobody
		GET /verification-requests/vr_completed?income_analytics=7`,
	"updateTenantProperty": `
		PUT /tenant-properties/tp_nothing {"name":"Quay"}
		PUT /tenant-properties/tp_default {}`,
	"createCredentialsSession": `
		POST /credentials/session {}`,
	"getQualificationCheck": `
		GET /qualification-checks/qc_nothing
		GET /qualification-checks/qc_qualified`,
	"createVerification": `
		POST /verification-requests {}`,
	"listVerifications": `
		GET /verification-requests?limit=0`,
	"getReport": `
		GET /verification-requests/vr_nobody/report
		GET /verification-requests/vr_processing/report`,
	"reverify": `
		PUT /verification-requests/vr_nobody/reverify {"report_id":"1"}
		PUT /verification-requests/vr_completed/reverify {}`,
	"listCompanies": `
		GET /companies?offset=-1`,
}

// Each example of a refusal in the OpenAPI document is what the server answers, under that status.
func TestRefusalExamples(t *testing.T) {
	t.Parallel()
	_, find := documented(t)
	url := lab.Serve(t, emulator.WithExtended())
	for _, op := range api.Operations() {
		answered := map[string]bool{}
		note := func(r *apitest.Response) {
			if r.Status >= 400 {
				answered[fmt.Sprint(r.Status, " ", r.ErrorMessage())] = true
			}
		}
		c := apitest.New(t, url, lab.WorldKey(op.Name))
		lines := strings.Split(strings.TrimSpace(refusals[op.Name]), "\n")
		for _, line := range lines {
			method, path, body := lab.SplitRequest(strings.TrimSpace(line))
			for _, caller := range []*apitest.Client{c, apitest.New(t, url, ""), c.With("Accept", "application/json; version=1999-01-01")} {
				note(caller.Send(method, path, lab.BodyOf(body)))
			}
		}
		method, path, body := lab.SplitRequest(strings.TrimSpace(lines[0]))
		for _, status := range op.Errors {
			lab.PutFault(t, c, fmt.Sprintf(`{"rule":{"on":%q,"times":1,"respond":{"status":%d}}}`, op.Verb+" "+strings.ReplaceAll(op.Resource, " ", "_"), status))
			r := c.Without(apitest.Challenge, apitest.RetryAfter, apitest.Document).Send(method, path, lab.BodyOf(body))
			note(r)
		}
		for text, response := range find(op).Responses.Map() {
			for name, example := range response.Value.Content["application/json"].Examples {
				message := example.Value.Value.(map[string]any)["error"].(map[string]any)["message"]
				if status, _ := strconv.Atoi(text); status >= 400 && !answered[fmt.Sprint(status, " ", message)] {
					t.Errorf("%s, example %s of %d: no request is answered %q with this status; these are: %q", op.Name, name, status, message, slices.Sorted(maps.Keys(answered)))
				}
			}
		}
	}
}

// notSent are the keys of a resource that no request sets.
var notSent = []string{"TenantProperty.id", "TenantProperty.status", "Target.social_security_number"}

// Each key that a request may send, by the OpenAPI document, is stored and read back, and a resource that requests replace
// has no other keys.
func TestRequestKeys(t *testing.T) {
	t.Parallel()
	doc, find := documented(t)
	c := lab.Start(t)
	keysOf := func(schema string) []string {
		return slices.Sorted(maps.Keys(doc.Components.Schemas[schema].Value.Properties))
	}
	bodyOf := func(op string) map[string]any {
		i := slices.IndexFunc(api.Operations(), func(o api.Operation) bool { return o.Name == op })
		body := map[string]any{}
		for key, property := range find(api.Operations()[i]).RequestBody.Value.Content["application/json"].Schema.Value.Properties {
			body[key] = "a " + key
			if values := property.Value.Enum; len(values) > 0 {
				body[key] = values[len(values)-1]
			}
		}
		return body
	}
	wantSame := func(sent, got map[string]any, where string) {
		t.Helper()
		for key, value := range sent {
			if diff := fmt.Sprint(got[key]); diff != fmt.Sprint(value) {
				t.Errorf("%s.%s was sent as %v, and is read as %s", where, key, value, diff)
			}
		}
	}
	send := func(method, path string, body any) (read map[string]any) {
		t.Helper()
		text, err := json.Marshal(body)
		lab.NoError(t, err)
		r := c.Send(method, path, string(text))
		lab.WantOK(t, r)
		r.JSON(&read)
		return read
	}
	get := func(path string) (read map[string]any) {
		t.Helper()
		c.Get(path).JSON(&read)
		return read
	}

	property := bodyOf("updateTenantProperty")
	for _, key := range keysOf("TenantProperty") {
		if _, sent := property[key]; !sent && !slices.Contains(notSent, "TenantProperty."+key) {
			t.Errorf("a tenant property has the key %s, and no request sets it", key)
		}
	}
	wantSame(property, send("PUT", "/tenant-properties/tp_default", property), "TenantProperty")
	wantSame(property, get(lab.Control+"tenant-properties/tp_default"), "TenantProperty")

	canceled := bodyOf("cancelVerificationRequest")
	wantSame(canceled, send("PUT", "/verification-requests/vr_processing/cancel", canceled), "CanceledVerification")
	wantSame(canceled, get("/verification-requests/vr_processing"), "VerificationRequest")

	session := bodyOf("createCredentialsSession")
	target, party := map[string]any{}, map[string]any{}
	for _, key := range keysOf("TargetInput") {
		target[key] = "a " + key
	}
	target["social_security_number"], target["date_of_birth"], target["company"] = "000-12-3456", "1990-02-28", map[string]any{"name": "Example Mill"}
	for key, property := range doc.Components.Schemas["ResellerOriginatingPartyInput"].Value.Properties {
		party[key] = "a " + key
		if values := property.Value.Enum; len(values) > 0 {
			party[key] = values[len(values)-1]
		}
	}
	session["target"], session["reseller_originating_party"], session["metadata"] = target, party, map[string]any{"k": "v"}
	made := send("POST", "/credentials/session", session)
	request := get("/verification-requests/" + get(lab.Control + "credentials-sessions/" + made["id"].(string))["verification_request_id"].(string))
	wantSame(party, request["reseller_originating_party"].(map[string]any), "ResellerOriginatingParty")
	delete(session, "target")
	delete(session, "reseller_originating_party")
	wantSame(session, request, "VerificationRequest")
	delete(target, "social_security_number")
	delete(target, "company")
	wantSame(target, request["target"].(map[string]any), "Target")
}

package emulator_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 2, --strict: what is only diagnosed otherwise (section 8) is answered with 400; so is an SSN that no scenario
// names.
func TestStrict_refuses_what_is_only_diagnosed_otherwise(t *testing.T) {
	t.Parallel()
	strict, lenient := start(t, emulator.WithStrict(true)), start(t)
	magic := session("000-00-0000")
	for _, tt := range []struct{ method, path, body, says string }{
		{"PUT", "/tenant-properties/tp_default", `{"name":"a","nmae":"b"}`, `unknown key "nmae"`},
		{"POST", "/credentials/session", strings.Replace(magic, `"company":`, `"nick":1,"company":`, 1), `unknown key "target.nick"`},
		{"GET", "/verification-requests/vr_completed?verbose=1", ``, `unknown query parameter "verbose"`},
		{"GET", "/qualification-checks/qc_qualified?x=1", ``, `unknown query parameter "x"`},
		{"GET", "/verification-requests/vr_completed?fields=id,stat", ``, `fields: unknown name "stat": did you mean state?`},
		{"GET", "/verification-requests/vr_completed?income_analytics=0&income_analytics=1", ``, `income_analytics was given 2 times: send it once`},
		{"POST", "/credentials/session", session("123-12-3456"), "target.social_security_number could have been issued to a person"},
		{"POST", "/credentials/session", strings.Replace(magic, `"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}`, `"company":null`, 1), "target.date_of_birth is required for employer search"},
		{"POST", "/credentials/session", session("000-12-3456"), "no scenario names target.social_security_number, which ends with 3456"},
	} {
		r := strict.Send(tt.method, tt.path, bodyOf(tt.body))
		wantStatus(t, r, 400, invalid)
		wantDiagnosis(t, r, "refused by --strict: "+tt.says)
		if diagnosis := r.Header.Get("Understudy-Diagnosis"); strings.Contains(diagnosis, "was ignored") {
			t.Errorf("diagnosis %q", diagnosis)
		}
		wantOK(t, lenient.Send(tt.method, tt.path, bodyOf(tt.body)))
	}
	// Spec 1: requests with a body use Content-Type application/json.
	url := serve(t, emulator.WithStrict(true))
	r := requestTo("PUT", url+"/tenant-properties/tp_default", key, `{"name":"a"}`)
	r.Header.Del("Content-Type")
	answer := apitest.New(t, url, key).Do(r)
	wantStatus(t, answer, 400, invalid)
	wantDiagnosis(t, answer, "refused by --strict: no Content-Type was sent: send Content-Type: application/json")
}

// What the spec only recommends, or makes depend on whose account it is, stays a note.
func TestStrict_serves_what_the_spec_allows(t *testing.T) {
	t.Parallel()
	const party = `"reseller_originating_party":{"originating_party":"a","permissible_purpose":"employment","use_case":"auto"},"type"`
	magic := session("000-00-0000")
	playScript(t, start(t, emulator.WithStrict(true)), `
		GET /verification-requests/vr_completed → 200 | no version was asked for
		POST /credentials/session `+magic+` → 201 | no version was asked for
		POST /credentials/session `+strings.Replace(magic, `"type"`, party, 1)+` → 201 | must not be given for non-reseller requests
		POST /credentials/session `+strings.Replace(magic, `"type"`, `"reseller_originating_party":null,"type"`, 1)+` → 201 | reseller_originating_party is null, which reseller requests may not have
		POST /credentials/session SESSION(000-00-0451) → 451 The social security number is frozen`)
}

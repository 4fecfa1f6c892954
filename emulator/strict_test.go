package emulator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

const invalid = "Invalid field values provided"

// Contract 2, --strict: what is only diagnosed otherwise (section 8) is answered with 400; so is an SSN that no scenario
// names.
func TestAStrictEmulatorRefusesWhatIsOnlyDiagnosedOtherwise(t *testing.T) {
	t.Parallel()
	strict, lenient := start(t, emulator.WithStrict(true)), start(t)
	const magic = "000-00-0000"
	for name, tt := range map[string]struct {
		ask  func(*apitest.Client) *apitest.Response
		says string
	}{
		"an unknown key": {
			func(c *apitest.Client) *apitest.Response {
				return c.Put("/tenant-properties/tp_default", `{"name":"a","nmae":"b"}`)
			}, `unknown key "nmae"`},
		"an unknown key further down": {
			func(c *apitest.Client) *apitest.Response {
				return c.Post("/credentials/session", strings.Replace(session(magic), `"company":`, `"nick":1,"company":`, 1))
			}, `unknown key "target.nick"`},
		"an unknown query parameter": {
			func(c *apitest.Client) *apitest.Response {
				return c.Get("/verification-requests/vr_completed?verbose=1")
			}, `unknown query parameter "verbose"`},
		"a query parameter where there are none": {
			func(c *apitest.Client) *apitest.Response { return c.Get("/qualification-checks/qc_qualified?x=1") }, `unknown query parameter "x"`},
		"an unknown name in fields": {
			func(c *apitest.Client) *apitest.Response {
				return c.Get("/verification-requests/vr_completed?fields=id,stat")
			}, `fields: unknown name "stat": did you mean state?`},
		"a repeated query parameter": {
			func(c *apitest.Client) *apitest.Response {
				return c.Get("/verification-requests/vr_completed?income_analytics=0&income_analytics=1")
			}, `income_analytics was given 2 times: send it once`},
		"a number that could be somebody's": {
			func(c *apitest.Client) *apitest.Response {
				return c.Post("/credentials/session", session("123-12-3456"))
			}, "target.social_security_number could have been issued to a person"},
		"no date of birth for an employer search": {
			func(c *apitest.Client) *apitest.Response {
				return c.Post("/credentials/session", strings.Replace(session(magic), `"date_of_birth": "1990-02-28", "company": {"name": "Example Mill"}`, `"company": null`, 1))
			}, "target.date_of_birth is required for employer search"},
		"a number that no scenario names": {
			func(c *apitest.Client) *apitest.Response {
				return c.Post("/credentials/session", session("000-12-3456"))
			}, "no scenario names target.social_security_number, which ends with 3456"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tt.ask(strict)
			wantStatus(t, r, 400, invalid)
			wantDiagnosis(t, r, "refused by --strict: "+tt.says)
			if diagnosis := r.Header.Get("Understudy-Diagnosis"); strings.Contains(diagnosis, "was ignored") {
				t.Errorf("diagnosis %q", diagnosis)
			}
			if r := tt.ask(lenient); r.Status >= 400 {
				t.Errorf("otherwise it is answered %d", r.Status)
			}
		})
	}
}

// Spec 1: requests with a body use Content-Type application/json.
func TestAStrictEmulatorWantsTheContentTypeOfABody(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithStrict(true))
	r, err := http.NewRequest("PUT", url+"/tenant-properties/tp_default", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer := apitest.New(t, url, key).Do(r)
	wantStatus(t, answer, 400, invalid)
	wantDiagnosis(t, answer, "refused by --strict: no Content-Type was sent: send Content-Type: application/json")
}

// What the spec only recommends, or makes depend on whose account it is, stays a note.
func TestAStrictEmulatorServesWhatTheSpecAllows(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.WithStrict(true))
	const magic = "000-00-0000"
	const party = `{"originating_party":"a","permissible_purpose":"employment","use_case":"auto"}`
	for name, tt := range map[string]struct {
		answer *apitest.Response
		note   string
	}{
		"no explicit version":      {c.Get("/verification-requests/vr_completed"), "no version was asked for"},
		"a reseller party":         {c.Post("/credentials/session", strings.Replace(session(magic), `"type"`, `"reseller_originating_party":`+party+`,"type"`, 1)), "must not be given for non-reseller requests"},
		"no reseller party":        {c.Post("/credentials/session", strings.Replace(session(magic), `"type"`, `"reseller_originating_party":null,"type"`, 1)), "reseller_originating_party is null, which reseller requests may not have"},
		"a number of the scenario": {c.Post("/credentials/session", session(magic)), "no version was asked for"},
	} {
		if tt.answer.Status >= 300 {
			t.Errorf("%s: %d %s", name, tt.answer.Status, tt.answer.Header.Get("Understudy-Diagnosis"))
		}
		wantDiagnosis(t, tt.answer, tt.note)
	}
	wantStatus(t, c.Post("/credentials/session", session("000-00-0451")), 451, "The social security number is frozen")
}

// Contract 8, example by example.
func TestEveryExampleOfTheContractIsDiagnosed(t *testing.T) {
	t.Parallel()
	c := start(t)
	for name, tt := range map[string]struct {
		answer *apitest.Response
		says   string
	}{
		"an unknown id that is one typing error from a known one": {c.Get("/verification-requests/vr_complted"), "did you mean vr_completed?"},
		"an unknown tenant property":                              {c.Put("/tenant-properties/tp_defualt", `{"name":"a"}`), "did you mean tp_default?"},
		"an unknown qualification check":                          {c.Get("/qualification-checks/qc_qualifed"), "did you mean qc_qualified?"},
		"an unknown id to cancel":                                 {c.Put("/verification-requests/vr_procesing/cancel", cancelOther), "did you mean vr_processing?"},
		"a 406 that names the right version":                      {c.With("Accept", "application/json; version=2019-10-15").Put("/tenant-properties/tp_default", `{"name":"a"}`), "send Accept: application/json; version=2023-10-30"},
	} {
		if tt.answer.Status < 400 {
			t.Errorf("%s: %d", name, tt.answer.Status)
		}
		wantDiagnosis(t, tt.answer, tt.says)
	}
}

package control_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// wantJSON checks the body of a success.
func wantJSON(t *testing.T, r *apitest.Response, want string) {
	t.Helper()
	lab.WantStatus(t, r, 200, "")
	if diff := cmp.Diff(want, strings.TrimSpace(string(r.Body))); diff != "" {
		t.Error(diff)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	e, w, c := lab.InGo(t, emulator.WithSessionFlow("manual"), lab.ScenarioFile(t,
		"name: home\ntitle: A home lender\nmagic: {api_key: \"*_home\"}\naccount: {use_cases: [home-equity]}\n"))
	const fresh = `{"grease":"off","session_flow":"manual","account":{}}`
	wantJSON(t, c.Get(lab.Control+"settings"), fresh)
	wantJSON(t, c.Put(lab.Control+"settings", `{"grease":"values","session_flow":"auto"}`), `{"grease":"values","session_flow":"auto","account":{}}`)
	wantJSON(t, c.With("Content-Type", "application/yaml").Put(lab.Control+"account", "types: employment\nreseller: true\n"), `{"types":["employment"],"reseller":true}`)
	const changed = `{"grease":"values","session_flow":"auto","account":{"types":["employment"],"reseller":true}}`
	wantJSON(t, c.Get(lab.Control+"settings"), changed)
	snapshot := c.Get(lab.Control + "snapshot").Body

	t.Run("of_the_key's_scenario", func(t *testing.T) {
		home := apitest.New(t, lab.ServeHandler(t, e), "svc_sk_test_our_home")
		wantJSON(t, home.Get(lab.Control+"account"), `{"use_cases":["home-equity"]}`)
		lab.WantStatus(t, home.Post("/credentials/session", lab.Session("000-00-0000")), 403, "Forbidden")
	})
	t.Run("reset_takes_them_away", func(t *testing.T) {
		lab.WantStatus(t, c.Post(lab.Control+"reset", nil), 200, "")
		wantJSON(t, c.Get(lab.Control+"settings"), fresh)
	})
	t.Run("snapshot_has_them", func(t *testing.T) {
		lab.WantStatus(t, c.Put(lab.Control+"snapshot", snapshot), 200, "")
		wantJSON(t, c.Get(lab.Control+"settings"), changed)
		bad := strings.Replace(string(snapshot), `"grease":"values"`, `"grease":"value"`, 1)
		lab.WantStatus(t, c.Put(lab.Control+"snapshot", bad), 400, `The snapshot is refused, and nothing is changed: settings: unknown value "value" for grease: did you mean values?`)
		wantJSON(t, c.Get(lab.Control+"settings"), changed)
	})
	t.Run("left_out_is_the_server's", func(t *testing.T) {
		wantJSON(t, c.Put(lab.Control+"settings", `{}`), fresh)
	})
	t.Run("unknown_word_is_400", func(t *testing.T) {
		lab.WantStatus(t, c.Put(lab.Control+"settings", `{"session_flow":"manuel"}`), 400,
			`The body is invalid: body:1:17: unknown value "manuel" for session_flow: did you mean manual?`)
		_, err := w.ChangeSettings(t.Context(), func(own *scenarios.Settings) { own.SessionFlow = "manuel" })
		lab.WantRefusal(t, err, 400, `The settings are invalid: unknown value "manuel" for session_flow: did you mean manual?`)
		if _, err := emulator.New(emulator.WithGrease("value")); err == nil || !strings.Contains(err.Error(), "did you mean values?") {
			t.Errorf("an unknown grease: %v", err)
		}
	})
}

// TestAccount holds what an account may do: 403 outside its types, use cases and purposes (spec 7), 400 for a reseller's
// party that is given or missing (spec 4.4).
func TestAccount(t *testing.T) {
	t.Parallel()
	const party = `,"reseller_originating_party":{"originating_party":"Example Homes","permissible_purpose":"credit-application","use_case":"mortgage"}}`
	plain := lab.Session("000-00-0000")
	resold := strings.TrimSuffix(plain, "}") + party
	tests := map[string]struct {
		account, body string
		status        int
		message, why  string
	}{
		"another_type_is_403":        {`{"types":["employment"]}`, plain, 403, "Forbidden", "type employment-income is not open to this world's account, which has employment"},
		"another_use_case_is_403":    {`{"use_cases":["tenant","auto"]}`, plain, 403, "Forbidden", "use_case mortgage is not open to this world's account, which has tenant, auto"},
		"another_purpose_is_403":     {`{"permissible_purposes":["insurance-underwriting-application"]}`, plain, 403, "Forbidden", "permissible_purpose credit-application is not open to this world's account, which has insurance-underwriting-application"},
		"frozen_number_is_403_first": {`{"types":["employment"]}`, lab.Session("000-00-0451"), 403, "Forbidden", "type employment-income is not open"},
		"invalid_body_is_400_first":  {`{"types":["employment"]}`, `{}`, 400, lab.Invalid, "target is required"},
		"party_of_no_reseller":       {`{"reseller":false}`, resold, 400, lab.Invalid, "reseller_originating_party is given, and this world's account is no reseller's"},
		"no_party_of_a_reseller":     {`{"reseller":true}`, plain, 400, lab.Invalid, "reseller_originating_party is missing, and this world's account is a reseller's"},
		"party_of_a_reseller":        {`{"reseller":true}`, resold, 201, "", ""},
		"own_words":                  {`{"types":["employment-income"],"use_cases":["mortgage"],"permissible_purposes":["credit-application"],"reseller":false}`, plain, 201, "", ""},
		"everything_without_keys":    {`{}`, plain, 201, "", ""},
	}
	url := lab.Serve(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := apitest.New(t, url, lab.WorldKey(name))
			lab.WantStatus(t, c.Put(lab.Control+"account", tt.account), 200, "")
			r := c.Post("/credentials/session", tt.body)
			lab.WantStatus(t, r, tt.status, tt.message)
			lab.WantDiagnosis(t, r, tt.why)
			if strings.Contains(r.Header.Get("Understudy-Diagnosis"), "for non-reseller requests") {
				t.Errorf("the diagnosis has a note that the account answers: %s", r.Header.Get("Understudy-Diagnosis"))
			}
		})
	}
}

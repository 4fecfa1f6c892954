package surface_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestPath(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for allow, paths := range map[string][]string{
		"GET": {"/verification-requests/vr_completed", "/verification-requests/vr_completed/", "/qualification-checks/qc_qualified"},
		"PUT": {"/verification-requests/vr_processing/cancel", "/tenant-properties/tp_default"}, "POST": {"/credentials/session"}, "GET, POST": {"/verification-requests"},
	} {
		for _, path := range paths {
			for _, method := range []string{"DELETE", "OPTIONS", "PATCH", "BREW"} {
				r := c.Send(method, path, nil)
				lab.WantStatus(t, r, 405, "Method Not Allowed")
				if got := r.Header.Get("Allow"); got != allow {
					t.Errorf("%s %s: Allow: %s, want %s", method, path, got, allow)
				}
			}
		}
	}
	lab.PlayScripts(t, map[string]string{
		"unknown_is_404": `
			POST / → 404 Not Found
			GET /nowhere → 404 Not Found
			GET /verification-request/vr_completed → 404 Not Found
			GET /verification-requests/vr_completed/undo → 404 Not Found
			GET /VERIFICATION-REQUESTS/vr_completed → 404 Not Found
			GET //verification-requests/vr_completed → 404 Not Found
			GET /credentials → 404 Not Found
			GET /_understudies → 404 Not Found`,
		"escaped_slash_belongs_to_the_id": `
			GET /verification-requests/vr_%63ompleted → 200
			GET /verification-requests/vr_completed%2Fcancel → 400 Verification not found`,
		"unknown_id_is_explained": `
			GET /verification-requests/vr_nothing → 400 Verification not found
			PUT /verification-requests/vr_nothing/cancel {"cancellation_reason":"other"} → 400 Verification not found
			PUT /tenant-properties/tp_nothing {"name":"Quay"} → 404 Tenant property not found
			GET /qualification-checks/qc_nothing → 404 Qualification check not found
			GET /verification-requests/vr_compelted → 400 Verification not found | did you mean vr_completed?
			PUT /verification-requests/vr_procesing/cancel {"cancellation_reason":"other"} → 400 Verification not found | did you mean vr_processing?
			PUT /tenant-properties/tp_defualt {"name":"Quay"} → 404 Tenant property not found | did you mean tp_default?
			GET /qualification-checks/qc_qualifed → 404 Qualification check not found | did you mean qc_qualified?`,
	})
	// The checking client's router takes the slash for a separator, and so does not find the operation.
	c = c.Without(apitest.Document)
	lab.WantStatus(t, c.Put("/verification-requests/vr_processing%2Fcancel", lab.CancelOther), 405, "Method Not Allowed")
}

// The diagnosis of an unknown path names the nearest path, or else the paths of the operations.
func TestUnknownPath(t *testing.T) {
	t.Parallel()
	const operations = `: the operations are PUT /verification-requests/{id}/cancel, GET /verification-requests/{id}, PUT /tenant-properties/{id}, ` +
		`POST /credentials/session, GET /qualification-checks/{id}; the console is at /_understudy/`
	c := lab.Start(t)
	for path, want := range map[string]string{
		"/verification-request/x":                             `: did you mean "/verification-requests/x"?`,
		"/verification-request/x/":                            `: did you mean "/verification-requests/x"?`,
		"/VERIFICATION-REQUESTS/x":                            `: did you mean "/verification-requests/x"?`,
		"/verificationRequests/x":                             `: did you mean "/verification-requests/x"?`,
		"/tenant_properties/x":                                `: did you mean "/tenant-properties/x"?`,
		"/verification-requests%2fx":                          `: did you mean "/verification-requests/x"?`,
		"/verification-requests/x/cancell":                    `: did you mean "/verification-requests/x/cancel"?`,
		"/credentials":                                        `: did you mean "/credentials/session"?`,
		"/credentials-sessions":                               `: did you mean "/credentials/session"?`,
		"/company":                                            operations,
		"/order":                                              `: did you mean "/orders"?`,
		"//verification-requests/x":                           `: did you mean "/verification-requests/x"? Remove the doubled slash`,
		"/verification-requests//x":                           `: did you mean "/verification-requests/x"? Remove the doubled slash, or fill in the empty id`,
		"/verification-requests//":                            `: did you mean "/verification-requests"? Remove the doubled slash, or fill in the empty id`,
		"/verification-requests//cancel":                      `: did you mean "/verification-requests/cancel"? Remove the doubled slash, or fill in the empty id`,
		"//credential/session":                                `: did you mean "/credentials/session"? Remove the doubled slash`,
		"/v1/verification-requests/x":                         `: did you mean "/verification-requests/x"? Leave "/v1" out of the base URL`,
		"/api/v1/verification-requests/x/cancel":              `: did you mean "/verification-requests/x/cancel"? Leave "/api/v1" out of the base URL`,
		"/v1//qualification-checks/x":                         `: did you mean "/qualification-checks/x"? Leave "/v1" out of the base URL`,
		"/v1/companies":                                       `: did you mean "/companies"? Leave "/v1" out of the base URL`,
		"//_understudy/v1/clock":                              `: did you mean "/_understudy/v1/clock"? Remove the doubled slash`,
		"/verification-request/123-45-6789":                   `: did you mean "/verification-requests/***-**-6789"?`,
		"/verification-request/svc_sk_test_secret":            `: did you mean "/verification-requests/svc###"?`,
		"/verification-request/%0d%0aX":                       `: did you mean "/verification-requests/\r\nX"?`,
		"/nowhere":                                            operations,
		"/verification-requests/x/undo":                       operations,
		"/verification-requests/x/orders":                     operations,
		"/a/b/c/verification-requests/x":                      operations,
		"/verification-request/" + strings.Repeat("x", 8<<10): operations,
		"/" + strings.Repeat("x/", 4<<10):                     operations,
	} {
		r := c.Get(path)
		lab.WantStatus(t, r, 404, "Not Found")
		if diagnosis := r.Header.Get("Understudy-Diagnosis"); diagnosis != "no operation has this path"+want {
			t.Errorf("%.60s: %s", path, diagnosis)
		}
	}
	r := c.Send("get", "/verification-requests/x", nil)
	lab.WantStatus(t, r, 405, "Method Not Allowed")
	lab.WantDiagnosis(t, r, "this path allows GET only: did you mean GET?")
}

func TestUnknownID(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for name, id := range map[string]string{
		"8 KB":                  strings.Repeat("x", 8<<10),
		"an escape, escaped":    "vr_%2563ompleted",
		"NUL":                   "%00",
		"dots":                  "..",
		"a header injection":    "x%0d%0aSet-Cookie:%20a=b",
		"not UTF-8":             "%ff%fe",
		"another letter case":   "VR_COMPLETED",
		"an id of another kind": "tp_default",
		"nothing but a slash":   "%2F",
	} {
		t.Run(name, func(t *testing.T) {
			lab.WantStatus(t, c.Get("/verification-requests/"+id), 400, "Verification not found")
			lab.WantStatus(t, c.Put("/verification-requests/"+id+"/cancel", lab.CancelOther), 400, "Verification not found")
		})
	}
	lab.PlayScript(t, c, strings.ReplaceAll(`
		GET /verification-requests/LONG → 400 Verification not found
		PUT /verification-requests/LONG/cancel {"cancellation_reason":"other"} → 400 Verification not found
		PUT /tenant-properties/LONG {"name":"Elm Court"} → 404
		GET /qualification-checks/LONG → 404
		GET verification-requests/LONG → 404
		PATCH verification-requests/LONG {"state":"processing"} → 404
		DELETE verification-requests/LONG → 404
		DELETE tenant-properties/LONG → 404
		DELETE qualification-checks/LONG → 404
		GET credentials-sessions/LONG → 404
		DELETE worlds/LONG → 404
		GET clock?world=LONG → 404
		DELETE scenarios/LONG → 404
		DELETE faults/LONG → 404
		GET journal/LONG → 404`, "LONG", strings.Repeat("a", 40_000)))
}

// The vendor's generated client sends a version, a bearer key and trailing slashes. Its requests are neither diagnosed nor
// redirected. An operation accepts only its own version (spec 9.2).
func TestVersion(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for _, tt := range []struct{ own, method, path, refused, body, refusedBody string }{
		{"2022-08-01", "PUT", "/verification-requests/vr_processing/cancel/", "/verification-requests/vr_error_403/cancel", lab.CancelOther, lab.CancelOther},
		{"2019-10-15", "GET", "/verification-requests/vr_completed/", "/verification-requests/vr_error_403", "", ""},
		{"2023-10-30", "PUT", "/tenant-properties/tp_default/", "/tenant-properties/tp_error_403", `{"name":"Quay"}`, `{"name":"Quay"}`},
		{"2022-08-01", "POST", "/credentials/session/", "/credentials/session", lab.Session("000-00-0000"), lab.Session("000-00-0403")},
		{"2023-10-30", "GET", "/qualification-checks/qc_qualified/", "/qualification-checks/qc_error_403", "", ""},
	} {
		for _, version := range []string{"2022-08-01", "2019-10-15", "2023-10-30"} {
			c := c.With("Accept", "application/json; version="+version)
			refused := c.Send(tt.method, tt.refused, lab.BodyOf(tt.refusedBody))
			if version != tt.own {
				lab.WantStatus(t, refused, 406, "An invalid API version was requested")
				lab.WantDiagnosis(t, refused, "send Accept: application/json; version="+tt.own)
				continue
			}
			lab.WantStatus(t, refused, 403, lab.Message403) // the version was accepted
			r := c.Send(tt.method, tt.path, lab.BodyOf(tt.body))
			if d := r.Header.Get("Understudy-Diagnosis"); r.Status/100 != 2 || d != "" && !strings.HasPrefix(d, "session_flow auto: ") {
				t.Errorf("%s: %d %s", tt.path, r.Status, d)
			}
		}
	}
}

// Checks have a fixed order. Each case fails one check and all later ones, and is answered by that check.
func TestCheckOrder(t *testing.T) {
	t.Parallel()
	terminal := api.AlreadyTerminal(api.StateCompleted)
	limited := lab.Serve(t, lab.Limit(t, "1/h"))
	lab.WantStatus(t, apitest.New(t, limited, lab.Key).Get("/verification-requests/vr_completed"), 200, "") // uses up the limit
	free := lab.Serve(t)
	const (
		badKey     = "svc_sk_live"
		badVersion = "application/json; version=1999-01-01"
		frozen     = "000-00-0451"
	)
	for name, tt := range map[string]struct {
		url, key, accept   string
		method, path, body string
		status             int
		message            string
	}{
		"1 path before key":             {limited, badKey, badVersion, "PUT", "/nowhere", `{`, 404, "Not Found"},
		"1 method before key":           {limited, badKey, badVersion, "DELETE", "/verification-requests/vr_error_500", `{`, 405, "Method Not Allowed"},
		"1 501 before key":              {limited, badKey, badVersion, "POST", "/verification-requests", `{`, 501, "Not Implemented"},
		"2 key before version":          {limited, badKey, badVersion, "PUT", "/verification-requests/vr_error_500/cancel", `{`, 401, lab.Message401},
		"2 limited key before version":  {limited, "svc_sk_test_limited", badVersion, "PUT", "/verification-requests/vr_error_500/cancel", `{`, 429, lab.Message429},
		"3 version before rate limit":   {limited, lab.Key, badVersion, "PUT", "/verification-requests/vr_error_500/cancel", `{`, 406, "An invalid API version was requested"},
		"4 rate limit before rules":     {limited, lab.Key, "*/*", "PUT", "/verification-requests/vr_error_500/cancel", `{`, 429, lab.Message429},
		"5 rules by id before body":     {free, lab.Key, "*/*", "PUT", "/tenant-properties/tp_error_451", `no JSON`, 451, "The social security number is frozen"},
		"5 rules by id before query":    {free, lab.Key, "*/*", "GET", "/verification-requests/vr_error_403?income_analytics=x", ``, 403, lab.Message403},
		"6 body before rules by number": {free, lab.Key, "*/*", "POST", "/credentials/session", strings.Replace(lab.Session(frozen), "Ada", "", 1), 400, lab.Invalid},
		"6 body before resource":        {free, lab.Key, "*/*", "PUT", "/tenant-properties/tp_unknown", `{"name":1}`, 400, lab.Invalid},
		"6 query before resource":       {free, lab.Key, "*/*", "GET", "/verification-requests/vr_unknown?income_analytics=x", ``, 400, lab.Invalid},
		"6 body before state":           {free, lab.Key, "*/*", "PUT", "/verification-requests/vr_completed/cancel", `{}`, 400, lab.Invalid},
		"7 rules by number":             {free, lab.Key, "*/*", "POST", "/credentials/session", lab.Session(frozen), 451, "The social security number is frozen"},
		"8 resource before state":       {free, lab.Key, "*/*", "PUT", "/verification-requests/vr_unknown/cancel", lab.CancelOther, 400, "Verification not found"},
		"9 state":                       {free, lab.Key, "*/*", "PUT", "/verification-requests/vr_completed/cancel", lab.CancelOther, terminal.Status, terminal.Message},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := apitest.New(t, tt.url, tt.key).With("Accept", tt.accept).Send(tt.method, tt.path, tt.body)
			lab.WantStatus(t, r, tt.status, tt.message)
		})
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	url, acme := lab.Serve(t), lab.Serve(t, emulator.WithKeyPrefix("acme"))
	for name, tt := range map[string]struct {
		url, authorization string
		status             int
		message            string
	}{
		"a sandbox key":                           {url, "Bearer svc_sk_test_a", 200, ""},
		"all characters of a sandbox key":         {url, "Bearer svc_sk_test_AZaz09_-", 200, ""},
		"128 characters":                          {url, "Bearer svc_sk_test_" + strings.Repeat("k", 128), 200, ""},
		"the scheme is case-insensitive":          {url, "bEARER svc_sk_test_a", 200, ""},
		"RFC 6750: more than one space":           {url, "Bearer   svc_sk_test_a", 200, ""},
		"a word that begins like a magic one":     {url, "Bearer svc_sk_test_expiredish", 200, ""},
		"a magic word that is not the first":      {url, "Bearer svc_sk_test_my_expired", 200, ""},
		"129 characters":                          {url, "Bearer svc_sk_test_" + strings.Repeat("k", 129), 401, lab.Message401},
		"no characters":                           {url, "Bearer svc_sk_test_", 401, lab.Message401},
		"another character":                       {url, "Bearer svc_sk_test_a.b", 401, lab.Message401},
		"a space inside":                          {url, "Bearer svc_sk_test_a b", 401, lab.Message401},
		"expired":                                 {url, "Bearer svc_sk_test_expired", 401, lab.Message401},
		"expired with a suffix":                   {url, "Bearer svc_sk_test_expired_7", 401, lab.Message401},
		"revoked":                                 {url, "Bearer svc_sk_test_revoked", 401, lab.Message401},
		"revoked with a suffix":                   {url, "Bearer svc_sk_test_revoked_team_a", 401, lab.Message401},
		"forbidden":                               {url, "Bearer svc_sk_test_forbidden", 403, lab.Message403},
		"forbidden with a suffix":                 {url, "Bearer svc_sk_test_forbidden_x", 403, lab.Message403},
		"limited":                                 {url, "Bearer svc_sk_test_limited", 429, lab.Message429},
		"limited with a suffix":                   {url, "Bearer svc_sk_test_limited_x", 429, lab.Message429},
		"a production key":                        {url, "Bearer svc_sk_live1234", 401, lab.Message401},
		"a publishable sandbox key":               {url, "Bearer svc_pk_test_a", 403, lab.Message403},
		"a publishable production key":            {url, "Bearer svc_pk_a", 403, lab.Message403},
		"missing":                                 {url, "", 401, lab.Message401},
		"another scheme":                          {url, "Basic c3ZjX3NrX3Rlc3RfYQ==", 401, lab.Message401},
		"no scheme (spec 5.4 is for the console)": {url, "svc_sk_test_a", 401, lab.Message401},
		"the scheme alone":                        {url, "Bearer", 401, lab.Message401},
		"another prefix":                          {url, "Bearer abc_sk_test_a", 401, lab.Message401},
		"the prefix in another case":              {url, "Bearer SVC_SK_TEST_a", 401, lab.Message401},
		"prefix acme":                             {acme, "Bearer acme_sk_test_a", 200, ""},
		"prefix acme: svc":                        {acme, "Bearer svc_sk_test_a", 401, lab.Message401},
		"prefix acme: a production key":           {acme, "Bearer acme_sk_a", 401, lab.Message401},
		"prefix acme: a publishable key":          {acme, "Bearer acme_pk_test_a", 403, lab.Message403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := apitest.New(t, tt.url, "").With("Authorization", tt.authorization).Get("/verification-requests/vr_completed")
			lab.WantStatus(t, r, tt.status, tt.message)
			if tt.status != 200 && r.Header.Get("Understudy-Diagnosis") == "" {
				t.Error("the refusal is not explained")
			}
		})
	}
	t.Run("without its last part it is no production key", func(t *testing.T) {
		r := apitest.New(t, url, "svc_sk_test").Get("/verification-requests/vr_completed")
		lab.WantStatus(t, r, 401, lab.Message401)
		lab.WantDiagnosis(t, r, `after "svc_sk_test_" come 1 to 128 characters of A-Z a-z 0-9 _ -`)
		if diagnosis := r.Header.Get("Understudy-Diagnosis"); strings.Contains(diagnosis, "production") {
			t.Error(diagnosis)
		}
	})
	t.Run("two lines are malformed", func(t *testing.T) {
		r := lab.RequestTo(http.MethodGet, url+"/verification-requests/vr_completed", "svc_sk_test_a", "")
		r.Header["Authorization"] = append(r.Header["Authorization"], "Bearer svc_sk_test_b")
		lab.WantStatus(t, apitest.New(t, url, "").Do(r), 401, lab.Message401)
	})
}

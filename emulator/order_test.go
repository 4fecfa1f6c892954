package emulator_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 4 gives the order of judgement. Each case has everything wrong from one step on, and is answered by that step.
func TestTheFirstFailureInTheOrderOfJudgementWins(t *testing.T) {
	t.Parallel()
	limit, err := emulator.ParseLimit("1/h")
	if err != nil {
		t.Fatal(err)
	}
	limited := serve(t, emulator.WithRateLimit(limit))
	wantStatus(t, apitest.New(t, limited, key).Get("/verification-requests/vr_completed"), 200, "") // the one that is served
	free := serve(t)
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
		"2 key before version":          {limited, badKey, badVersion, "PUT", "/verification-requests/vr_error_500/cancel", `{`, 401, message401},
		"2 limited key before version":  {limited, "svc_sk_test_limited", badVersion, "PUT", "/verification-requests/vr_error_500/cancel", `{`, 429, message429},
		"3 version before rate limit":   {limited, key, badVersion, "PUT", "/verification-requests/vr_error_500/cancel", `{`, 406, "An invalid API version was requested"},
		"4 rate limit before rules":     {limited, key, "*/*", "PUT", "/verification-requests/vr_error_500/cancel", `{`, 429, message429},
		"5 rules by id before body":     {free, key, "*/*", "PUT", "/verification-requests/vr_error_500/cancel", `{`, 500, "Internal server error"},
		"5 rules by id before query":    {free, key, "*/*", "GET", "/verification-requests/vr_error_403?income_analytics=x", ``, 403, message403},
		"6 body before rules by number": {free, key, "*/*", "POST", "/credentials/session", strings.Replace(session(frozen), "Ada", "", 1), 400, "Invalid field values provided"},
		"6 body before resource":        {free, key, "*/*", "PUT", "/tenant-properties/tp_unknown", `{"name":1}`, 400, "Invalid field values provided"},
		"6 query before resource":       {free, key, "*/*", "GET", "/verification-requests/vr_unknown?income_analytics=x", ``, 400, "Invalid field values provided"},
		"6 body before state":           {free, key, "*/*", "PUT", "/verification-requests/vr_completed/cancel", `{}`, 400, "Invalid field values provided"},
		"7 rules by number":             {free, key, "*/*", "POST", "/credentials/session", session(frozen), 451, "The social security number is frozen"},
		"8 resource before state":       {free, key, "*/*", "PUT", "/verification-requests/vr_unknown/cancel", `{"cancellation_reason":"other"}`, 400, "Verification not found"},
		"9 state":                       {free, key, "*/*", "PUT", "/verification-requests/vr_completed/cancel", `{"cancellation_reason":"other"}`, 400, "Verification request is already in a terminal state"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := apitest.New(t, tt.url, tt.key).With("Accept", tt.accept).Send(tt.method, tt.path, tt.body)
			wantStatus(t, r, tt.status, tt.message)
		})
	}
}

package recorded

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// refused returns the entry of a request with a body that is refused for a cause.
func refused(body, cause string) *journal.Entry {
	e := journal.NewEntry(journal.Request{Body: []byte(body), Size: int64(len(body))}, nil, nil)
	e.Status, e.Diagnosis = 400, []string{cause, "no version was asked for: send Accept: type"}
	return e
}

func TestRefusedField(t *testing.T) {
	t.Parallel()
	const whole = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage","metadata":{"a":"b"},
		"reseller_originating_party":{"originating_party":"Bank","permissible_purpose":"credit-application","use_case":"mortgage"},
		"target":{"first_name":"Ada","last_name":"Sample","social_security_number":"000-00-1001","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`
	for _, tt := range []struct{ change, to, field string }{
		{`"permissible_purpose":"credit-application","type"`, `"type"`, "permissible_purpose"},
		{`"employment-income"`, `"income"`, "type"},
		{`"employment-income"`, `null`, "type"},
		{`"use_case":"mortgage","metadata"`, `"use_case":7,"metadata"`, "use_case"},
		{`{"a":"b"}`, `{"a":1}`, "metadata"},
		{`{"a":"b"}`, `[]`, "metadata"},
		{`"originating_party":"Bank",`, ``, "reseller_originating_party.originating_party"},
		{`"Bank","permissible_purpose":"credit-application"`, `"Bank","permissible_purpose":"other"`, "reseller_originating_party.permissible_purpose"},
		{`"Ada"`, `" "`, "target.first_name"},
		{`"last_name":"Sample",`, ``, "target.last_name"},
		{`000-00-1001`, `1001`, "target.social_security_number"},
		{`1990-02-28`, `28.2.1990`, "target.date_of_birth"},
		{`{"name":"Example Mill"}`, `{"name":"Example Mill","id":"1"}`, "target.company"},
		{`{"name":"Example Mill"}`, `{}`, "target.company.name"},
		{`{"name":"Example Mill"}`, `"Example Mill"`, "target.company"},
		{`"Ada"`, `"Ada","first_name":"Eve"`, "target.first_name"},
		{whole, `{"type":`, ""},
		{whole, `["type"]`, ""},
	} {
		body := strings.Replace(whole, tt.change, tt.to, 1)
		_, _, err := api.DecodeNewCredentialsSession(httptest.NewRequestWithContext(t.Context(), "POST", "/credentials/session", strings.NewReader(body)))
		refusal := (*api.Error)(nil)
		if !errors.As(err, &refusal) {
			t.Fatalf("%s is not refused", body)
		}
		if field := refusedField(refused(body, refusal.Diagnosis)); field != tt.field {
			t.Errorf("%s is refused for %q, want %q: %s", body, field, tt.field, refusal.Diagnosis)
		}
	}
	for cause, field := range map[string]string{
		`refused by --strict=spec: unknown key "target.nmae": did you mean name?`:                                 "target.nmae",
		`refused by --strict=spec: target.date_of_birth is required for employer search`:                          "target.date_of_birth",
		`refused by --strict=reseller,ssn: no scenario names target.social_security_number, which ends with 1234`: "target.social_security_number",
		`refused by --strict=spec: no Content-Type was sent: send Content-Type: application/json`:                 "",
		`Content-Type must be application/json, not "text/plain"`:                                                 "",
		`the body is larger than 1048576 bytes`:                                                                   "",
	} {
		if got := refusedField(refused(`{"target":{"nmae":"a","social_security_number":"000-00-1001"}}`, cause)); got != field {
			t.Errorf("%s: %q, want %q", cause, got, field)
		}
	}
	ruled := refused(`{"scenario":"a"}`, "scenario a answers so")
	ruled.Rule = "a.yaml:1:1"
	for _, e := range []*journal.Entry{ruled, {Status: 400, Diagnosis: []string{"income_analytics must be true, false, 1 or 0"}}, {Status: 200}} {
		if got := refusedField(e); got != "" {
			t.Errorf("%v: %q", e.Diagnosis, got)
		}
	}
}

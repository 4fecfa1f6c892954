package emulator_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 3 and 5: keys and numbers are not repeated, not even to whoever sent them where they do not belong.
func TestAnErrorOfTheControlPlaneRepeatsNoSecret(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	const cannot, refused = "The body cannot be read: ", "The snapshot is refused, and nothing is changed: "
	for _, tt := range []struct{ method, path, body, message string }{
		{"PUT", "clock", `{"now":"123-45-6789"}`, cannot + `"/now" is not an instant such as 2025-01-15T09:00:00Z`},
		{"PUT", "clock", `{"svc_sk_test_abc":1}`, cannot + `unknown key at "/svc###"`},
		{"PUT", "clock", `{"now":}`, cannot + `not valid JSON at byte 7 at "/now": a value, or a key in quotes, must begin here`},
		{"POST", "journal/verify", `{"match":{"path":{"matches":"123456789("}}}`, cannot + `"/match/path/matches" is not a regular expression: error parsing regexp: missing closing ): ` + "`***-**-6789(`"},
		{"PUT", "snapshot", `{"remembered":{"svc_sk_test_abc":"` + "\xff" + `"}}`, refused + `it cannot be read: not valid JSON at byte 34 at "/remembered/svc###": the text must be UTF-8`},
	} {
		if r := c.Send(tt.method, control+tt.path, tt.body); r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), tt.message) {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, r.Status, r.Body)
		}
	}
}

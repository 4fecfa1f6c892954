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
		{"PUT", "clock", `{"now":"123-45-6789"}`, cannot + `is not an instant such as 2025-01-15T09:00:00Z at "/now"`},
		{"PUT", "clock", `{"svc_sk_test_abc":1}`, cannot + `unknown key at "/###"`},
		{"PUT", "clock", `{"now":}`, cannot + `invalid character '}' at start of value at byte 7 at "/now"`},
		{"POST", "journal/verify", `{"match":{"path":{"matches":"123456789("}}}`, cannot + "is not a regular expression: error parsing regexp: missing closing ): `###(`" + ` at "/match/path/matches"`},
		{"PUT", "snapshot", `{"remembered":{"svc_sk_test_abc":"` + "\xff" + `"}}`, refused + `it cannot be read: invalid UTF-8 at byte 34 at "/remembered/###"`},
	} {
		if r := c.Send(tt.method, control+tt.path, tt.body); r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), tt.message) {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, r.Status, r.Body)
		}
	}
}

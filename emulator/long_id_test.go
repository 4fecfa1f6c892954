package emulator_test

import (
	"net/http"
	"strings"
	"testing"
)

// What stands in the place of an id is never a failure of the emulator's own, however long it is (spec section 4).
func TestAnIDOf40KBIsOneThatNothingHas(t *testing.T) {
	t.Parallel()
	c := start(t)
	long := strings.Repeat("a", 40_000)
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, "/verification-requests/vr_" + long, "", 400},
		{http.MethodPut, "/verification-requests/vr_" + long + "/cancel", `{"cancellation_reason":"other"}`, 400},
		{http.MethodPut, "/tenant-properties/tp_" + long, `{"name":"Elm Court"}`, 404},
		{http.MethodGet, "/qualification-checks/qc_" + long, "", 404},
		{http.MethodGet, "/_understudy/v1/verification-requests/vr_" + long, "", 404},
		{http.MethodPatch, "/_understudy/v1/verification-requests/vr_" + long, `{"state":"processing"}`, 404},
		{http.MethodDelete, "/_understudy/v1/verification-requests/vr_" + long, "", 404},
		{http.MethodDelete, "/_understudy/v1/tenant-properties/tp_" + long, "", 404},
		{http.MethodDelete, "/_understudy/v1/qualification-checks/qc_" + long, "", 404},
		{http.MethodGet, "/_understudy/v1/credentials-sessions/cs_" + long, "", 404},
		{http.MethodDelete, "/_understudy/v1/worlds/" + long, "", 404},
		{http.MethodGet, "/_understudy/v1/clock?world=" + long, "", 404},
		{http.MethodDelete, "/_understudy/v1/scenarios/" + long, "", 404},
		{http.MethodDelete, "/_understudy/v1/faults/" + long, "", 404},
		{http.MethodGet, "/_understudy/v1/journal/" + long, "", 404},
	} {
		var body any
		if tt.body != "" {
			body = tt.body
		}
		if r := c.Send(tt.method, tt.path, body); r.Status != tt.status {
			t.Errorf("%s %.60s… is answered %d, want %d: %.200s", tt.method, tt.path, r.Status, tt.status, r.Body)
		}
	}
}

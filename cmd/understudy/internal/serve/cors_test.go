package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// Pages of the origins of --cors-origin may call the emulated API, and nothing else. A refused preflight says how to allow it.
func TestCORSOrigin(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--cors-origin", "http://localhost:3000", "--cors-origin", "https://app.test")
	const cancel, property = "/verification-requests/vr_processing/cancel", "/tenant-properties/tp_default"
	for name, tt := range map[string]struct {
		method, path, origin string
		status               int
		allowed, diagnosis   string
	}{
		"a preflight":                      {"OPTIONS", cancel, "http://localhost:3000", 204, "http://localhost:3000", ""},
		"a preflight of another origin":    {"OPTIONS", property, "https://page.example", 405, "", `a page of "https://page.example" may call the API, which is for servers: call it from yours, or start with --cors-origin and this origin`},
		"a read":                           {"GET", "/verification-requests/vr_completed", "https://app.test", 200, "https://app.test", "no version was asked for"},
		"a refusal":                        {"GET", "/verification-requests/vr_error_451", "https://app.test", 451, "https://app.test", "scenario error-451"},
		"a read of another origin":         {"GET", "/verification-requests/vr_completed", "https://app.test:444", 200, "", "no version"},
		"the control plane":                {"GET", "/_understudy/v1/journal", "https://app.test", 200, "", ""},
		"a preflight of the control plane": {"OPTIONS", "/_understudy/v1/reset", "https://app.test", 405, "", ""},
	} {
		r, err := http.NewRequest(tt.method, s.URL+tt.path, nil)
		commandtest.NoError(t, err)
		r.Header.Set("Origin", tt.origin)
		if r.Header.Set("Authorization", "Bearer "+commandtest.Key); tt.method == "OPTIONS" {
			r.Header.Del("Authorization")
			r.Header.Set("Access-Control-Request-Method", "PUT")
			r.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
		}
		answer, err := http.DefaultClient.Do(r)
		commandtest.NoError(t, err)
		answer.Body.Close()
		h := answer.Header
		if got := h.Get("Access-Control-Allow-Origin"); answer.StatusCode != tt.status || got != tt.allowed || !strings.Contains(h.Get("Understudy-Diagnosis"), tt.diagnosis) {
			t.Errorf("%s: %d, %q, %v", name, answer.StatusCode, got, h)
		}
		if name == "a preflight" && (h.Get("Access-Control-Allow-Methods") != "PUT" || h.Get("Access-Control-Allow-Headers") != "authorization,content-type") {
			t.Errorf("%v", h)
		}
		if name == "a refusal" && !strings.Contains(h.Get("Access-Control-Expose-Headers"), "Understudy-Diagnosis") {
			t.Errorf("%v", h)
		}
	}
}

package emulator_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestHealthAndReadyNeedNoKey(t *testing.T) {
	t.Parallel()
	c := apitest.New(t, serve(t), "")
	for path, want := range map[string]string{
		"/_understudy/v1/health": `{"status":"ok"}`,
		"/_understudy/v1/ready":  `{"status":"ready"}`,
	} {
		if r := c.Get(path); r.Status != 200 || string(r.Body) != want {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

func TestTheControlPlaneTakesGETAndHEAD(t *testing.T) {
	t.Parallel()
	c := start(t)
	if r := c.Send("HEAD", "/_understudy/v1/health", nil); r.Status != 200 || len(r.Body) > 0 {
		t.Errorf("HEAD: %d %s", r.Status, r.Body)
	}
	for _, method := range []string{"POST", "OPTIONS"} {
		r := c.Send(method, "/_understudy/v1/health", nil)
		wantStatus(t, r, 405, "Method Not Allowed")
		if allow := r.Header.Get("Allow"); allow != "GET, HEAD" {
			t.Errorf("%s: Allow: %s", method, allow)
		}
	}
}

func TestInfoSaysWhatTheEmulatorIsMadeOf(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.WithSeed(7), emulator.WithVersion("v1.2.3"),
		emulator.WithRateLimit(emulator.Limit{Requests: 10, Per: time.Second}))
	var got map[string]any
	c.Get("/_understudy/v1/info").JSON(&got)
	if n, ok := got["scenarios"].(float64); !ok || n < 1 {
		t.Errorf("scenarios: %v", got["scenarios"])
	}
	delete(got, "scenarios")
	want := map[string]any{
		"version": "v1.2.3", "seed": 7.0, "store": "temp", "clock": "2025-01-15T09:30:00Z", "rate_limit": "10/1s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheOpenAPIDocumentIsServedInBothForms(t *testing.T) {
	t.Parallel()
	c := start(t)
	asJSON := c.Get("/_understudy/openapi.json")
	if asJSON.Status != 200 || !json.Valid(asJSON.Body) || asJSON.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %.80s", asJSON.Status, asJSON.Header, asJSON.Body)
	}
	asYAML := c.Get("/_understudy/openapi.yaml")
	if string(asYAML.Body) != string(api.OpenAPIYAML()) || asYAML.Header.Get("Content-Type") != "application/yaml" {
		t.Errorf("%d %v %.80s", asYAML.Status, asYAML.Header, asYAML.Body)
	}
}

func TestWhatTheControlPlaneHasNotIs404(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{"/_understudy/v1", "/_understudy/v1/none", "/_understudy/v1/health/x"} {
		if r := c.Get(path); r.Status != 404 || !strings.Contains(r.ErrorMessage(), "The control plane has nothing here") {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

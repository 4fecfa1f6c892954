package emulator_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 6: GET /_understudy/metrics.
func TestTheMetricsTellWhatWasAskedAndNothingOfAnyWorld(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithJournalSize(2), emulator.WithVersion("1.0"))
	c := apitest.New(t, url, key)
	read(t, c, "vr_completed")
	read(t, c, "vr_completed")
	wantStatus(t, c.Get("/verification-requests/vr_error_451"), 451, "The social security number is frozen")
	wantStatus(t, c.Get("/nowhere"), 404, "Not Found")
	r := c.Get("/_understudy/metrics")
	wantStatus(t, r, 200, "")
	text := string(r.Body)
	for _, line := range []string{
		`understudy_build_info{version="1.0"} 1`,
		`understudy_requests_total{operation="getVerificationRequest",status="200"} 2`,
		`understudy_requests_total{operation="getVerificationRequest",status="451"} 1`,
		`understudy_requests_total{operation="none",status="404"} 1`,
		`understudy_request_duration_seconds_count{operation="getVerificationRequest"} 3`,
		`understudy_failures_total 0`,
		`understudy_worlds 1`,
		`understudy_worlds_created_total 1`,
		`understudy_worlds_forgotten_total 0`,
		`understudy_store_duration_seconds_count{engine="temp",operation="update"} 1`,
		`understudy_scenario_reloads_total{result="ok"} 0`,
		`understudy_scenario_reloads_total{result="refused"} 0`,
		`understudy_journal_dropped_total{reason="size"} 1`,
		`understudy_journal_dropped_total{reason="memory"} 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	if strings.Contains(text, "svc_sk") || strings.Contains(text, "world=") || strings.Contains(text, "vr_") {
		t.Error(text)
	}
}

func TestTheMetricsAreForThoseWhoHaveTheToken(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithControlToken("correct-horse"))
	c := apitest.New(t, url, "")
	if r := c.Get("/_understudy/metrics"); r.Status != 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	wantStatus(t, c.With("Authorization", "Bearer correct-horse").Get("/_understudy/metrics"), 200, "")
}

func TestWorldsThatAreForgottenAreCounted(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	read(t, c, "vr_completed")
	w, err := e.World(key)
	noError(t, err)
	noError(t, w.Delete(t.Context()))
	if text := string(c.Get("/_understudy/metrics").Body); !strings.Contains(text, "\nunderstudy_worlds_forgotten_total 1\n") {
		t.Error(text)
	}
}

// Two emulators in a process have nothing in common, and nothing is in the registry of the whole process.
func TestTheMetricsAreOfOneEmulator(t *testing.T) {
	t.Parallel()
	one, other := start(t), start(t)
	read(t, one, "vr_completed")
	if text := string(other.Get("/_understudy/metrics").Body); !strings.Contains(text, "\nunderstudy_worlds_created_total 0\n") {
		t.Error(text)
	}
	families, err := prometheus.DefaultGatherer.Gather()
	noError(t, err)
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "understudy_") {
			t.Error(family.GetName())
		}
	}
}

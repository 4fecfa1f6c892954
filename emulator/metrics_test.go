package emulator_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/emulator"
)

// Contract 6: GET /_understudy/metrics.
func TestMetrics_tell_what_was_asked_and_nothing_of_any_world(t *testing.T) {
	t.Parallel()
	_, w, c := inGo(t, emulator.WithJournalSize(2), emulator.WithVersion("1.0"))
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
	noError(t, w.Delete(t.Context()))
	wantParts(t, string(c.Get("/_understudy/metrics").Body), "\nunderstudy_worlds_forgotten_total 1\n")
}

// Two emulators in a process have nothing in common, and nothing is in the registry of the whole process.
func TestMetrics_are_of_one_emulator(t *testing.T) {
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

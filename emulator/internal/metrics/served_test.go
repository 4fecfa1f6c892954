package metrics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/replicas"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t, emulator.WithJournalSize(2), emulator.WithVersion("1.0"))
	lab.Read(t, c, "vr_completed")
	lab.Read(t, c, "vr_completed")
	lab.WantStatus(t, c.Get("/verification-requests/vr_error_451"), 451, "The social security number is frozen")
	lab.WantStatus(t, c.Get("/nowhere"), 404, "Not Found")
	r := c.Get("/_understudy/metrics")
	lab.WantStatus(t, r, 200, "")
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
	lab.NoError(t, w.Delete(t.Context()))
	lab.WantParts(t, string(c.Get("/_understudy/metrics").Body), "\nunderstudy_worlds_forgotten_total 1\n")
}

// Two emulators in a process share no metrics, and neither uses the default registry.
func TestMetricsPerEmulator(t *testing.T) {
	t.Parallel()
	one, other := lab.Start(t), lab.Start(t)
	lab.Read(t, one, "vr_completed")
	if text := string(other.Get("/_understudy/metrics").Body); !strings.Contains(text, "\nunderstudy_worlds_created_total 0\n") {
		t.Error(text)
	}
	families, err := prometheus.DefaultGatherer.Gather()
	lab.NoError(t, err)
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "understudy_") {
			t.Error(family.GetName())
		}
	}
}

// A replica's metrics count its own requests and measure its own calls of etcd.
func TestMetricsPerReplica(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	a, b := replicas.Clients(t, cluster)
	lab.Read(t, a, "vr_completed")
	lab.Read(t, a, "vr_completed")
	lab.Read(t, b, "vr_completed")
	for requests, c := range map[int]*apitest.Client{2: a, 1: b} {
		text := string(c.Get("/_understudy/metrics").Body)
		lab.WantParts(t, text, fmt.Sprintf("understudy_requests_total{operation=\"getVerificationRequest\",status=\"200\"} %d\n", requests),
			fmt.Sprintf("understudy_worlds_created_total %d\n", requests-1), "understudy_worlds 1\n", "understudy_journal_bytes 0\n")
		for _, operation := range []string{"view", "update"} {
			name := `understudy_store_duration_seconds_count{engine="etcd",operation="` + operation + `"} `
			if _, count, found := strings.Cut(text, name); !found || strings.HasPrefix(count, "0\n") {
				t.Errorf("%s is not timed", operation)
			}
		}
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		lab.NoError(t, err)
		for _, problem := range problems {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
}

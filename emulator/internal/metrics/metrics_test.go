package metrics_test

import (
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/understudy-sandbox/understudy/emulator/internal/metrics"
	"github.com/understudy-sandbox/understudy/store"
)

func newMetrics() *metrics.Metrics { return metrics.New("1.0", slog.New(slog.DiscardHandler)) }

// scrape returns what Prometheus reads.
func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if kind := w.Header().Get("Content-Type"); w.Code != 200 || !strings.HasPrefix(kind, "text/plain; version=0.0.4; charset=utf-8") {
		t.Fatalf("%d %s: %s", w.Code, kind, w.Body)
	}
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	r := m.Requests("read", "cancel")
	r.Add("read", 200, time.Millisecond)
	r.Add("read", 200, time.Millisecond+1)
	r.Add("read", 0, time.Hour)
	r.Add(metrics.NoOperation, 404, 0)
	wantLines(t, scrape(t, m),
		`understudy_requests_total{operation="read",status="0"} 1`,
		`understudy_requests_total{operation="read",status="200"} 2`,
		`understudy_requests_total{operation="none",status="404"} 1`,
		`understudy_request_duration_seconds_bucket{operation="read",le="0.0005"} 0`,
		`understudy_request_duration_seconds_bucket{operation="read",le="0.001"} 1`,
		`understudy_request_duration_seconds_bucket{operation="read",le="0.0025"} 2`,
		`understudy_request_duration_seconds_bucket{operation="read",le="10"} 2`,
		`understudy_request_duration_seconds_bucket{operation="read",le="+Inf"} 3`,
		`understudy_request_duration_seconds_sum{operation="read"} 3600.002000001`,
		`understudy_request_duration_seconds_count{operation="read"} 3`,
		`understudy_request_duration_seconds_count{operation="cancel"} 0`,
	)
}

func TestRequestsConcurrent(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	r := m.Requests()
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 1000 {
				r.Add("read", 200, time.Microsecond)
			}
		})
	}
	running.Wait()
	wantLines(t, scrape(t, m), `understudy_requests_total{operation="read",status="200"} 8000`)
}

func TestStore(t *testing.T) {
	t.Parallel()
	file := "file:" + t.TempDir() + "/understudy.db"
	opened, err := store.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics()
	s := m.Store(opened)
	defer s.Close()
	for range 3 {
		if err := s.View(t.Context(), func(store.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("key", nil) }); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	wantLines(t, text,
		`understudy_store_duration_seconds_count{engine="file",operation="view"} 3`,
		`understudy_store_duration_seconds_count{engine="file",operation="update"} 1`,
	)
	for _, operation := range []string{"view", "update"} {
		if strings.Contains(text, `understudy_store_duration_seconds_sum{engine="file",operation="`+operation+`"} 0`+"\n") {
			t.Errorf("each %s took no time", operation)
		}
	}
	if strings.Contains(text, "understudy.db") {
		t.Error("the metrics contain the path of the store")
	}
}

func TestReloads(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	r := m.Reloads()
	const last = "understudy_scenario_reload_timestamp_seconds{"
	if text := scrape(t, m); strings.Contains(text, last) {
		t.Errorf("a time before the first reload:\n%s", text)
	}
	r.Add(true)
	r.Add(true)
	text := scrape(t, m)
	wantLines(t, text,
		`understudy_scenario_reloads_total{result="ok"} 2`,
		`understudy_scenario_reloads_total{result="refused"} 0`,
	)
	if strings.Contains(text, last+`result="refused"`) || !regexp.MustCompile(`(?m)^`+last+`result="ok"\} [0-9.]+e\+09$`).MatchString(text) {
		t.Error(text)
	}
}

func TestScrape(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	dropped := map[string]uint64{"size": 3, "memory": 1}
	for reason := range dropped {
		m.Counter("dropped_total", "Dropped.", prometheus.Labels{"reason": reason}, func() uint64 { return dropped[reason] })
	}
	m.Gauge("bytes", "Bytes.", nil, func() float64 { return 1.5e9 })
	own := m.Count("own_total", "Own.")
	wantLines(t, scrape(t, m), `dropped_total{reason="memory"} 1`, `dropped_total{reason="size"} 3`, `bytes 1.5e+09`, `own_total 0`)
	own.Inc()
	dropped["size"]++
	wantLines(t, scrape(t, m), `dropped_total{reason="size"} 4`, `own_total 1`)
}

func TestLint(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.Requests().Add("read", 200, 0)
	m.Reloads().Add(true)
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Store(temp).Close()
	text := scrape(t, m)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	for _, name := range []string{"go_goroutines", "process_start_time_seconds"} {
		if !strings.Contains(text, "\n"+name+" ") {
			t.Errorf("no metric %s", name)
		}
	}
}

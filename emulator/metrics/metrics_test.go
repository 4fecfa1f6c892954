package metrics_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/metrics"
)

// The format is that of https://prometheus.io/docs/instrumenting/exposition_formats/.
func TestTheTextFormatIsPrometheus(t *testing.T) {
	t.Parallel()
	var text metrics.Text
	text.Only("a_total", metrics.Counter, "How\nmany \\ \"a\".", 3)
	text.Family("b", metrics.Gauge, "Bs.")
	text.Sample("", 1.5e9, metrics.Label{Name: "x", Value: "a\\b\"c\nd"}, metrics.Label{Name: "y", Value: ""})
	want := `# HELP a_total How\nmany \\ "a".
# TYPE a_total counter
a_total 3
# HELP b Bs.
# TYPE b gauge
b{x="a\\b\"c\nd",y=""} 1.5e+09
`
	if diff := cmp.Diff(want, string(text.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestRequestsAreCountedByOperationAndStatus(t *testing.T) {
	t.Parallel()
	r := metrics.NewRequests("read", "cancel")
	r.Add("read", 200, time.Millisecond)
	r.Add("read", 200, time.Millisecond+1)
	r.Add("read", 0, time.Hour)
	r.Add("nothing", 404, 0)
	r.Add("cancel", 1000, 0)
	r.Add("cancel", -1, 0)
	var text metrics.Text
	r.Write(&text)
	got := string(text.Bytes())
	for _, line := range []string{
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
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%s is not in\n%s", line, got)
		}
	}
}

func TestCountsAreExactHoweverManyAdd(t *testing.T) {
	t.Parallel()
	r := metrics.NewRequests("read")
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 1000 {
				r.Add("read", 200, time.Microsecond)
			}
		})
	}
	running.Wait()
	var text metrics.Text
	if r.Write(&text); !strings.Contains(string(text.Bytes()), `{operation="read",status="200"} 8000`) {
		t.Errorf("%s", text.Bytes())
	}
}

func BenchmarkAdd(b *testing.B) {
	r := metrics.NewRequests("getVerificationRequest")
	for b.Loop() {
		r.Add("getVerificationRequest", 200, 90*time.Microsecond)
	}
}

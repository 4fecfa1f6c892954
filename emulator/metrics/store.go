package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/store"
)

// Store adds the metrics of a store, and returns the store with its calls observed.
func (m *Metrics) Store(s store.Store) store.Store {
	engine, _, _ := strings.Cut(s.String(), ":") // the rest is its place, which is not for everybody
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:        "understudy_store_duration_seconds",
		Help:        "Calls of the store, by operation, as long as their callers waited.",
		ConstLabels: prometheus.Labels{"engine": engine},
		Buckets:     []float64{.000001, .0000025, .00001, .000025, .0001, .00025, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"operation"})
	m.registry.MustRegister(took)
	of := func(operation string) func(time.Duration) {
		observer := took.WithLabelValues(operation)
		return func(took time.Duration) { observer.Observe(took.Seconds()) }
	}
	times := store.Times{Get: of("get"), Update: of("update"), Scan: of("scan"), Delete: of("delete")}
	if _, ok := store.As[store.Logs](s); ok {
		times.Append, times.Read, times.Settle = of("append"), of("read_log"), of("settle")
	}
	if figured, ok := store.As[store.Figured](s); ok {
		for _, f := range figured.Figures() {
			if strings.HasSuffix(f.Name, "_total") {
				m.Counter(f.Name, f.Help, f.Labels, func() uint64 { return uint64(f.Read()) })
			} else {
				m.Gauge(f.Name, f.Help, f.Labels, f.Read)
			}
		}
	}
	return store.Timed(s, times)
}

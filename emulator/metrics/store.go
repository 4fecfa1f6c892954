package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/store"
)

// storeSeconds are the upper ends of the buckets of a store's calls, from what memory answers to what a network does.
var storeSeconds = []float64{
	.000001, .0000025, .00001, .000025, .0001, .00025, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5,
}

// Store adds the figures of a store, and returns it as one that keeps them.
func (m *Metrics) Store(s store.Store) store.Store {
	engine, _, _ := strings.Cut(s.String(), ":") // what comes behind is where it is, and not for everybody
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:        "understudy_store_duration_seconds",
		Help:        "Calls of the store, by operation, as long as their callers waited.",
		ConstLabels: prometheus.Labels{"engine": engine},
		Buckets:     storeSeconds,
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
	m.own(s)
	return store.Timed(s, times)
}

// own adds the figures that a store has of its own.
func (m *Metrics) own(s store.Store) {
	figured, ok := store.As[store.Figured](s)
	if !ok {
		return
	}
	for _, f := range figured.Figures() {
		if strings.HasSuffix(f.Name, "_total") {
			m.Counter(f.Name, f.Help, f.Labels, func() uint64 { return uint64(f.Read()) })
		} else {
			m.Gauge(f.Name, f.Help, f.Labels, f.Read)
		}
	}
}

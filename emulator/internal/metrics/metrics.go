// Package metrics is the Prometheus metrics of an emulator, in a registry of their own. Labels never contain world ids or
// keys.
//
// [Metrics] is the handler of GET /_understudy/metrics. Its methods add metrics: those of requests, of scenario reloads and of
// the store are here; the emulator adds counters and gauges that it reads from other packages at each scrape. Begin with [New].
package metrics

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/understudy-sandbox/understudy/store"
)

// Metrics are the metrics of one emulator. They are safe for concurrent use.
type Metrics struct {
	http.Handler // writes the current values
	registry     *prometheus.Registry
}

// New returns the metrics of Go, of the process and of the version. Errors of a scrape are logged.
func New(version string, log *slog.Logger) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(ofProcess()...)
	m := &Metrics{registry: registry, Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
	})}
	m.Gauge("understudy_build_info", "Always 1; the label has the version.", prometheus.Labels{"version": version}, func() float64 { return 1 })
	return m
}

// ofProcess returns the metrics of Go and of the process, which all emulators of the process share.
var ofProcess = sync.OnceValue(func() []prometheus.Collector {
	return []prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})}
})

// Count adds a counter that the caller increments.
func (m *Metrics) Count(name, help string) prometheus.Counter {
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(counter)
	return counter
}

// Counter adds a counter that is read at each scrape. Several may share a name and help with different labels.
func (m *Metrics) Counter(name, help string, labels prometheus.Labels, read func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(read()) }))
}

// Gauge adds a gauge that is read at each scrape.
func (m *Metrics) Gauge(name, help string, labels prometheus.Labels, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// Reloads counts reloads of scenario files.
type Reloads struct {
	total *prometheus.CounterVec
	last  *prometheus.GaugeVec
}

// Reloads adds the metrics of scenario reloads.
func (m *Metrics) Reloads() Reloads {
	labels := []string{"result"}
	r := Reloads{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_scenario_reloads_total",
			Help: "Reloads of scenario files by result; the log has the cause of a refused one.",
		}, labels),
		last: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "understudy_scenario_reload_timestamp_seconds",
			Help: "Time of the last reload with a result; absent before the first.",
		}, labels),
	}
	r.total.WithLabelValues("ok")
	r.total.WithLabelValues("refused")
	m.registry.MustRegister(r.total, r.last)
	return r
}

// Add counts a reload. A refused one, not ok, has changed nothing.
func (r Reloads) Add(ok bool) {
	result := map[bool]string{true: "ok", false: "refused"}[ok]
	r.total.WithLabelValues(result).Inc()
	r.last.WithLabelValues(result).SetToCurrentTime()
}

// Requests counts requests by operation and status, and observes their duration.
type Requests struct {
	total *prometheus.CounterVec
	took  *prometheus.HistogramVec
}

// Requests adds the metrics of requests. Those of the given operations start at 0.
func (m *Metrics) Requests(operations ...string) Requests {
	r := Requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_requests_total",
			Help: "Requests to the emulated API by operation and status; status 0 is a connection closed without an answer.",
		}, []string{"operation", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "understudy_request_duration_seconds",
			Help:    "Time from the request to its answer, including the delays of rules.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation"}),
	}
	for _, operation := range append(operations, NoOperation) {
		r.took.WithLabelValues(operation)
	}
	m.registry.MustRegister(r.total, r.took)
	return r
}

// NoOperation is the label of requests without an operation.
const NoOperation = "none"

// Add counts a request. The operation "" is none; status 0 is a connection closed without an answer.
func (r Requests) Add(operation string, status int, took time.Duration) {
	operation = cmp.Or(operation, NoOperation)
	r.total.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	r.took.WithLabelValues(operation).Observe(took.Seconds())
}

// Store adds the metrics of a store, and returns a store that records them.
func (m *Metrics) Store(s store.Store) store.Store {
	engine, _, _ := strings.Cut(s.String(), ":") // the rest is its location, which is private
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:        "understudy_store_duration_seconds",
		Help:        "Time that callers waited for transactions of the store, by operation.",
		ConstLabels: prometheus.Labels{"engine": engine},
		Buckets:     []float64{.000001, .0000025, .00001, .000025, .0001, .00025, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"operation"})
	m.registry.MustRegister(durations)
	return timed{s, durations}
}

// timed is a store that observes the duration of its transactions.
type timed struct {
	store.Store
	durations *prometheus.HistogramVec
}

func (t timed) View(ctx context.Context, fn func(store.Tx) error) error {
	defer prometheus.NewTimer(t.durations.WithLabelValues("view")).ObserveDuration()
	return t.Store.View(ctx, fn)
}

func (t timed) Update(ctx context.Context, fn func(store.Tx) error) error {
	defer prometheus.NewTimer(t.durations.WithLabelValues("update")).ObserveDuration()
	return t.Store.Update(ctx, fn)
}

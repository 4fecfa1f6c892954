// Package metrics has the metrics of an emulator for Prometheus, in a registry of their own. Labels never contain world ids
// or keys.
package metrics

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/understudy-sandbox/understudy/store"
)

// Metrics are the metrics of one emulator. They are safe for concurrent use.
type Metrics struct {
	http.Handler // shows the metrics as they are now
	registry     *prometheus.Registry
}

// New returns the metrics of Go, of the process, and the version. An error while they are shown is logged.
func New(version string, log *slog.Logger) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m := &Metrics{registry: registry, Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
	})}
	m.Gauge("understudy_build_info", "1, with the version.", prometheus.Labels{"version": version}, func() float64 { return 1 })
	return m
}

// Count adds a counter for the caller to increase.
func (m *Metrics) Count(name, help string) prometheus.Counter {
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(counter)
	return counter
}

// Counter adds a counter that is read when the metrics are shown. Several may have the same name and help, with different
// labels.
func (m *Metrics) Counter(name, help string, labels prometheus.Labels, read func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(read()) }))
}

// Gauge adds a gauge that is read when the metrics are shown.
func (m *Metrics) Gauge(name, help string, labels prometheus.Labels, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// Reloads counts the changes of scenario files that were read.
type Reloads struct {
	total *prometheus.CounterVec
	last  *prometheus.GaugeVec
}

// Reloads adds the metrics of scenario files that are read again.
func (m *Metrics) Reloads() Reloads {
	labels := []string{"result"}
	r := Reloads{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_scenario_reloads_total",
			Help: "Changes of scenario files that were read, by result: of one that is refused the log says why.",
		}, labels),
		last: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "understudy_scenario_reload_timestamp_seconds",
			Help: "When scenario files were last read again with a result; absent until they are.",
		}, labels),
	}
	r.total.WithLabelValues("ok")
	r.total.WithLabelValues("refused")
	m.registry.MustRegister(r.total, r.last)
	return r
}

// Add counts a reload. A reload that is not ok has changed nothing.
func (r Reloads) Add(ok bool) {
	result := map[bool]string{true: "ok", false: "refused"}[ok]
	r.total.WithLabelValues(result).Inc()
	r.last.WithLabelValues(result).SetToCurrentTime()
}

// Requests counts requests by operation and status, and observes how long they take.
type Requests struct {
	total *prometheus.CounterVec
	took  *prometheus.HistogramVec
}

// Requests adds the metrics of requests, from 0 for the operations that are named.
func (m *Metrics) Requests(operations ...string) Requests {
	r := Requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_requests_total",
			Help: "Requests to the emulated API, by operation and status; 0 is a connection that was broken off.",
		}, []string{"operation", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "understudy_request_duration_seconds",
			Help:    "From the request to its answer, with the delays of rules.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation"}),
	}
	for _, operation := range append(operations, NoOperation) {
		r.took.WithLabelValues(operation)
	}
	m.registry.MustRegister(r.total, r.took)
	return r
}

// NoOperation is the operation of requests that have none.
const NoOperation = "none"

// Add counts a request of an operation, "" for none. A status of 0 is a connection that was broken off.
func (r Requests) Add(operation string, status int, took time.Duration) {
	operation = cmp.Or(operation, NoOperation)
	r.total.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	r.took.WithLabelValues(operation).Observe(took.Seconds())
}

// Store adds the metrics of a store, and returns it as one that keeps them.
func (m *Metrics) Store(s store.Store) store.Store {
	engine, _, _ := strings.Cut(s.String(), ":") // what follows is where it is, and not for everybody
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:        "understudy_store_duration_seconds",
		Help:        "Transactions of the store, by operation, as long as their callers waited.",
		ConstLabels: prometheus.Labels{"engine": engine},
		Buckets:     []float64{.000001, .0000025, .00001, .000025, .0001, .00025, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"operation"})
	m.registry.MustRegister(durations)
	return timed{s, durations}
}

// timed is a store that observes how long its transactions take.
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

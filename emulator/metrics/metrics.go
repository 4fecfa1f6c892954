// Package metrics has the figures of an emulator for Prometheus, in a registry of their own. No figure tells a world or a
// key.
package metrics

import (
	"log/slog"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the figures of one emulator. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	handler  func() http.Handler
}

// New returns figures that there are none of yet but the version, and those of Go and the process. What cannot be shown is
// logged.
func New(version string, log *slog.Logger) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.handler = sync.OnceValue(func() http.Handler { // few emulators are ever asked, and all are to start soon
		m.registry.MustRegister(
			collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
		})
	})
	m.Gauge("understudy_build_info", "1, with the version.", prometheus.Labels{"version": version}, func() float64 { return 1 })
	return m
}

// ServeHTTP shows the figures as they are now.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.handler().ServeHTTP(w, r) }

// Count adds a counter, and returns it to be counted with.
func (m *Metrics) Count(name, help string) prometheus.Counter {
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(counter)
	return counter
}

// Counter adds a counter that somebody else keeps: it is read when the figures are shown. Several may have a name, with
// the same help and other labels.
func (m *Metrics) Counter(name, help string, labels prometheus.Labels, read func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(read()) }))
}

// Gauge adds a gauge that is read when the figures are shown.
func (m *Metrics) Gauge(name, help string, labels prometheus.Labels, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

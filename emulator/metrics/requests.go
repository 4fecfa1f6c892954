package metrics

import (
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requestSeconds are the upper ends of the buckets of requests.
var requestSeconds = []float64{
	.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10,
}

// Requests counts requests by operation and status, and how long they take.
type Requests struct {
	total *prometheus.CounterVec
	took  *prometheus.HistogramVec
}

// Requests adds the figures of requests.
func (m *Metrics) Requests() *Requests {
	r := &Requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_requests_total",
			Help: "Requests to the emulated API, by operation and status; 0 is a connection that was broken off.",
		}, []string{"operation", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "understudy_request_duration_seconds",
			Help:    "From the request to its answer, with the delays of rules.",
			Buckets: requestSeconds,
		}, []string{"operation"}),
	}
	m.registry.MustRegister(r.total, r.took)
	return r
}

// NoOperation is what requests count as that are of no operation.
const NoOperation = "none"

// greatest is the greatest status.
const greatest = 599

// Operation counts the requests of one operation. Counting looks nothing up by a label.
type Operation struct {
	name  string
	total *prometheus.CounterVec
	by    atomic.Pointer[map[int]prometheus.Counter] // of the statuses that there were
	took  prometheus.Observer
}

// Of returns what counts the requests of an operation.
func (r *Requests) Of(operation string) *Operation {
	o := &Operation{name: operation, total: r.total, took: r.took.WithLabelValues(operation)}
	o.by.Store(new(map[int]prometheus.Counter))
	return o
}

// Add counts a request. A status of 0 is a connection that was broken off.
func (o *Operation) Add(status int, took time.Duration) {
	o.with(min(max(status, 0), greatest)).Inc()
	o.took.Observe(took.Seconds())
}

// with returns the counter of a status.
func (o *Operation) with(status int) prometheus.Counter {
	known := *o.by.Load()
	if counter, ok := known[status]; ok {
		return counter
	}
	more := map[int]prometheus.Counter{status: o.total.WithLabelValues(o.name, strconv.Itoa(status))}
	maps.Copy(more, known)
	o.by.Store(&more) // what another stores meanwhile is lost, and found again when it is wanted
	return more[status]
}

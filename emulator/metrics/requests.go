package metrics

import (
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

// statuses is one more than the greatest status.
const statuses = 600

// Operation counts the requests of one operation. Counting looks nothing up by a label.
type Operation struct {
	name  string
	total *prometheus.CounterVec
	by    [statuses]atomic.Pointer[prometheus.Counter] // nil until the first of the status
	took  prometheus.Observer
}

// Of returns what counts the requests of an operation.
func (r *Requests) Of(operation string) *Operation {
	return &Operation{name: operation, total: r.total, took: r.took.WithLabelValues(operation)}
}

// Add counts a request. A status of 0 is a connection that was broken off.
func (o *Operation) Add(status int, took time.Duration) {
	o.with(min(max(status, 0), statuses-1)).Inc()
	o.took.Observe(took.Seconds())
}

// with returns the counter of a status.
func (o *Operation) with(status int) prometheus.Counter {
	if known := o.by[status].Load(); known != nil {
		return *known
	}
	counter := o.total.WithLabelValues(o.name, strconv.Itoa(status))
	o.by[status].Store(&counter)
	return counter
}

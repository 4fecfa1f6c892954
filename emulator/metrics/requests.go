package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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

// Add counts a request. A status of 0 is a connection that was broken off.
func (r Requests) Add(operation string, status int, took time.Duration) {
	r.total.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	r.took.WithLabelValues(operation).Observe(took.Seconds())
}

// Package metrics counts the requests of an emulator, and writes figures in the text format of Prometheus. No figure
// tells a world or a key.
package metrics

import (
	"strconv"
	"sync/atomic"
	"time"
)

// bounds are the upper ends of the histogram's buckets; behind the last one is all that takes longer.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

// statuses is one more than the greatest status.
const statuses = 600

// NoOperation is what requests count as that are of no operation.
const NoOperation = "none"

// Requests counts requests by operation and status, and how long they take. It is safe for concurrent use, and nobody
// waits for it.
type Requests struct {
	names []string
	index map[string]int
	by    []counts
}

// counts are those of one operation.
type counts struct {
	statuses [statuses]atomic.Uint64
	buckets  [len(bounds) + 1]atomic.Uint64
	took     atomic.Int64 // all together, in nanoseconds
}

// NewRequests returns a count for operations.
func NewRequests(operations ...string) *Requests {
	names := append(operations[:len(operations):len(operations)], NoOperation)
	r := &Requests{names: names, index: make(map[string]int), by: make([]counts, len(names))}
	for i, name := range names {
		r.index[name] = i
	}
	return r
}

// Add counts a request. A status of 0 is a connection that was broken off.
func (r *Requests) Add(operation string, status int, took time.Duration) {
	i, known := r.index[operation]
	if !known {
		i = len(r.by) - 1
	}
	c := &r.by[i]
	c.statuses[min(max(status, 0), statuses-1)].Add(1)
	bucket := 0
	for bucket < len(bounds) && took > bounds[bucket] {
		bucket++
	}
	c.buckets[bucket].Add(1)
	c.took.Add(int64(took))
}

// Write writes the counts.
func (r *Requests) Write(to *Text) {
	to.Family("understudy_requests_total", Counter, "Requests to the emulated API, by operation and status; 0 is a connection that was broken off.")
	for i, name := range r.names {
		for status := range r.by[i].statuses {
			if n := r.by[i].statuses[status].Load(); n > 0 {
				to.Sample("", float64(n), Label{"operation", name}, Label{"status", strconv.Itoa(status)})
			}
		}
	}
	to.Family("understudy_request_duration_seconds", Histogram, "From the request to its answer, with the delays of rules.")
	for i, name := range r.names {
		r.by[i].write(to, Label{"operation", name})
	}
}

// write writes a histogram, unless nothing was counted.
func (c *counts) write(to *Text, operation Label) {
	var under [len(bounds) + 1]uint64
	sum := uint64(0)
	for i := range under {
		sum += c.buckets[i].Load()
		under[i] = sum
	}
	if sum == 0 {
		return
	}
	for i, bound := range bounds {
		to.Sample("_bucket", float64(under[i]), operation, Label{"le", number(bound.Seconds())})
	}
	to.Sample("_bucket", float64(sum), operation, Label{"le", "+Inf"})
	to.Sample("_sum", time.Duration(c.took.Load()).Seconds(), operation)
	to.Sample("_count", float64(sum), operation)
}

package emulator

import (
	"sync/atomic"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/metrics"
)

// figures are what an emulator counts of itself.
type figures struct {
	requests *metrics.Requests
	failures atomic.Uint64 // errors of the emulator's own
}

// count counts an answer. A status of 0 is none.
func (c *call) count(status int) {
	name := metrics.NoOperation
	if c.operation != nil {
		name = c.operation.name
	}
	c.emulator.figures.requests.Add(name, status, time.Since(c.began))
}

// writeMetrics writes the figures as they are now.
func (e *Emulator) writeMetrics(to *metrics.Text) {
	to.Only("understudy_build_info", metrics.Gauge, "1, with the version.", 1, metrics.Label{Name: "version", Value: e.version})
	e.figures.requests.Write(to)
	to.Only("understudy_failures_total", metrics.Counter, "Errors of the emulator's own, such as of its store: the log says which.", float64(e.figures.failures.Load()))
	to.Only("understudy_worlds_created_total", metrics.Counter, "Worlds that this process has made.", float64(e.worlds.Created()))
	to.Only("understudy_scenarios", metrics.Gauge, "Scenarios that all worlds follow.", float64(e.Scenarios()))
	overrun, evicted := e.journal.Dropped()
	to.Family("understudy_journal_dropped_total", metrics.Counter, "Requests that are no longer in a journal: it was full, or all of them took too much memory.")
	to.Sample("", float64(overrun), metrics.Label{Name: "reason", Value: "size"})
	to.Sample("", float64(evicted), metrics.Label{Name: "reason", Value: "memory"})
	to.Only("understudy_journal_bytes", metrics.Gauge, "What the journals of all worlds take, about.", float64(e.journal.Held()))
}

package emulator

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/emulator/metrics"
)

// figures are what an emulator counts of itself. What else is to be shown is added to its metrics.
type figures struct {
	metrics  *metrics.Metrics
	requests metrics.Requests
	failures prometheus.Counter // errors of the emulator's own
	reloads  metrics.Reloads
}

func newFigures(c config) figures {
	m := metrics.New(c.version, c.log)
	return figures{
		metrics: m, requests: m.Requests(operationNames()...), reloads: m.Reloads(),
		failures: m.Count("understudy_failures_total", "Errors of the emulator's own, such as of its store: the log says which."),
	}
}

// showFigures adds what others keep to the metrics.
func (e *Emulator) showFigures() {
	m := e.figures.metrics
	m.Gauge("understudy_worlds", "Worlds that there are in the store.", nil, e.countWorlds)
	m.Counter("understudy_worlds_created_total", "Worlds that this process has made.", nil, e.worlds.Created)
	m.Counter("understudy_worlds_forgotten_total", "Worlds that this process has deleted, or forgotten as nobody used them.", nil, e.worlds.Forgotten)
	m.Gauge("understudy_scenarios", "Scenarios that all worlds follow.", nil, func() float64 { return float64(e.Scenarios()) })
	m.Gauge("understudy_journal_bytes", "What the journals of all worlds take, about.", nil, func() float64 { return float64(e.journal.Held()) })
	m.Gauge("understudy_journal_gathered", "Requests that are yet to be written to a journal that replicas share.", nil,
		func() float64 { return float64(e.journal.Writes().Gathered) })
	m.Counter("understudy_journal_written_total", "Requests that this process has written to a journal that replicas share.", nil,
		func() uint64 { return e.journal.Writes().Written })
	for reason, dropped := range map[string]func() uint64{
		"size":   func() uint64 { overrun, _ := e.journal.Dropped(); return overrun },
		"memory": func() uint64 { _, evicted := e.journal.Dropped(); return evicted },
		"store":  func() uint64 { return e.journal.Writes().Dropped },
	} {
		m.Counter("understudy_journal_dropped_total", "Requests that are no longer in a journal: it was full, or all of them took too much memory, or its store was behind.",
			prometheus.Labels{"reason": reason}, dropped)
	}
}

// countWorlds returns how many worlds there are, no number where the store does not tell in time for a scrape.
func (e *Emulator) countWorlds() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	worlds, err := e.worlds.Count(ctx)
	if err != nil {
		return math.NaN()
	}
	return float64(worlds)
}

// count counts an answer. A status of 0 is none.
func (c *call) count(status int) {
	operation := metrics.NoOperation
	if c.operation != nil {
		operation = c.operation.name
	}
	c.emulator.figures.requests.Add(operation, status, time.Since(c.began))
}

package world

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	failingTime = 3 * time.Second  // for so long all requests have failed in a process that is not ready
	failureAge  = 10 * time.Second // for so long a failure counts: a process that is not ready may get no other request
)

// outcomes are whether the last request failed, and when, by [Clock.Elapsed], all requests since the last success did.
type outcomes struct {
	mu          sync.Mutex
	failing     bool
	first, last time.Duration
}

// CountOutcome counts a request that was carried out in a world, or failed by an error of the emulator itself.
func (ws *Worlds) CountOutcome(failed bool) {
	o, now := &ws.outcomes, ws.config.Clock.Elapsed()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.failing || now-o.last > failureAge {
		o.first = now
	}
	o.failing, o.last = failed, now
}

// Ready returns an error while the store cannot be used, or all requests have failed for some seconds.
func (ws *Worlds) Ready(ctx context.Context) error {
	if err := ws.config.Store.Ready(ctx); err != nil {
		return fmt.Errorf("the store cannot be used: %w", err)
	}
	o, now := &ws.outcomes, ws.config.Clock.Elapsed()
	o.mu.Lock()
	defer o.mu.Unlock()
	if span := o.last - o.first; o.failing && span >= failingTime && now-o.last <= failureAge {
		return fmt.Errorf("all requests of the last %s have failed: see the log for the cause", span.Round(time.Second))
	}
	return nil
}

package world

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// failingTime is how long all requests have failed before the process is not ready.
	failingTime = 3 * time.Second

	// failureAge is how long a failure counts. A process that is not ready may get no request that could succeed.
	failureAge = 10 * time.Second
)

// outcomes are when requests have failed, by [Clock.Elapsed], since the last one that was served.
type outcomes struct {
	mu          sync.Mutex
	failed      bool
	first, last time.Duration
}

// Served records that a request was carried out in a world.
func (ws *Worlds) Served() {
	ws.outcomes.mu.Lock()
	defer ws.outcomes.mu.Unlock()
	ws.outcomes.failed = false
}

// Failed records that a request failed by an error of the emulator itself.
func (ws *Worlds) Failed() {
	ws.outcomes.mu.Lock()
	defer ws.outcomes.mu.Unlock()
	now := ws.config.Clock.Elapsed()
	if !ws.outcomes.failed || now-ws.outcomes.last > failureAge {
		ws.outcomes.failed, ws.outcomes.first = true, now
	}
	ws.outcomes.last = now
}

// Ready returns an error while the store cannot be used, or all requests fail for some seconds.
func (ws *Worlds) Ready(ctx context.Context) error {
	if err := ws.config.Store.Ready(ctx); err != nil {
		return fmt.Errorf("The store cannot be used: %w", err)
	}
	ws.outcomes.mu.Lock()
	defer ws.outcomes.mu.Unlock()
	failing := ws.outcomes.last - ws.outcomes.first
	if ws.outcomes.failed && failing >= failingTime && ws.config.Clock.Elapsed()-ws.outcomes.last <= failureAge {
		return fmt.Errorf("All requests of the last %s have failed: see the log for the cause", failing.Round(time.Second))
	}
	return nil
}

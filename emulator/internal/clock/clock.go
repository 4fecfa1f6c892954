// Package clock is the time of an emulator: the machine's clock, or an instant at which new worlds stand. It has no world.
package clock

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Clock is the clock of new worlds. The zero value runs with the machine's.
type Clock struct {
	Frozen time.Time        // when set, every world starts frozen at this instant
	Wall   func() time.Time // the machine's clock; default [time.Now]

	// Elapsed returns the real time since some instant, also when the machine's clock is set; default: the monotonic clock.
	Elapsed func() time.Duration

	// Pause waits for a span of real time, or returns the cause when ctx ends first; default: a timer. Delays of rules are
	// such pauses: a network is slow whatever a world's clock shows.
	Pause func(ctx context.Context, span time.Duration) error
}

// FrozenAt returns the clock of worlds that start frozen at an instant.
func FrozenAt(instant time.Time) Clock { return Clock{Frozen: instant} }

// The first and the last year in which a clock can be frozen: ids begin in 1970, dates end with 9999.
const (
	FirstYear = 1970
	LastYear  = 9990
)

// Check returns an error for an instant at which no clock can be frozen.
func (c Clock) Check() error {
	if year := c.Frozen.UTC().Year(); !c.Frozen.IsZero() && (year < FirstYear || year > LastYear) {
		return fmt.Errorf("the clock cannot be frozen in the year %d: choose one from %d to %d", year, FirstYear, LastYear)
	}
	return nil
}

// Wait waits for a span of real time, or returns the cause when ctx ends first.
func (c Clock) Wait(ctx context.Context, span time.Duration) error {
	if c.Pause != nil {
		return c.Pause(ctx, span)
	}
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Steady returns the clock with a wall that never goes back: when the machine's clock is set back, the wall goes on from
// its last instant, and stays ahead until the process ends. It shows only years that a world's clock can show.
func Steady(c Clock) Clock {
	var mu sync.Mutex
	var last time.Time
	var ahead time.Duration
	if began := time.Now(); c.Elapsed == nil {
		c.Elapsed = func() time.Duration { return time.Since(began) }
	}
	machine := c.Wall
	if machine == nil {
		machine = time.Now
	}
	c.Wall = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now := Within(machine().Round(0)).Add(ahead) // without the monotonic reading
		if back := last.Sub(now); back > 0 {
			ahead, now = ahead+back, last
		}
		last = Within(now)
		return last
	}
	return c
}

// Within returns the nearest instant that a clock can show.
func Within(instant time.Time) time.Time {
	switch year := instant.UTC().Year(); {
	case year < FirstYear:
		return time.Unix(0, 0)
	case year > LastYear:
		return time.Date(LastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
	}
	return instant
}

// String returns the clock in the form of the flag --clock: real, or the instant.
func (c Clock) String() string {
	if c.Frozen.IsZero() {
		return "real"
	}
	return c.Frozen.UTC().Format(time.RFC3339Nano)
}

package world

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Clock is what new worlds take their time from. The zero value runs with the machine.
type Clock struct {
	Frozen time.Time        // when set, every world starts frozen at this instant
	Wall   func() time.Time // the machine's clock; default [time.Now]

	// Pause lets a span of real time pass, or returns the cause when ctx ends first; default: a timer. Delays of rules
	// are such pauses: a network is slow whatever a world's clock says.
	Pause func(ctx context.Context, span time.Duration) error
}

// FrozenAt returns the clock of worlds that start frozen at an instant.
func FrozenAt(instant time.Time) Clock { return Clock{Frozen: instant} }

// The years in which a clock can be frozen: ids begin in 1970, dates end with 9999.
const (
	firstYear = 1970
	lastYear  = 9990
)

// Check returns an error for a clock that worlds cannot have.
func (c Clock) Check() error {
	if year := c.Frozen.UTC().Year(); !c.Frozen.IsZero() && (year < firstYear || year > lastYear) {
		return fmt.Errorf("the clock cannot be frozen in the year %d: choose one from %d to %d", year, firstYear, lastYear)
	}
	return nil
}

// Wait lets a span of real time pass, or returns the cause when ctx ends first.
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

// steady returns the clock with a wall that never goes back: when the machine's clock is set back it goes on from where
// it was, and is ahead from then on until the process ends. It keeps to the years in which a clock can be.
func (c Clock) steady() Clock {
	var mu sync.Mutex
	var last time.Time
	var ahead time.Duration
	machine := c.Wall
	if machine == nil {
		machine = time.Now
	}
	c.Wall = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now := within(machine().Round(0)).Add(ahead) // by what it shows, not by the time that has passed
		if back := last.Sub(now); back > 0 {
			ahead, now = ahead+back, last
		}
		last = within(now)
		return last
	}
	return c
}

// within returns the nearest instant that a clock can show.
func within(instant time.Time) time.Time {
	switch year := instant.UTC().Year(); {
	case year < firstYear:
		return time.Unix(0, 0)
	case year > lastYear:
		return time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
	}
	return instant
}

// aheadOf returns by how much a world that runs from an instant on is ahead of the machine's clock, unless that is more
// than can be counted.
func (c Clock) aheadOf(instant time.Time) (time.Duration, error) {
	ahead := instant.Sub(c.Wall())
	if ahead == math.MaxInt64 || ahead == math.MinInt64 {
		return 0, api.Because(http.StatusBadRequest, "A clock that runs is at most 292 years from the machine's: have it stand")
	}
	return ahead, nil
}

// String returns the clock as the flag --clock has it: real, or the instant.
func (c Clock) String() string {
	if c.Frozen.IsZero() {
		return "real"
	}
	return c.Frozen.UTC().Format(time.RFC3339Nano)
}

// SetTime sets the world's clock, which does not go back; nil leaves the instant, or that it stands or runs, as it is.
func (w *World) SetTime(now *time.Time, frozen *bool) (err error) {
	to, stands := w.now, w.Frozen()
	if now != nil {
		to = now.UTC()
	}
	if frozen != nil {
		stands = *frozen
	}
	if to.Before(w.now) {
		return api.Because(http.StatusConflict, fmt.Sprintf(
			"The clock shows %s and does not go back: reset the world first", w.now.Format(time.RFC3339Nano)))
	}
	if FrozenAt(to).Check() != nil {
		return api.Because(http.StatusBadRequest, fmt.Sprintf("The clock goes to the year %d only", lastYear))
	}
	r := w.record
	r.Frozen, r.Ahead = nil, 0
	if stands {
		r.Frozen = &to
	} else if r.Ahead, err = w.worlds.config.Clock.aheadOf(to); err != nil {
		return err
	}
	return w.setRecord(r)
}

// Advance moves the world's clock on by a positive span, running or not.
func (w *World) Advance(by time.Duration) error {
	if by <= 0 {
		return api.Because(http.StatusBadRequest, "A clock is advanced by a positive span of time, such as 36h")
	}
	return w.SetTime(new(w.now.Add(by)), nil)
}

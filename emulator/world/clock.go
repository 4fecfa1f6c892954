package world

import (
	"context"
	"fmt"
	"time"
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

func (c Clock) wall() time.Time {
	if c.Wall == nil {
		return time.Now()
	}
	return c.Wall()
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

// String returns the clock as the flag --clock has it: real, or the instant.
func (c Clock) String() string {
	if c.Frozen.IsZero() {
		return "real"
	}
	return c.Frozen.UTC().Format(time.RFC3339Nano)
}

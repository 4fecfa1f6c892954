package world

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// aheadOf returns by how much a clock that runs from an instant on is ahead of a wall. Its error is for more than a Duration
// holds.
func aheadOf(instant, wall time.Time) (time.Duration, error) {
	ahead := instant.Sub(wall)
	if ahead == math.MaxInt64 || ahead == math.MinInt64 {
		return 0, invalid("A clock that runs is at most 292 years from the machine's: freeze it")
	}
	return ahead, nil
}

// setTime sets the world's clock, which does not go back; nil leaves the instant, or whether it is frozen, as it is.
func (tx *Tx) setTime(now *time.Time, frozen *bool) (Status, error) {
	r, err := tx.timed(now, frozen)
	if err == nil {
		err = tx.setRecord(r)
	}
	if err == nil && tx.Outbox.Subscribed() {
		err = tx.Outbox.Rouse()
	}
	return tx.Status(), err
}

// timed returns the record with another clock.
func (tx *Tx) timed(now *time.Time, frozen *bool) (r registry.Record, err error) {
	to, freeze := tx.Now, tx.record.Frozen != nil
	if now != nil {
		to = now.UTC()
	}
	if frozen != nil {
		freeze = *frozen
	}
	if to.Before(tx.Now) {
		return r, conflict(fmt.Sprintf(
			"The clock shows %s and does not go back: reset the world first", tx.Now.Format(time.RFC3339Nano)))
	}
	if clock.FrozenAt(to).Check() != nil {
		return r, invalid(fmt.Sprintf("The clock goes to the year %d only", clock.LastYear))
	}
	r = tx.record
	r.Frozen, r.Ahead = nil, 0
	if freeze {
		r.Frozen = &to
	} else {
		r.Ahead, err = aheadOf(to, tx.wall)
	}
	return r, err
}

// ParseSpan reads a span of time such as 36h. Its error is a 400.
func ParseSpan(text string) (time.Duration, error) {
	span, err := scenarios.ParseSpan(text)
	if err != nil {
		return 0, invalid(api.Quote(text) + " " + err.Error())
	}
	return span, nil
}

// ChangeClock sets the world's clock to an instant, freezes it or lets it run, or both.
func (w *World) ChangeClock(ctx context.Context, now *time.Time, frozen *bool) (Status, error) {
	if now == nil && frozen == nil {
		return Status{}, invalid(`Send what to set the clock to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both`)
	}
	return w.moveClock(ctx, func(*Tx) (move, error) { return move{to: now, frozen: frozen}, nil })
}

// SetClock sets the world's clock to an instant, and leaves it frozen or running. No clock goes back: reset the world
// first.
func (w *World) SetClock(ctx context.Context, now time.Time) (Status, error) {
	return w.ChangeClock(ctx, &now, nil)
}

// Freeze stops the world's clock.
func (w *World) Freeze(ctx context.Context) (Status, error) {
	return w.ChangeClock(ctx, nil, new(true))
}

// Unfreeze lets the world's clock run on with the machine's.
func (w *World) Unfreeze(ctx context.Context) (Status, error) {
	return w.ChangeClock(ctx, nil, new(false))
}

// Now returns the world's instant.
func (w *World) Now(ctx context.Context) (time.Time, error) {
	status, err := w.Status(ctx)
	return status.Now, err
}

// Advance moves the world's clock on by a span, running or not. It does not go back; 0 moves nothing.
func (w *World) Advance(ctx context.Context, by time.Duration) (Status, error) {
	return w.moveClock(ctx, func(*Tx) (move, error) {
		if by < 0 {
			return move{}, invalid("A clock does not go back: advance it by a span of time such as 36h")
		}
		return move{by: by}, nil
	})
}

// AdvanceTo moves the world's clock on to an instant, unless that has passed.
func (w *World) AdvanceTo(ctx context.Context, at time.Time) (Status, error) {
	return w.moveClock(ctx, func(tx *Tx) (move, error) {
		if !tx.Now.Before(at) {
			return move{}, nil
		}
		return move{to: &at}, nil
	})
}

// ErrNoTransition is the error of [World.AdvanceToNext] when time alone moves no request.
var ErrNoTransition = conflict(
	"No verification request in this world is waiting for the clock")

// AdvanceToNext moves the world's clock on to the next instant at which time alone moves a verification request.
func (w *World) AdvanceToNext(ctx context.Context) (Status, error) {
	return w.moveClock(ctx, func(tx *Tx) (move, error) {
		due, err := tx.Transitions(1)
		if err != nil {
			return move{}, err
		}
		if len(due) == 0 {
			return move{}, ErrNoTransition
		}
		return move{to: &due[0].At}, nil
	})
}

// AdvanceToPayday moves the world's clock on to the first instant of the next day on which the person of a verification request is
// paid.
func AdvanceToPayday(ctx context.Context, w *World, id string) (Status, error) {
	return w.moveClock(ctx, func(tx *Tx) (move, error) {
		v, err := tx.Inspect(id)
		if err != nil {
			return move{}, err
		}
		day, why := tx.Fixtures.NextPayday(v.Identity, v.Shape, v.Progress.Created, tx.Now)
		if why != "" {
			return move{}, conflict(fmt.Sprintf("%s has no next payday: %s", id, why))
		}
		return move{to: new(day.Time())}, nil
	})
}

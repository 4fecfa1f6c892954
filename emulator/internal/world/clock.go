package world

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// lead is by how much the wall of a world is ahead of the machine's clock, in one generation of the world.
type lead struct {
	generation int64
	by         time.Duration
}

// maxLeads bounds the leads in memory. A world whose lead was evicted goes on from its last-used time.
const maxLeads = 16 << 10

// wall returns the machine's instant as a world sees it. When the last-used time is later, by the clock of another replica or
// because this one was set back before the process began, the world goes on from there; where no other process has the
// store, from after all that was shown.
func (ws *Worlds) wall(id string, r record) time.Time {
	ws.leading.Lock()
	defer ws.leading.Unlock()
	now := ws.config.Clock.Wall().UTC()
	l, _ := ws.leads.Get(id)
	if l.generation != r.Generation {
		l = lead{generation: r.Generation}
	}
	if r.Used.Sub(now) > l.by {
		if l.by = r.Used.Sub(now); !ws.config.Store.Shared() {
			l.by += time.Minute // the most of usedEvery
		}
		ws.leads.Add(id, l)
	}
	return now.Add(l.by)
}

// Skew returns by how much worlds are ahead of this machine's clock at most, see wall.
func (ws *Worlds) Skew() (most time.Duration) {
	for _, l := range ws.leads.Values() {
		most = max(most, l.by)
	}
	return most
}

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
	if err == nil && tx.outbox.Subscribed() {
		err = tx.outbox.Rouse()
	}
	return tx.Status(), err
}

// timed returns the record with another clock.
func (tx *Tx) timed(now *time.Time, frozen *bool) (r record, err error) {
	to, freeze := tx.now, tx.record.Frozen != nil
	if now != nil {
		to = now.UTC()
	}
	if frozen != nil {
		freeze = *frozen
	}
	if to.Before(tx.now) {
		return r, conflict(fmt.Sprintf(
			"The clock shows %s and does not go back: reset the world first", tx.now.Format(time.RFC3339Nano)))
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
	return w.moveClock(ctx, func(*Tx) (*time.Time, *bool, error) { return now, frozen, nil })
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
	return w.moveClock(ctx, func(tx *Tx) (*time.Time, *bool, error) {
		switch {
		case by < 0:
			return nil, nil, invalid("A clock does not go back: advance it by a span of time such as 36h")
		case by == 0:
			return nil, nil, nil
		}
		return new(tx.now.Add(by)), nil, nil
	})
}

// AdvanceTo moves the world's clock on to an instant, unless that has passed.
func (w *World) AdvanceTo(ctx context.Context, at time.Time) (Status, error) {
	return w.moveClock(ctx, func(tx *Tx) (*time.Time, *bool, error) {
		if !tx.now.Before(at) {
			return nil, nil, nil
		}
		return &at, nil, nil
	})
}

// Transition is a step that a verification request takes at an instant.
type Transition struct {
	ID    string // of the request
	State api.State
	At    time.Time
}

// ErrNoTransition is the error of [World.AdvanceToNext] when time alone moves no request.
var ErrNoTransition = conflict(
	"No verification request in this world is waiting for the clock")

// next returns the step that time alone leads the request to; ok is false without one.
func (v *verification) next(tx *Tx) (t Transition, ok bool) {
	timeline := v.timeline(tx)
	if timeline.Ended(v.Cursor) || timeline[v.Cursor.Step+1].After.Elapsed <= 0 {
		return t, false
	}
	step := timeline[v.Cursor.Step+1]
	return Transition{ID: v.id, State: step.State, At: v.Cursor.Entered.Add(time.Duration(step.After.Elapsed))}, true
}

// Transitions returns the first steps that time alone leads to, one of each verification request, in their order.
func (tx *Tx) Transitions(limit int) (due []Transition, err error) {
	err = tx.scanVerifications("", func(v verification, _ int64) (more bool) {
		t, ok := v.next(tx)
		if !ok {
			return true
		}
		i := len(due)
		for i > 0 && t.At.Before(due[i-1].At) {
			i--
		}
		if i < limit {
			due = slices.Insert(due, i, t)
			due = due[:min(len(due), limit)]
		}
		return true
	})
	return due, err
}

// AdvanceToNext moves the world's clock on to the next instant at which time alone moves a verification request.
func (w *World) AdvanceToNext(ctx context.Context) (Status, error) {
	return w.moveClock(ctx, func(tx *Tx) (*time.Time, *bool, error) {
		due, err := tx.Transitions(1)
		if err != nil {
			return nil, nil, err
		}
		if len(due) == 0 {
			return nil, nil, ErrNoTransition
		}
		return &due[0].At, nil, nil
	})
}

// AdvanceToPayday moves the world's clock on to the first instant of the next day on which the person of a verification request is
// paid.
func AdvanceToPayday(ctx context.Context, w *World, id string) (Status, error) {
	return w.moveClock(ctx, func(tx *Tx) (*time.Time, *bool, error) {
		v, err := tx.inspect(id)
		if err != nil {
			return nil, nil, err
		}
		day, why := tx.fixtures.NextPayday(v.Identity, v.Shape, v.Progress.Created, tx.now)
		if why != "" {
			return nil, nil, conflict(fmt.Sprintf("%s has no next payday: %s", id, why))
		}
		return new(day.Time()), nil, nil
	})
}

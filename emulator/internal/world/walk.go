package world

import (
	"context"
	"time"
)

// Carried counts what a change of the clock has carried out, and what it has left.
type Carried struct{ Sent, Failed, Due int }

// walkTime bounds how long a change of the clock carries out what comes due. A server writes no answer after a minute.
const walkTime = 45 * time.Second

// move is a change of a world's clock.
type move struct {
	to     *time.Time    // an instant; nil: none
	by     time.Duration // a span, without one: what is left of it, so that spans that are moved at once add up
	frozen *bool         // nil: as it is
}

// until returns the instant to which the clock is to go, nil for none.
func (m move) until(now time.Time) *time.Time {
	if m.to == nil && m.by > 0 {
		return new(now.Add(m.by))
	}
	return m.to
}

// moveClock moves the world's clock, freezes it or lets it run, as plan says. In a world with subscriptions it goes from one
// instant at which something is due to the next, and what is due is carried out there. The status has what came of it.
func (w *World) moveClock(ctx context.Context, plan func(*Tx) (move, error)) (Status, error) {
	var m move
	walks := false
	status, err := update(ctx, w, func(tx *Tx) (_ Status, err error) {
		if m, err = plan(tx); err != nil {
			return Status{}, err
		}
		to := m.until(tx.Now)
		walks = tx.Outbox.Subscribed() && !w.dry
		switch {
		case walks && m.frozen != nil && *m.frozen: // nothing passes on the way
			_, err = tx.setTime(nil, m.frozen)
		case to == nil && m.frozen == nil:
		case !walks:
			return tx.setTime(to, m.frozen)
		}
		if err == nil && walks {
			_, err = tx.timed(to, m.frozen)
		}
		return tx.Status(), err
	})
	if err != nil || !walks {
		return status, err
	}
	return w.walk(ctx, m)
}

// walk carries out what is due up to the instant of a move, nil for the present one, and then sets the clock.
func (w *World) walk(ctx context.Context, m move) (status Status, err error) {
	walking, cancel := context.WithTimeout(ctx, walkTime)
	defer cancel()
	var carried Carried
	for more := true; more && err == nil; {
		sent, failed, failure := w.worlds.process.Sender.Complete(walking, w.id)
		carried.Sent, carried.Failed = carried.Sent+sent, carried.Failed+failed
		if err = failure; err == nil {
			var moved time.Duration
			err = w.Update(walking, func(tx *Tx) (err error) {
				moved, more, err = tx.stepClock(m.until(tx.Now))
				return err
			})
			m.by -= moved
		}
	}
	if err != nil && walking.Err() == nil {
		return status, err
	}
	return update(context.WithoutCancel(ctx), w, func(tx *Tx) (status Status, err error) {
		to := m.until(tx.Now)
		if to != nil && to.Before(tx.Now) { // a running clock has passed it
			to = &tx.Now
		}
		if status = tx.Status(); to != nil || m.frozen != nil {
			status, err = tx.setTime(to, m.frozen)
		}
		if err == nil {
			carried.Due, err = tx.Outbox.Count()
			status.Deliveries = &carried
		}
		return status, err
	})
}

// stepClock sets the clock to the next instant, up to the given one, at which something is due, and returns by how much that moves
// it; more is false without one.
func (tx *Tx) stepClock(to *time.Time) (moved time.Duration, more bool, err error) {
	at, ok, err := tx.Outbox.Next()
	if err != nil || !ok || to == nil && at.After(tx.Now) || to != nil && at.After(*to) {
		return 0, false, err
	}
	if at.After(tx.Now) {
		moved = at.Sub(tx.Now)
		_, err = tx.setTime(&at, nil)
	}
	return moved, true, err
}

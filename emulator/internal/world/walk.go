package world

import (
	"context"
	"time"
)

// Carried counts what a change of the clock has carried out, and what it has left.
type Carried struct{ Sent, Failed, Due int }

// walkTime bounds how long a change of the clock carries out what comes due. A server writes no answer after a minute.
const walkTime = 45 * time.Second

// moveClock moves the world's clock to an instant, freezes it or lets it run, as plan says; nil leaves it as it is. In a world
// with subscriptions it goes from one instant at which something is due to the next, and what is due is carried out there. The
// status has what came of it.
func (w *World) moveClock(ctx context.Context, plan func(*Tx) (to *time.Time, frozen *bool, err error)) (Status, error) {
	var to *time.Time
	var frozen *bool
	walks := false
	status, err := update(ctx, w, func(tx *Tx) (_ Status, err error) {
		if to, frozen, err = plan(tx); err != nil {
			return Status{}, err
		}
		walks = tx.outbox.Subscribed() && !w.dry
		switch {
		case walks && frozen != nil && *frozen: // nothing passes on the way
			_, err = tx.setTime(nil, frozen)
		case to == nil && frozen == nil:
		case !walks:
			return tx.setTime(to, frozen)
		}
		if err == nil && walks {
			_, err = tx.timed(to, frozen)
		}
		return tx.Status(), err
	})
	if err != nil || !walks {
		return status, err
	}
	return w.walk(ctx, to, frozen)
}

// walk carries out what is due up to an instant, nil for the present one, and then sets the clock.
func (w *World) walk(ctx context.Context, to *time.Time, frozen *bool) (status Status, err error) {
	walking, cancel := context.WithTimeout(ctx, walkTime)
	defer cancel()
	var carried Carried
	for more := true; more && err == nil; {
		sent, failed, failure := w.worlds.process.Sender.Complete(walking, w.id)
		carried.Sent, carried.Failed = carried.Sent+sent, carried.Failed+failed
		if err = failure; err == nil {
			more, err = update(walking, w, func(tx *Tx) (more bool, err error) { return tx.stepClock(to) })
		}
	}
	if err != nil && walking.Err() == nil {
		return status, err
	}
	return update(context.WithoutCancel(ctx), w, func(tx *Tx) (status Status, err error) {
		if to != nil && to.Before(tx.now) { // a running clock has passed it
			to = &tx.now
		}
		if status = tx.Status(); to != nil || frozen != nil {
			status, err = tx.setTime(to, frozen)
		}
		if err == nil {
			carried.Due, err = tx.outbox.Count()
			status.Deliveries = &carried
		}
		return status, err
	})
}

// stepClock sets the clock to the next instant, up to the given one, at which something is due; more is false without one.
func (tx *Tx) stepClock(to *time.Time) (more bool, err error) {
	at, ok, err := tx.outbox.Next()
	if err != nil || !ok || to == nil && at.After(tx.now) || to != nil && at.After(*to) {
		return false, err
	}
	if at.After(tx.now) {
		_, err = tx.setTime(&at, nil)
	}
	return true, err
}

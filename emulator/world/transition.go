package world

import (
	"context"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Transition is a step that a verification request takes at an instant.
type Transition struct {
	ID    string // of the request
	State api.State
	At    time.Time
}

// NextTransition returns the first step that time alone leads to, of all verification requests that the world remembers;
// ok is false when there is none.
func (w *World) NextTransition(ctx context.Context) (next Transition, ok bool, err error) {
	err = w.remembered(ctx, verificationName(""), "", func(id string, stored []byte) (more bool, err error) {
		v, err := w.verification(id, stored)
		if err != nil {
			return false, err
		}
		timeline := v.timeline(w)
		if timeline.Still(v.Cursor) {
			return true, nil
		}
		step := timeline[v.Cursor.Step+1]
		at := v.Cursor.Entered.Add(time.Duration(step.After.Elapsed))
		if step.After.Elapsed > 0 && (!ok || at.Before(next.At)) {
			next, ok = Transition{ID: id, State: step.State, At: at}, true
		}
		return true, nil
	})
	return next, ok, err
}

package emulatortest

import (
	"context"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// lookEvery is the time between two looks of [World.WaitFor].
const lookEvery = 10 * time.Millisecond

// WaitFor waits until a verification request is in a state, and returns it. While the next step comes by the clock, it moves
// the world's clock to that step; for any other step it waits for the code under test, which polls in another goroutine. It
// ends the test after a span of real time.
func (w *World) WaitFor(id string, state api.State, within time.Duration) emulator.Verification {
	w.t.Helper()
	w.must("wait for a verification request", resource.CheckState(state))
	end := time.Now().Add(within)
	for {
		v := w.VerificationRequest(id)
		if v.Progress.State == state {
			return v
		}
		why, at := nextStep(v)
		if time.Now().After(end) {
			w.t.Fatalf("emulatortest: %s is %s, not %s, after %s: %s", id, v.Progress.State, state, within, why)
		}
		if at == nil {
			time.Sleep(lookEvery)
			continue
		}
		_, err := w.world.AdvanceTo(context.Background(), *at)
		w.must("advance the clock", err)
	}
}

// nextStep returns what the next step of a timeline waits for, and its instant if it comes by the clock.
func nextStep(v emulator.Verification) (why string, at *time.Time) {
	if !v.Stored { // its timeline begins when it is asked for
		return "no request has asked for it", nil
	}
	for _, stage := range v.Stages() {
		if stage.Phase == world.Next {
			return fmt.Sprintf("%s comes %s", stage.State, stage.After), stage.At
		}
	}
	return "no step of its timeline follows", nil
}

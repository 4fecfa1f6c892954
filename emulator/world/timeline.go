package world

import (
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Place is where a step of a timeline lies, as seen from where a verification request stands.
type Place string

const (
	Past    Place = "past"
	Present Place = "present"
	Next    Place = "next"  // what happens when the request is moved on
	Ahead   Place = "ahead" // what happens later, if ever
)

// Stage is a step of a verification request's timeline.
type Stage struct {
	scenarios.Step
	Place Place
	Off   bool       // the timeline: no step leads there
	At    *time.Time // when it came, or will come; nil when that is not known, or it was jumped over
}

// Timeline returns the steps of the request's scenario, none when that is gone. None of them is present when something else
// has become of the request, and none is next when nothing moves it any more; see [Verification.Course].
func (v Verification) Timeline() []Stage {
	if v.Scenario == nil {
		return nil
	}
	steps := v.Scenario.Timeline()
	stages := make([]Stage, len(steps))
	for i, step := range steps {
		stages[i] = v.stage(i, step)
	}
	return stages
}

// Course returns the timeline with the state in which the request stands at its place, present, also where no step of the
// scenario leads to it.
func (v Verification) Course() []Stage {
	stages := v.Timeline()
	if v.Scenario == nil || v.present() >= 0 {
		return stages
	}
	return slices.Insert(stages, v.reached()+1, Stage{Step: scenarios.Step{State: v.Progress.State}, Place: Present, Off: true})
}

// present returns the step at which the request stands, -1 when something else has become of it.
func (v Verification) present() int {
	steps := v.Scenario.Timeline()
	if at := v.Cursor.Step; at < len(steps) && steps[at].State == v.Progress.State {
		return at
	}
	return -1
}

// reached returns the last step that was entered, -1 when none was.
func (v Verification) reached() int {
	last := len(v.Entered) - 1
	if present := v.present(); present >= 0 {
		last = present
	}
	return min(last, len(v.Scenario.Timeline())-1)
}

func (v Verification) stage(index int, step scenarios.Step) Stage {
	s := Stage{Step: step, Place: Ahead}
	present := v.present()
	switch {
	case index == present:
		s.Place, s.At = Present, new(v.Cursor.Entered.UTC())
	case index <= v.reached():
		s.Place, s.At = Past, v.Entered.At(index)
	case present >= 0 && index == present+1 && !v.Progress.State.Terminal():
		s.Place = Next
		if step.After.Elapsed > 0 {
			s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
		}
	}
	return s
}

// Transition is a step that a verification request takes at an instant.
type Transition struct {
	ID    string // of the request
	State api.State
	At    time.Time
}

// NextTransition returns the first step that time alone leads to, of all verification requests that the world has stored;
// ok is false when there is none.
func (w *World) NextTransition() (next Transition, ok bool, err error) {
	err = w.scanVerifications("", func(id string, v verification) (more bool) {
		timeline := v.timeline(w)
		if timeline.Still(v.Cursor) {
			return true
		}
		step := timeline[v.Cursor.Step+1]
		at := v.Cursor.Entered.Add(time.Duration(step.After.Elapsed))
		if step.After.Elapsed > 0 && (!ok || at.Before(next.At)) {
			next, ok = Transition{ID: id, State: step.State, At: at}, true
		}
		return true
	})
	return next, ok, err
}

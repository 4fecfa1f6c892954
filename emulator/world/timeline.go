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
	At    *time.Time // when it came, or will come; nil when that is not known, or it was jumped over
}

// Timeline returns the steps of the request's scenario, none when that is gone. None of them is present when something else
// has become of the request, and none is next when nothing moves it any more.
func (v Verification) Timeline() []Stage {
	if v.Scenario == nil {
		return nil
	}
	stages := make([]Stage, len(v.Scenario.Timeline()))
	for i, step := range v.Scenario.Timeline() {
		stages[i] = v.stage(i, step)
	}
	return stages
}

func (v Verification) stage(index int, step scenarios.Step) Stage {
	s := Stage{Step: step, Place: Ahead}
	switch {
	case index < v.Cursor.Step:
		s.Place, s.At = Past, v.Entered.At(index)
	case index == v.Cursor.Step && step.State == v.Progress.State:
		s.Place, s.At = Present, new(v.Cursor.Entered.UTC())
	case index == v.Cursor.Step:
		s.Place, s.At = Past, v.Entered.At(index) // something else has become of the request
	case index == v.Cursor.Step+1 && !v.Progress.State.Terminal():
		s.Place = Next
		if step.After.Elapsed > 0 {
			s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
		}
	}
	return s
}

// Analyzed returns the document with its income analytics, as read-one shows it with income_analytics=true (spec 4.2).
func (v Verification) Analyzed() api.VerificationRequest {
	document := v.Document
	document.Reports = slices.Clone(document.Reports)
	v.shape.Analyze(&document, v.now)
	return document
}

package world

import (
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Verification is a verification request as those see it who steer a world.
type Verification struct {
	ID        string
	Scenario  *scenarios.Scenario // nil when it is gone
	Name      string              // of the scenario
	Cursor    scenarios.Cursor
	Entered   Instants // when the steps of its timeline were
	Progress  fixtures.Progress
	SessionID string // of the credentials session that made it; "" when none did
	Document  api.VerificationRequest

	// Stored says that something was made of it, or became of it: else it is as its scenario begins it, at whatever
	// instant it is looked at.
	Stored bool

	Rules []string  // that requests for it meet, in words
	Now   time.Time // the instant at which it is shown

	shape fixtures.VerificationShape
}

// inspect returns a verification request for those who steer the world. An id that no request has is 404 for them, where the
// emulated API answers 400.
func (tx *Tx) inspect(id string) (v verification, err error) {
	r, err := tx.Find(scenarios.VerificationRequestID, id)
	if err != nil {
		return v, err
	}
	if v, err = tx.verification(r); err != nil {
		message := r.unknown(tx)
		err = notFound(strings.ToUpper(message[:1]) + message[1:])
	}
	return v, err
}

func (v *verification) show(tx *Tx) (shown Verification, err error) {
	shown = v.summary(tx)
	shown.Document = v.document(tx)
	shown.Rules, err = tx.rules(shown)
	return shown, err
}

// summary is show without the document, which takes the longest, and the rules.
func (v *verification) summary(tx *Tx) Verification {
	shown := Verification{
		ID: v.id, Scenario: tx.catalogue.ByName(v.Scenario), Name: v.Scenario,
		Cursor: v.Cursor, Entered: v.Entered, Progress: v.Progress, Stored: v.stored, shape: v.Shape, Now: tx.now,
	}
	if v.Session != nil {
		shown.SessionID = v.Session.ID
	}
	return shown
}

// Analyzed returns the document with its income analytics, as read-one shows it with income_analytics=true (spec 4.2).
func (v Verification) Analyzed() api.VerificationRequest {
	document := v.Document
	document.Reports = slices.Clone(document.Reports)
	v.shape.Analyze(&document, v.Now)
	return document
}

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

// Course returns the timeline of the request's scenario, none when that is gone, with the state in which the request stands at
// its place, present, also where no step leads to it. None is next when nothing moves the request any more.
func (v Verification) Course() (stages []Stage) {
	if v.Scenario == nil {
		return nil
	}
	steps, at := v.Scenario.Timeline(), v.Cursor.Step
	present := at < len(steps) && steps[at].State == v.Progress.State // else something else has become of the request
	reached := min(len(v.Entered), len(steps)) - 1                    // the last step that was entered
	if present {
		reached = at
	}
	for i, step := range steps {
		s := Stage{Step: step, Place: Ahead}
		switch {
		case present && i == at:
			s.Place, s.At = Present, new(v.Cursor.Entered.UTC())
		case i <= reached:
			if s.Place = Past; i < len(v.Entered) {
				s.At = v.Entered[i]
			}
		case present && i == at+1 && !v.Progress.State.Terminal():
			s.Place = Next
			if step.After.Elapsed > 0 {
				s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
			}
		}
		stages = append(stages, s)
	}
	if !present {
		stages = slices.Insert(stages, reached+1, Stage{Step: scenarios.Step{State: v.Progress.State}, Place: Present, Off: true})
	}
	return stages
}

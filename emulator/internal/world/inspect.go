package world

import (
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Verification is a verification request and its progress.
type Verification struct {
	ID        string
	Scenario  *scenarios.Scenario // nil: it no longer exists
	Name      string              // of the scenario
	Cursor    scenarios.Cursor
	Entered   Instants // the instants of its timeline's steps
	Progress  fixtures.Progress
	SessionID string // of the credentials session that created it; "": none did
	Document  api.VerificationRequest

	// Stored is false for a magic request that has not changed: its timeline begins at the instant of each look at it.
	Stored bool

	Rules []string  // that apply to requests for it, in words
	Now   time.Time // the instant at which it is shown

	shape fixtures.VerificationShape
}

// inspect returns a verification request. Its error for an unknown id is a 404, where the emulated API answers 400.
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

// summary is show without the document, which takes longest, and the rules.
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

// Phase is where a step of a timeline is, as seen from the present state of a verification request.
type Phase string

const (
	Past    Phase = "past"
	Present Phase = "present"
	Next    Phase = "next"  // the step that follows
	Ahead   Phase = "ahead" // a later step
)

// Stage is a step of a verification request's timeline.
type Stage struct {
	scenarios.Step
	Phase Phase
	Off   bool       // the timeline: no step has this state
	At    *time.Time // when the request entered it, or will; nil: unknown, or it was skipped
}

// Stages returns the timeline of the request's scenario, with the present state in its place, also where no step has
// it. It returns none when the scenario no longer exists. No stage is next when nothing moves the request any more.
func (v Verification) Stages() (stages []Stage) {
	if v.Scenario == nil {
		return nil
	}
	steps, at := v.Scenario.Timeline(), v.Cursor.Step
	present := at < len(steps) && steps[at].State == v.Progress.State // else the request left its timeline
	reached := min(len(v.Entered), len(steps)) - 1                    // the last step that was entered
	if present {
		reached = at
	}
	for i, step := range steps {
		s := Stage{Step: step, Phase: Ahead}
		switch {
		case present && i == at:
			s.Phase, s.At = Present, new(v.Cursor.Entered.UTC())
		case i <= reached:
			if s.Phase = Past; i < len(v.Entered) {
				s.At = v.Entered[i]
			}
		case present && i == at+1 && !v.Progress.State.Terminal():
			s.Phase = Next
			if step.After.Elapsed > 0 {
				s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
			}
		}
		stages = append(stages, s)
	}
	if !present {
		stages = slices.Insert(stages, reached+1, Stage{Step: scenarios.Step{State: v.Progress.State}, Phase: Present, Off: true})
	}
	return stages
}

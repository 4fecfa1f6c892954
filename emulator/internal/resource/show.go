package resource

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Verification is a verification request and its progress.
type Verification struct {
	ID          string
	Scenario    *scenarios.Scenario // nil: it no longer exists
	Name        string              // of the scenario
	OwnTimeline bool                // in place of the scenario's
	Cursor      scenarios.Cursor
	History     []Visit // its states so far, the present one last
	Progress    fixtures.Progress
	SessionID   string // of the credentials session that created it; "": none did
	Flow        Flow   // of that session
	Document    api.VerificationRequest

	// Stored is false for a magic request that has not changed: its timeline begins at the instant of each look at it.
	Stored bool

	Rules     []string  // that apply to requests for it, in words
	Diagnosis []string  // what the document says against itself, and what the service has added, in words
	Now       time.Time // the instant at which it is shown

	drawn fixtures.Drawn
	steps scenarios.Timeline
}

// Show returns the request as the control plane shows it, without its rules.
func (v *Request) Show(at Scene) Verification {
	shown := v.Summary(at)
	shown.drawn, shown.Diagnosis = v.explain(at)
	shown.Document = shown.drawn.VerificationRequest
	return shown
}

// explain returns the request as a read shows it. The notes explain that it waits for a person, a cancellation reason that
// nobody gave, the set fields of reports that contradict others, and what the reports leave out.
func (v *Request) explain(at Scene) (drawn fixtures.Drawn, notes []string) {
	if note := v.Waiting(); note != "" {
		notes = append(notes, note)
	}
	if v.Progress.State == api.StateCanceled && (v.Progress.Canceled == nil || v.Progress.Canceled.Reason == nil) && !v.Shape.Set.Sets("cancellation_reason") {
		notes = append(notes, "canceled without a reason: cancellation_reason is other, as when the service cancels"+provenance.Reason("a cancellation without a reason, by hand or by a timeline"))
	}
	drawn, contradictions, missing := at.Fixtures.Explain(v.id, v.Identity, v.Shape, v.Progress, at.Now)
	for _, found := range contradictions {
		notes = append(notes, found.Field+" "+found.What)
	}
	return drawn, append(notes, missing...)
}

// Summary is [Request.Show] without the document, which takes longest, the rules and the diagnosis.
func (v *Request) Summary(at Scene) Verification {
	shown := Verification{
		ID: v.id, Scenario: at.Catalogue.ByName(v.Scenario), Name: v.Scenario,
		OwnTimeline: len(v.Timeline) > 1, Cursor: v.Cursor, History: v.History, Progress: v.Progress, Stored: v.stored, steps: v.Steps(at), Now: at.Now,
	}
	if v.Session != nil {
		shown.SessionID, shown.Flow = v.Session.ID, v.flow(at)
	}
	return shown
}

// Analyzed returns the document with its income analytics, as read-one shows it with income_analytics=true (spec 4.2).
func (v Verification) Analyzed() api.VerificationRequest { return v.drawn.Analyzed(v.Now) }

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
	At    *time.Time // when the request entered it, or will; nil: it was skipped, or waits for reads
}

// Stages returns the states of the request so far, with the steps of its timeline that were skipped, and then the steps that
// lie ahead. Without a timeline all states are off it. No stage is next when nothing moves the request
// any more.
func (v Verification) Stages() (stages []Stage) {
	steps, reached, onTimeline := v.steps, -1, false
	for _, visit := range v.History {
		s := Stage{Step: scenarios.Step{State: visit.State}, Phase: Past, Off: true, At: new(visit.At)}
		if onTimeline = visit.Step >= 0 && visit.Step < len(steps) && steps[visit.Step].State == visit.State; onTimeline {
			for _, skipped := range steps[min(reached+1, visit.Step):visit.Step] {
				stages = append(stages, Stage{Step: skipped, Phase: Past})
			}
			s.Step, s.Off, reached = steps[visit.Step], false, visit.Step
		}
		stages = append(stages, s)
	}
	stages[len(stages)-1].Phase = Present
	for i, step := range steps[reached+1:] {
		s := Stage{Step: step, Phase: Ahead}
		if i == 0 && onTimeline && !v.Progress.State.Terminal() {
			s.Phase = Next
			if step.After.Elapsed > 0 {
				s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
			}
		}
		stages = append(stages, s)
	}
	return stages
}

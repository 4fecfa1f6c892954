package world

import (
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// verification is the stored state of a verification request: enough to draw its document again.
type verification struct {
	id     string
	stored bool
	fresh  int // states entered since it was stored, or began: the last of History
	passed int // the first of these, by time alone

	Scenario string                     `json:"scenario"`
	Revision string                     `json:"revision,omitempty"` // of the scenario that it began with
	Identity string                     `json:"identity"`           // seeds its data
	Shape    fixtures.VerificationShape `json:"shape"`
	Timeline scenarios.Timeline         `json:"timeline,omitempty"` // in place of the scenario's
	Cursor   scenarios.Cursor           `json:"cursor"`
	History  []Visit                    `json:"history"`        // the states so far, the present one last
	Off      bool                       `json:"aside,omitzero"` // off the timeline: its cursor stays where it left
	Progress fixtures.Progress          `json:"progress"`
	Session  *api.CredentialsSession    `json:"session,omitempty"` // that created it
	Manual   bool                       `json:"manual,omitzero"`   // a person uses the session's token: see World.FinishSession
	Outcome  outcome                    `json:"outcome,omitempty"` // of that; "": not yet
}

// Visit is a state that a verification request was put into, or that its timeline led to.
type Visit struct {
	State api.State `json:"state"`
	Step  int       `json:"step"` // of the timeline; offTimeline: none has the state
	At    time.Time `json:"at"`
}

const offTimeline = -1

// maxHistory bounds the states that a request keeps: the latest ones.
const maxHistory = 200

// record puts the request into a state.
func (v *verification) record(visit Visit) {
	visit.At = visit.At.UTC()
	v.History, v.fresh = append(v.History, visit), v.fresh+1
	v.History = v.History[max(0, len(v.History)-maxHistory):]
	v.Progress.State = visit.State
	if visit.State == api.StateCompleted {
		v.Progress.Completed = visit.At
	}
}

// ReadVerification reads a verification request (spec 4.2), which may move it on along its timeline. It returns the
// rendered document and the name of the scenario.
func (tx *Tx) ReadVerification(r Resource, analytics bool) (document []byte, scenario string, err error) {
	if r.stored == nil && r.magic != nil && len(r.magic.Timeline()) == 1 { // drawn only where it is not cached
		document, err = tx.render(r, view{scenario: r.magic, analytics: analytics}, func() any {
			v, _ := tx.verification(r)
			return v.read(tx, analytics)
		})
		return document, r.magic.Name, err
	}
	v, err := tx.verification(r)
	if err != nil {
		return nil, "", err
	}
	if timeline := v.timeline(tx); timeline.CountsReads(v.Cursor) || r.stored == nil && !timeline.Ended(v.Cursor) {
		v.setCursor(timeline, timeline.Read(v.Cursor, tx.now))
		if r.stored, err = tx.saveVerification(&v); err != nil {
			return nil, "", err
		}
	}
	seen := view{scenario: tx.catalogue.ByName(v.Scenario), step: v.Cursor.Step, analytics: analytics}
	document, err = tx.render(r, seen, func() any { return v.read(tx, analytics) })
	return document, v.Scenario, err
}

// CancelVerification cancels a verification request that is not in a terminal state (spec 4.1). It also returns the
// name of the scenario.
func (tx *Tx) CancelVerification(r Resource, in api.Cancellation) (canceled api.CanceledVerification, scenario string, err error) {
	v, err := tx.verification(r)
	if err != nil {
		return canceled, "", err
	}
	if v.Progress.State.Terminal() {
		return canceled, v.Scenario, api.AlreadyTerminal(v.Progress.State)
	}
	v.record(Visit{api.StateCanceled, offTimeline, tx.now})
	v.Progress.Canceled = &fixtures.Cancellation{Reason: &in.Reason, Details: in.Details}
	canceled = v.document(tx).Canceled()
	if set := v.Shape.SetCanceled; !set.Empty() {
		canceled = set.Lay(canceled)
		v.Progress.Canceled = recorded(canceled)
	}
	_, err = tx.saveVerification(&v)
	return canceled, v.Scenario, err
}

// recorded returns the cancellation as later reads show it: a reason that only the answer to a cancel has is other then.
func recorded(canceled api.CanceledVerification) *fixtures.Cancellation {
	reason := canceled.CancellationReason
	if reason != nil && !slices.Contains(reason.Values(), *reason) {
		reason = new(api.CancellationReason("other"))
	}
	return &fixtures.Cancellation{Reason: reason, Details: canceled.CancellationDetails}
}

// verification returns the request in its present state. A magic one that is not stored is at the beginning of its
// timeline. The only error is the 400 of an unknown id.
func (tx *Tx) verification(r Resource) (verification, error) {
	switch s := r.magic; {
	case r.request != nil:
		return *r.request, nil
	case s == nil:
		return verification{}, api.VerificationNotFound(r.unknown(tx))
	case len(s.Timeline()) > 1:
		return start(s, r.id, r.id, s.VerificationShape(), tx.now, tx.now), nil
	default:
		// A completed magic request began before the world, so every read draws the same document and nothing is stored.
		entered := s.Completed(tx.record.Created)
		return start(s, r.id, r.id, s.VerificationShape(), entered.Add(-tx.fixtures.Turnaround(r.id)), entered), nil
	}
}

// start returns a verification request that reached the first step of its scenario at an instant.
func start(s *scenarios.Scenario, id, identity string, shape fixtures.VerificationShape, created, entered time.Time) verification {
	v := verification{id: id, Scenario: s.Name, Revision: s.Revision, Identity: identity, Shape: shape, Cursor: scenarios.Cursor{Entered: entered}}
	v.Progress.Created = created
	v.reach(0, s.Timeline()[0], entered)
	v.fresh = 0
	return v
}

// timeline returns the timeline that moves the request: none in a terminal state, off the timeline, or without its
// scenario.
func (v *verification) timeline(tx *Tx) scenarios.Timeline {
	if v.Off || v.Progress.State.Terminal() {
		return nil
	}
	return v.steps(tx)
}

// steps returns the timeline of the request, or else of its scenario: none when that no longer exists.
func (v *verification) steps(tx *Tx) scenarios.Timeline {
	if v.Timeline != nil {
		return v.Timeline
	}
	if s := tx.catalogue.ByName(v.Scenario); s != nil {
		return s.Timeline()
	}
	return nil
}

// setCursor moves the request on along its timeline. The steps between took the time that the timeline gives them.
func (v *verification) setCursor(timeline scenarios.Timeline, to scenarios.Cursor) {
	entered := v.Cursor.Entered
	for step := v.Cursor.Step + 1; step < to.Step; step++ {
		entered = entered.Add(time.Duration(timeline[step].After.Elapsed))
		v.reach(step, timeline[step], entered)
	}
	if to.Step != v.Cursor.Step {
		v.reach(to.Step, timeline[to.Step], to.Entered)
	}
	v.Cursor = to
}

// transition puts the request into a state now, and its cursor on the step with that state. A state without a step is
// off the timeline, and nothing moves the request then.
func (v *verification) transition(tx *Tx, to scenarios.Step) {
	cursor, ok := v.steps(tx).Transition(v.Cursor, to.State, tx.now)
	step := offTimeline
	if ok {
		step = cursor.Step
	}
	v.Cursor, v.Off = cursor, !ok
	v.reach(step, to, tx.now)
}

// reach puts the request on a step, which may have any number, at an instant.
func (v *verification) reach(number int, step scenarios.Step, at time.Time) {
	v.record(Visit{step.State, number, at})
	if step.State == api.StateCanceled {
		v.Progress.Canceled = &fixtures.Cancellation{Reason: step.CancellationReason, Details: step.CancellationDetails}
	}
}

// document draws the request as a read shows it.
func (v *verification) document(tx *Tx) api.VerificationRequest { return v.read(tx, false) }

// read draws the request, with income analytics if wanted.
func (v *verification) read(tx *Tx, analytics bool) api.VerificationRequest {
	drawn := tx.fixtures.VerificationRequest(v.id, v.Identity, v.Shape, v.Progress)
	if analytics {
		return drawn.Analyzed(tx.now)
	}
	return drawn.VerificationRequest
}

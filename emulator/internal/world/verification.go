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

	Scenario string                     `json:"scenario"`
	Revision string                     `json:"revision,omitempty"` // of the scenario that it began with
	Identity string                     `json:"identity"`           // seeds its data
	Shape    fixtures.VerificationShape `json:"shape"`
	Cursor   scenarios.Cursor           `json:"cursor"`
	Entered  Instants                   `json:"entered,omitempty"` // except for the present step: see Cursor
	Off      bool                       `json:"aside,omitzero"`    // off the timeline: its cursor stays where it left
	Progress fixtures.Progress          `json:"progress"`
	Session  *api.CredentialsSession    `json:"session,omitempty"` // that created it
}

// Instants are the instants at which the steps of a timeline were reached, by number: nil for a step that was skipped, or
// reached before instants were stored. The last one is that of the last reached step.
type Instants []*time.Time

// with returns the instants after a step is reached, without those of later steps.
func (in Instants) with(step int, at time.Time) Instants {
	entered := make(Instants, step, step+1)
	copy(entered, in)
	return append(entered, new(at.UTC()))
}

// ReadVerification reads a verification request (spec 4.2), which may move it on along its timeline. It returns the
// rendered document and the name of the scenario.
func (tx *Tx) ReadVerification(r Resource, analytics bool) (document []byte, scenario string, err error) {
	if r.stored == nil && r.magic != nil && !r.magic.Moves() { // drawn only where it is not cached
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
		if r.stored, err = tx.save(r.name, v); err != nil {
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
	v.Progress.State = api.StateCanceled
	v.Progress.Canceled = &fixtures.Cancellation{Reason: &in.Reason, Details: in.Details}
	canceled = v.document(tx).Canceled()
	if set := v.Shape.SetCanceled; !set.Empty() {
		_ = set.Onto(&canceled) // does not fail: the shape is valid
		v.Progress.Canceled = recorded(canceled)
	}
	_, err = tx.save(r.name, v)
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
	case s.Moves():
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
	v.Entered = v.Entered.with(0, entered)
	v.setState(s.Timeline()[0], entered)
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

// steps returns the timeline of the request's scenario, none when that no longer exists.
func (v *verification) steps(tx *Tx) scenarios.Timeline {
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
		v.Entered = v.Entered.with(step, entered)
	}
	if to.Step != v.Cursor.Step {
		v.Entered = v.Entered.with(to.Step, to.Entered)
		v.setState(timeline[to.Step], to.Entered)
	}
	v.Cursor = to
}

// transition puts the request into a state now, and its cursor on the step with that state. A state without a step is
// off the timeline, and nothing moves the request then.
func (v *verification) transition(tx *Tx, to scenarios.Step) {
	cursor, ok := v.steps(tx).Transition(v.Cursor, to.State, tx.now)
	if ok {
		v.Entered = v.Entered.with(cursor.Step, tx.now)
	}
	v.Cursor, v.Off = cursor, !ok
	v.setState(to, tx.now)
}

func (v *verification) setState(step scenarios.Step, at time.Time) {
	v.Progress.State = step.State
	switch step.State {
	case api.StateCompleted:
		v.Progress.Completed = at
	case api.StateCanceled:
		v.Progress.Canceled = &fixtures.Cancellation{Reason: step.CancellationReason, Details: step.CancellationDetails}
	}
}

// document draws the request as a read shows it.
func (v *verification) document(tx *Tx) api.VerificationRequest {
	return tx.fixtures.VerificationRequest(v.id, v.Identity, v.Shape, v.Progress)
}

// read is document, with income analytics if wanted.
func (v *verification) read(tx *Tx, analytics bool) api.VerificationRequest {
	document := v.document(tx)
	if analytics {
		v.Shape.Analyze(&document, tx.now)
	}
	return document
}

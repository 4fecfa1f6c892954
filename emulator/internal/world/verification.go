package world

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// verification is what a world stores of a verification request: enough to draw its document again.
type verification struct {
	id     string
	stored bool

	Scenario string                     `json:"scenario"`
	Revision string                     `json:"revision,omitempty"` // of the scenario that it began with
	Identity string                     `json:"identity"`           // that its data is drawn from
	Shape    fixtures.VerificationShape `json:"shape"`
	Cursor   scenarios.Cursor           `json:"cursor"`
	Entered  Instants                   `json:"entered,omitempty"` // when its steps were; see Cursor for the present one
	Off      bool                       `json:"aside,omitzero"`    // off the timeline: its cursor is where it left it
	Progress fixtures.Progress          `json:"progress"`
	Session  *api.CredentialsSession    `json:"session,omitempty"` // that made it
}

// Instants are those at which the steps of a timeline were entered, by the steps' numbers: nil for one that was passed
// over, or that was entered before instants were stored. They end with the last that was entered.
type Instants []*time.Time

// enter returns the instants once a step is entered. Those of later steps are dropped, as they lie ahead again.
func (in Instants) enter(step int, at time.Time) Instants {
	entered := make(Instants, step, step+1)
	copy(entered, in)
	return append(entered, new(at.UTC()))
}

// ReadVerification reads a verification request, which may move it on along its scenario's timeline (spec 4.2). It returns
// the rendered document, and the name of its scenario.
func (w *World) ReadVerification(r Resource, analytics bool) (document []byte, scenario string, err error) {
	if r.stored == nil && r.magic != nil && !r.magic.Moves() { // it is drawn only where it is not cached
		document, err = w.render(r, view{scenario: r.magic, analytics: analytics}, func() any {
			v, _ := w.verification(r)
			return v.read(w, analytics)
		})
		return document, r.magic.Name, err
	}
	v, err := w.verification(r)
	if err != nil {
		return nil, "", err
	}
	if timeline := v.timeline(w); timeline.CountsReads(v.Cursor) || r.stored == nil && !timeline.Ended(v.Cursor) {
		v.moveTo(timeline, timeline.Read(v.Cursor, w.now))
		if r.stored, err = w.save(r.name, v); err != nil {
			return nil, "", err
		}
	}
	seen := view{scenario: w.catalogue.ByName(v.Scenario), step: v.Cursor.Step, analytics: analytics}
	document, err = w.render(r, seen, func() any { return v.read(w, analytics) })
	return document, v.Scenario, err
}

// CancelVerification ends a verification request that is not in a terminal state (spec 4.1), and returns the name of its
// scenario too.
func (w *World) CancelVerification(r Resource, in api.Cancellation) (canceled api.CanceledVerification, scenario string, err error) {
	v, err := w.verification(r)
	if err != nil {
		return canceled, "", err
	}
	if v.Progress.State.Terminal() {
		return canceled, v.Scenario, api.AlreadyTerminal(v.Progress.State)
	}
	v.Progress.State = api.StateCanceled
	v.Progress.Canceled = &fixtures.Cancellation{Reason: &in.Reason, Details: in.Details}
	_, err = w.save(r.name, v)
	return w.fixtures.VerificationRequest(v.id, v.Identity, v.Shape, v.Progress).Canceled(), v.Scenario, err
}

// verification returns the request that an id leads to, as it stands now: a magic one that is not stored as its scenario
// begins it. Its only error is the 400 of an id that no request has.
func (w *World) verification(r Resource) (verification, error) {
	switch s := r.magic; {
	case r.request != nil:
		return *r.request, nil
	case s == nil:
		return verification{}, api.VerificationNotFound(r.unknown(w))
	case s.Moves():
		return start(s, r.id, r.id, s.VerificationShape(), w.now, w.now), nil
	default: // it has been there since before the world began, and so is the same at every read without being stored
		entered := s.Completed(w.record.Created)
		return start(s, r.id, r.id, s.VerificationShape(), entered.Add(-w.fixtures.Turnaround(r.id)), entered), nil
	}
}

// start returns a verification request that entered the first step of its scenario at an instant.
func start(s *scenarios.Scenario, id, identity string, shape fixtures.VerificationShape, created, entered time.Time) verification {
	v := verification{id: id, Scenario: s.Name, Revision: s.Revision, Identity: identity, Shape: shape, Cursor: scenarios.Cursor{Entered: entered}}
	v.Progress.Created = created
	v.Entered = v.Entered.enter(0, entered)
	v.setState(s.Timeline()[0], entered)
	return v
}

// timeline returns what lies ahead of the request: nothing once it is in a terminal state, off the timeline, or its
// scenario is gone.
func (v *verification) timeline(w *World) scenarios.Timeline {
	if v.Off || v.Progress.State.Terminal() {
		return nil
	}
	return v.steps(w)
}

// steps returns the timeline of the request's scenario, none when that is gone.
func (v *verification) steps(w *World) scenarios.Timeline {
	if s := w.catalogue.ByName(v.Scenario); s != nil {
		return s.Timeline()
	}
	return nil
}

// moveTo puts the request where it stands on its timeline. The steps that it has gone through on the way took their time.
func (v *verification) moveTo(timeline scenarios.Timeline, to scenarios.Cursor) {
	entered := v.Cursor.Entered
	for step := v.Cursor.Step + 1; step < to.Step; step++ {
		entered = entered.Add(time.Duration(timeline[step].After.Elapsed))
		v.Entered = v.Entered.enter(step, entered)
	}
	if to.Step != v.Cursor.Step {
		v.Entered = v.Entered.enter(to.Step, to.Entered)
		v.setState(timeline[to.Step], to.Entered)
	}
	v.Cursor = to
}

// transition puts the request into a state now, wherever it stands, and its cursor where the timeline goes on from there. A
// state that no step has is off the timeline, and nothing moves the request then.
func (v *verification) transition(w *World, to scenarios.Step) {
	cursor, ok := v.steps(w).Transition(v.Cursor, to.State, w.now)
	if ok {
		v.Entered = v.Entered.enter(cursor.Step, w.now)
	}
	v.Cursor, v.Off = cursor, !ok
	v.setState(to, w.now)
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

// document draws the request as read-one shows it.
func (v *verification) document(w *World) api.VerificationRequest {
	return w.fixtures.VerificationRequest(v.id, v.Identity, v.Shape, v.Progress)
}

// read draws the request with its income analytics, where these are asked for.
func (v *verification) read(w *World, analytics bool) api.VerificationRequest {
	document := v.document(w)
	if analytics {
		v.Shape.Analyze(&document, w.now)
	}
	return document
}

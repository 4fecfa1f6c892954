package world

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// verification is what a world stores of a verification request: enough to draw its document again.
type verification struct {
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

// At returns the instant at which a step was entered, nil when there is none.
func (in Instants) At(step int) *time.Time {
	if step >= len(in) {
		return nil
	}
	return in[step]
}

// enter returns the instants once a step is entered. Those of later steps are dropped, as they lie ahead again.
func (in Instants) enter(step int, at time.Time) Instants {
	entered := make(Instants, step, step+1)
	copy(entered, in)
	return append(entered, new(at.UTC()))
}

// ReadVerification reads a verification request, which may move it on along its scenario's timeline (spec 4.2). It returns
// the rendered document, and the name of its scenario. Its error for an id that no request has is an [*api.Error].
func (w *World) ReadVerification(id string, analytics bool) (document []byte, scenario string, err error) {
	key := view{kind: scenarios.VerificationRequestID, id: id, analytics: analytics}
	stored, magic, err := w.find(key.kind, id)
	if err != nil {
		return nil, "", err
	}
	if stored == nil && magic != nil && !magic.Moves() { // it is drawn only where it is not cached
		key.scenario = magic
		document, err = w.render(key, nil, func() any {
			v := w.still(magic, id)
			return v.read(w, id, analytics)
		})
		return document, magic.Name, err
	}
	v, stored, err := w.current(id, stored, magic)
	if err != nil {
		return nil, "", err
	}
	if timeline := v.timeline(w); timeline.Counts(v.Cursor) || stored == nil && !timeline.Still(v.Cursor) {
		v.moveTo(timeline, timeline.Read(v.Cursor, w.now))
		if stored, err = w.saveVerification(id, v); err != nil {
			return nil, "", err
		}
	}
	key.scenario, key.step = w.catalogue.ByName(v.Scenario), v.Cursor.Step
	document, err = w.render(key, stored, func() any { return v.read(w, id, analytics) })
	return document, v.Scenario, err
}

// CancelVerification ends a verification request that is not in a terminal state (spec 4.1), and returns the name of its
// scenario too. Its error for one that is, or for an id that no request has, is an [*api.Error].
func (w *World) CancelVerification(id string, in api.Cancellation) (canceled api.CanceledVerification, scenario string, err error) {
	v, _, err := w.verification(id)
	if err != nil {
		return canceled, "", err
	}
	if v.Progress.State.Terminal() {
		return canceled, v.Scenario, api.AlreadyTerminal(v.Progress.State)
	}
	v.Progress.State = api.StateCanceled
	v.Progress.Canceled = &fixtures.Cancellation{Reason: &in.Reason, Details: in.Details}
	_, err = w.saveVerification(id, v)
	return w.fixtures.VerificationRequest(id, v.Identity, v.Shape, v.Progress).Canceled(), v.Scenario, err
}

// verification returns the request of an id as it stands now, and its stored bytes: nil for a magic one that is as its
// scenario begins it. Its error for an id that no request has is an [*api.Error].
func (w *World) verification(id string) (verification, []byte, error) {
	stored, magic, err := w.find(scenarios.VerificationRequestID, id)
	if err != nil {
		return verification{}, nil, err
	}
	return w.current(id, stored, magic)
}

// current is [World.verification] of what was found.
func (w *World) current(id string, found []byte, magic *scenarios.Scenario) (v verification, stored []byte, err error) {
	if found != nil {
		if err := decodeStored(id, found, &v); err != nil {
			return v, nil, err
		}
		// A magic request whose scenario has changed since begins anew: it would be half of the one file, half of the other.
		if magic == nil || v.Scenario == magic.Name && v.Revision == magic.Revision {
			timeline := v.timeline(w)
			v.moveTo(timeline, timeline.Advance(v.Cursor, w.now))
			return v, found, nil
		}
	}
	switch {
	case magic == nil:
		return v, nil, api.VerificationNotFound(w.unknownID(scenarios.VerificationRequestID, id))
	case magic.Moves():
		return start(magic, id, magic.VerificationShape(), w.now, w.now), nil, nil
	}
	return w.still(magic, id), nil, nil
}

// findVerification is [World.verification] for an id that no request need have.
func (w *World) findVerification(id string) (v verification, found bool, err error) {
	v, _, err = w.verification(id)
	if isRefusal(err) {
		return verification{}, false, nil
	}
	return v, err == nil, err
}

func (w *World) saveVerification(id string, v verification) (stored []byte, err error) {
	return w.save(resourceName(scenarios.VerificationRequestID, id), v)
}

// still returns a request that its scenario never moves. It has been there since before the world began, and so is the
// same at every read without being stored.
func (w *World) still(s *scenarios.Scenario, id string) verification {
	entered := s.Completed(w.record.Created)
	return start(s, id, s.VerificationShape(), entered.Add(-w.fixtures.Turnaround(id)), entered)
}

// start returns a verification request that entered the first step of its scenario at an instant.
func start(s *scenarios.Scenario, identity string, shape fixtures.VerificationShape, created, entered time.Time) verification {
	v := verification{Scenario: s.Name, Revision: s.Revision, Identity: identity, Shape: shape, Cursor: scenarios.Cursor{Entered: entered}}
	v.Progress.Created = created
	v.Entered = v.Entered.enter(0, entered)
	v.setState(s.Timeline()[0], entered)
	return v
}

// timeline returns what lies ahead of the request: nothing once it is in a terminal state, off the timeline, or its
// scenario is gone.
func (v *verification) timeline(w *World) scenarios.Timeline {
	s := w.catalogue.ByName(v.Scenario)
	if s == nil || v.Off || v.Progress.State.Terminal() {
		return nil
	}
	return s.Timeline()
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

// transition puts the request into a state at an instant, wherever it stands, and its cursor where the timeline goes on from
// there. A state that no step has is off the timeline, and nothing moves the request then.
func (v *verification) transition(timeline scenarios.Timeline, to scenarios.Step, at time.Time) {
	cursor, ok := timeline.Jump(v.Cursor, to.State, at)
	if ok {
		v.Entered = v.Entered.enter(cursor.Step, at)
	}
	v.Cursor, v.Off = cursor, !ok
	v.setState(to, at)
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
func (v *verification) document(w *World, id string) api.VerificationRequest {
	return w.fixtures.VerificationRequest(id, v.Identity, v.Shape, v.Progress)
}

// read draws the request with its income analytics, where these are asked for.
func (v *verification) read(w *World, id string, analytics bool) api.VerificationRequest {
	document := v.document(w, id)
	if analytics {
		v.Shape.Analyze(&document, w.now)
	}
	return document
}

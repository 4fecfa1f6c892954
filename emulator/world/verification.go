package world

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// verification is what a world remembers of a verification request: enough to draw its document again.
type verification struct {
	Scenario string                     `json:"scenario"`
	Revision string                     `json:"revision,omitempty"` // of the scenario that it began with
	Identity string                     `json:"identity"`           // that its data is drawn from
	Shape    fixtures.VerificationShape `json:"shape"`
	Cursor   scenarios.Cursor           `json:"cursor"`
	Entered  Instants                   `json:"entered,omitempty"` // when its steps were; see Cursor for the present one
	Aside    bool                       `json:"aside,omitzero"`    // it was put where no step leads: its cursor is where it left the timeline
	Progress fixtures.Progress          `json:"progress"`
	Session  *api.CredentialsSession    `json:"session,omitempty"` // that made it
	Tally    scenarios.Counters         `json:"tally,omitzero"`    // of rules that mind its state; that of others stands by itself
}

// verificationName is the name under which a world remembers a verification request.
func verificationName(id string) string { return "vr/" + id }

// VerificationRequest reads a verification request, which may move it on along its scenario's timeline (spec 4.2). It
// returns the rendered document. Its error for an id that no request has is an [*api.Error].
func (w *World) VerificationRequest(ctx context.Context, id string, analytics bool) ([]byte, error) {
	stored, err := w.load(ctx, id)
	if err != nil {
		return nil, err
	}
	if s := w.catalogue.ByID(scenarios.VerificationRequestID, id); stored == nil && s != nil && s.Timeline().Still(scenarios.Cursor{}) {
		w.scenario = s.Name
		return w.renderStill(id, s, analytics)
	}
	v, err := w.verification(id, stored)
	if err != nil {
		return nil, err
	}
	if !w.read && v.counts(w, stored) {
		v, stored, err = w.readOn(ctx, id)
		if err != nil {
			return nil, err
		}
	}
	w.scenario = v.Scenario
	return w.renderVerification(id, v, stored, analytics)
}

// readOn counts a read in one atomic step.
func (w *World) readOn(ctx context.Context, id string) (v verification, stored []byte, err error) {
	err = w.changeVerification(ctx, w.update, id, &v, func() error {
		v.read(w)
		return nil
	})
	return v, w.loaded.record, err
}

// write is [World.update] or [World.amend].
type write func(ctx context.Context, name string, change store.Change) error

// changeVerification changes a verification request in one atomic step: change is called with v as the request stands.
// A request that may be settled is amended.
func (w *World) changeVerification(ctx context.Context, write write, id string, v *verification, change func() error) error {
	var next []byte
	err := write(ctx, verificationName(id), func(old []byte) (_ []byte, err error) {
		if old, err = w.valid(id, old); err != nil {
			return nil, err
		}
		if *v, err = w.verification(id, old); err != nil {
			return nil, err
		}
		if err := change(); err != nil {
			return nil, err
		}
		next, err = json.Marshal(*v)
		return next, err
	})
	if err == nil {
		w.loaded = loaded{id: id, record: next}
	}
	return err
}

// Cancel ends a verification request that is not in a terminal state (spec 4.1). Its error for one that is, or for an
// id that no request has, is an [*api.Error]; nothing is changed then.
func (w *World) Cancel(ctx context.Context, id string, in api.Cancellation) (canceled api.CanceledVerification, err error) {
	stored, err := w.load(ctx, id)
	if err != nil {
		return canceled, err
	}
	if _, err := w.verification(id, stored); err != nil {
		return canceled, err // before it waits for other writers
	}
	var v verification
	err = w.changeVerification(ctx, w.update, id, &v, func() error {
		w.scenario = v.Scenario
		if v.Progress.State.Terminal() {
			return api.AlreadyTerminal(v.Progress.State)
		}
		v.Progress.State = api.StateCanceled
		v.Progress.Canceled = &fixtures.Cancellation{Reason: &in.Reason, Details: in.Details}
		return nil
	})
	if err != nil {
		return canceled, err
	}
	return w.fixtures.CanceledVerification(id, v.Identity, v.Shape, v.Progress), nil
}

// verification returns the request of an id as it stands now: as it is remembered, else as its scenario starts it.
func (w *World) verification(id string, stored []byte) (verification, error) {
	if stored != nil {
		v, err := w.decoded(id, stored)
		if err != nil {
			return v, err
		}
		timeline := v.timeline(w)
		v.moveTo(timeline, timeline.Advance(v.Cursor, w.now))
		return v, nil
	}
	s := w.catalogue.ByID(scenarios.VerificationRequestID, id)
	if s == nil {
		return verification{}, api.VerificationNotFound(w.unknownID(scenarios.VerificationRequestID, id))
	}
	if s.Timeline().Still(scenarios.Cursor{}) {
		return w.still(s, id), nil
	}
	return start(s, id, s.VerificationShape(), w.now, w.now), nil
}

// still returns a request that its scenario never moves. It has been there since before the world began, and so is the
// same at every read without being remembered.
func (w *World) still(s *scenarios.Scenario, id string) verification {
	entered := s.Completed(w.record.Created)
	return start(s, id, s.VerificationShape(), entered.Add(-w.fixtures.Turnaround(id)), entered)
}

// start returns a verification request that entered the first step of its scenario at an instant.
func start(s *scenarios.Scenario, identity string, shape fixtures.VerificationShape, created, entered time.Time) verification {
	v := verification{Scenario: s.Name, Revision: s.Revision, Identity: identity, Shape: shape, Cursor: scenarios.Cursor{Entered: entered}}
	v.Progress.Created = created
	v.Entered = v.Entered.enter(0, entered)
	v.enter(s.Timeline()[0], entered)
	return v
}

// jump puts the request into a state at an instant, wherever it stands, and its cursor where the timeline goes on from
// there. In a state that no step has it stands aside, and nothing moves it.
func (v *verification) jump(timeline scenarios.Timeline, to scenarios.Step, at time.Time) {
	cursor, ok := timeline.Jump(v.Cursor, to.State, at)
	if ok {
		v.Entered = v.Entered.enter(cursor.Step, at)
	}
	v.Cursor, v.Aside = cursor, !ok
	v.enter(to, at)
}

// enter puts the request into a step's state at an instant.
func (v *verification) enter(step scenarios.Step, at time.Time) {
	v.Progress.State = step.State
	switch step.State {
	case api.StateCompleted:
		v.Progress.Completed = at
	case api.StateCanceled:
		v.Progress.Canceled = &fixtures.Cancellation{Reason: step.CancellationReason, Details: step.CancellationDetails}
	}
}

// timeline returns what lies ahead of the request: nothing once it is over, stands aside, or its scenario is gone.
func (v *verification) timeline(w *World) scenarios.Timeline {
	s := w.catalogue.ByName(v.Scenario)
	if s == nil || v.Aside || v.Progress.State.Terminal() {
		return nil
	}
	return s.Timeline()
}

// counts reports whether a read must be remembered: it counts, or it is the first of a request that moves and so begins
// its timeline.
func (v *verification) counts(w *World, stored []byte) bool {
	timeline := v.timeline(w)
	return timeline.Counts(v.Cursor) || stored == nil && !timeline.Still(v.Cursor)
}

// read counts a read and moves the request on when its time has come.
func (v *verification) read(w *World) {
	timeline := v.timeline(w)
	v.moveTo(timeline, timeline.Read(v.Cursor, w.now))
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
		v.enter(timeline[to.Step], to.Entered)
	}
	v.Cursor = to
}

// document draws the request as read-one shows it.
func (v *verification) document(w *World, id string) api.VerificationRequest {
	return w.fixtures.VerificationRequest(id, v.Identity, v.Shape, v.Progress)
}

// renderStill returns the document of a request that its scenario never moves and that is not remembered. What it depends
// on is known before it is drawn.
func (w *World) renderStill(id string, s *scenarios.Scenario, analytics bool) ([]byte, error) {
	key := w.viewOf(id, analytics)
	key.scenario, key.created = s, w.record.Created.UnixNano()
	return w.worlds.render(key, func() any { return w.shown(id, w.still(s, id), analytics) })
}

func (w *World) renderVerification(id string, v verification, stored []byte, analytics bool) ([]byte, error) {
	key := w.viewOf(id, analytics)
	key.scenario = w.catalogue.ByName(v.Scenario)
	if stored == nil {
		key.created = w.record.Created.UnixNano()
	} else {
		key.record, key.step = sha256.Sum256(stored), v.Cursor.Step
	}
	return w.worlds.render(key, func() any { return w.shown(id, v, analytics) })
}

// viewOf begins the view of a verification request.
func (w *World) viewOf(id string, analytics bool) view {
	key := view{kind: scenarios.VerificationRequestID, id: id, seed: w.fixtures.Seed, analytics: analytics}
	if analytics {
		key.day = api.DateOf(w.now)
	}
	return key
}

// shown draws the request as read-one shows it, with its income analytics where these are asked for.
func (w *World) shown(id string, v verification, analytics bool) api.VerificationRequest {
	document := v.document(w, id)
	if analytics {
		v.Shape.Analyze(&document, w.now)
	}
	return document
}

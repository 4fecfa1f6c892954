package resource

import (
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Request is the stored state of a verification request: enough to draw its document again.
type Request struct {
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
	Manual   bool                       `json:"manual,omitzero"`   // a person uses the session's token: see FinishSession
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
func (v *Request) record(visit Visit) {
	visit.At = visit.At.UTC()
	v.History, v.fresh = append(v.History, visit), v.fresh+1
	v.History = v.History[max(0, len(v.History)-maxHistory):]
	v.Progress.State = visit.State
	if visit.State == api.StateCompleted {
		v.Progress.Completed = visit.At
	}
}

// DecodeRequest decodes the state of the verification request with an id, stored or to be stored.
func DecodeRequest(id string, text []byte, saved bool) (*Request, error) {
	v := &Request{id: id, stored: saved}
	return v, stored.Decode(id, text, v)
}

// StartMagic returns the request of a magic value that is not stored. It is at the beginning of its timeline. One without a timeline
// began before the world, so that every read draws the same document and nothing is stored.
func StartMagic(at Scene, s *scenarios.Scenario, id string) Request {
	if len(s.Timeline()) > 1 {
		return Start(s, id, id, s.VerificationShape(), at.Now, at.Now)
	}
	entered := s.Completed(at.Fixtures.Began)
	return Start(s, id, id, s.VerificationShape(), entered.Add(-at.Fixtures.Turnaround(id)), entered)
}

// ID returns the request's id.
func (v *Request) ID() string { return v.id }

// Fresh returns the states that the request has entered since it was stored last, or began. Time alone has led to the first of them.
func (v *Request) Fresh() (entered []Visit, passed int) {
	return v.History[max(0, len(v.History)-v.fresh):], v.passed
}

// Saved notes that the request is stored as it is.
func (v *Request) Saved() { v.stored, v.fresh, v.passed = true, 0, 0 }

// Advance moves a stored request on to the present, and reports whether time can move it.
func (v *Request) Advance(at Scene) bool {
	timeline := v.moving(at)
	if timeline.Ended(v.Cursor) {
		return false
	}
	v.setCursor(timeline, timeline.Advance(v.Cursor, at.Now))
	v.passed = v.fresh
	return true
}

// CountRead counts a read, which may move the request. It reports whether the request is to be stored: a magic one is from its first
// read on.
func (v *Request) CountRead(at Scene) bool {
	timeline := v.moving(at)
	if timeline.Ended(v.Cursor) || v.stored && !timeline.CountsReads(v.Cursor) {
		return false
	}
	v.setCursor(timeline, timeline.Read(v.Cursor, at.Now))
	return true
}

// Cancel cancels a request that is not in a terminal state (spec 4.1), and returns the answer.
func (v *Request) Cancel(at Scene, in api.Cancellation) (canceled api.CanceledVerification, err error) {
	if v.Progress.State.Terminal() {
		return canceled, api.AlreadyTerminal(v.Progress.State)
	}
	v.record(Visit{api.StateCanceled, offTimeline, at.Now})
	v.Progress.Canceled = &fixtures.Cancellation{Reason: &in.Reason, Details: in.Details}
	canceled = v.Document(at).Canceled()
	if set := v.Shape.SetCanceled; !set.Empty() {
		canceled = set.Lay(canceled)
		v.Progress.Canceled = recorded(canceled)
	}
	return canceled, nil
}

// recorded returns the cancellation as later reads show it: a reason that only the answer to a cancel has is other then.
func recorded(canceled api.CanceledVerification) *fixtures.Cancellation {
	reason := canceled.CancellationReason
	if reason != nil && !slices.Contains(reason.Values(), *reason) {
		reason = new(api.CancellationReason("other"))
	}
	return &fixtures.Cancellation{Reason: reason, Details: canceled.CancellationDetails}
}

// Start returns a verification request that reached the first step of its scenario at an instant.
func Start(s *scenarios.Scenario, id, identity string, shape fixtures.VerificationShape, created, entered time.Time) Request {
	v := Request{id: id, Scenario: s.Name, Revision: s.Revision, Identity: identity, Shape: shape, Cursor: scenarios.Cursor{Entered: entered}}
	v.Progress.Created = created
	v.reach(0, s.Timeline()[0], entered)
	v.fresh = 0
	return v
}

// moving returns the timeline that moves the request: none in a terminal state, off the timeline, or without its
// scenario.
func (v *Request) moving(at Scene) scenarios.Timeline {
	if v.Off || v.Progress.State.Terminal() {
		return nil
	}
	return v.Steps(at)
}

// Steps returns the timeline of the request, or else of its scenario: none when that no longer exists.
func (v *Request) Steps(at Scene) scenarios.Timeline {
	if v.Timeline != nil {
		return v.Timeline
	}
	if s := at.Catalogue.ByName(v.Scenario); s != nil {
		return s.Timeline()
	}
	return nil
}

// setCursor moves the request on along its timeline. The steps between took the time that the timeline gives them.
func (v *Request) setCursor(timeline scenarios.Timeline, to scenarios.Cursor) {
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
func (v *Request) transition(at Scene, to scenarios.Step) {
	cursor, ok := v.Steps(at).Transition(v.Cursor, to.State, at.Now)
	step := offTimeline
	if ok {
		step = cursor.Step
	}
	v.Cursor, v.Off = cursor, !ok
	v.reach(step, to, at.Now)
}

// reach puts the request on a step, which may have any number, at an instant.
func (v *Request) reach(number int, step scenarios.Step, at time.Time) {
	v.record(Visit{step.State, number, at})
	if step.State == api.StateCanceled {
		v.Progress.Canceled = &fixtures.Cancellation{Reason: step.CancellationReason, Details: step.CancellationDetails}
	}
}

// Document draws the request as a read shows it.
func (v *Request) Document(at Scene) api.VerificationRequest { return v.Read(at, false) }

// Read draws the request, with income analytics if wanted.
func (v *Request) Read(at Scene, analytics bool) api.VerificationRequest {
	drawn := at.Fixtures.VerificationRequest(v.id, v.Identity, v.Shape, v.Progress)
	if analytics {
		return drawn.Analyzed(at.Now)
	}
	return drawn.VerificationRequest
}

// Transition is a step that a verification request takes at an instant.
type Transition struct {
	ID    string // of the request
	State api.State
	At    time.Time
}

// Next returns the step that time alone leads the request to; ok is false without one.
func (v *Request) Next(at Scene) (t Transition, ok bool) {
	timeline := v.moving(at)
	if timeline.Ended(v.Cursor) || timeline[v.Cursor.Step+1].After.Elapsed <= 0 {
		return t, false
	}
	step := timeline[v.Cursor.Step+1]
	return Transition{ID: v.id, State: step.State, At: v.Cursor.Entered.Add(time.Duration(step.After.Elapsed))}, true
}

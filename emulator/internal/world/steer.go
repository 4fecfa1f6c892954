package world

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// decode reads a text in the language of scenario files, YAML or JSON, into a structure of its types. Its error says what
// the first problem is, and where.
func decode(text []byte, into any) error {
	problems := scenarios.Decode("body", text, into)
	if problems.Errors() > 0 {
		return api.Because(http.StatusBadRequest, "The body is not right: "+problems[0].At.String()+": "+problems[0].What)
	}
	return nil
}

// change is a text that changes a resource: {"set":{"name":"Quay"}}.
type change[T any] struct {
	Set fixtures.Overlay[T] `yaml:"set"`
}

// Validate finds a change of nothing.
func (c change[T]) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(!c.Set.Empty(), "", `needs what is to change, such as {"set":{...}}`)
	return found
}

// verificationChange is a text that changes a verification request.
type verificationChange struct {
	State               api.State                                 `yaml:"state"`
	CancellationReason  *api.CancellationReason                   `yaml:"cancellation_reason"`
	CancellationDetails *string                                   `yaml:"cancellation_details"`
	Force               bool                                      `yaml:"force"` // whatever the spec allows
	Set                 fixtures.Overlay[api.VerificationRequest] `yaml:"set"`
}

// Validate finds what does not go together.
func (c verificationChange) Validate() []fixtures.Violation {
	found, because := fixtures.Violations{}, c.CancellationReason != nil || c.CancellationDetails != nil
	found.Require(c.State != "" || !c.Set.Empty(), "", `needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}`)
	found.Require(c.State == api.StateCanceled || !because, "", "only a canceled request has a cancellation reason and details")
	return found
}

// ChangeVerification changes a verification request as a text in the language of scenario files says: it puts it into a
// state as [World.Move] does, lays fields over what is drawn, or both.
func (w *World) ChangeVerification(id string, text []byte) (Verification, error) {
	var in verificationChange
	if err := decode(text, &in); err != nil {
		return Verification{}, err
	}
	because := fixtures.Cancellation{Reason: in.CancellationReason, Details: in.CancellationDetails}
	return w.steer(id, Move{State: in.State, Cancellation: because, Force: in.Force}, in.Set)
}

// Move is what is to become of a verification request.
type Move struct {
	State        api.State
	Cancellation fixtures.Cancellation // when it is canceled
	Force        bool                  // whatever the spec allows
}

// Move puts a verification request into a state now, from where its timeline goes on: one that the spec has, and lets it
// reach.
func (w *World) Move(id string, to Move) (Verification, error) {
	if err := to.check(); err != nil {
		return Verification{}, err
	}
	return w.steer(id, to, fixtures.Overlay[api.VerificationRequest]{})
}

// steer moves a verification request, unless it is to go to no state, and sets fields of it.
func (w *World) steer(id string, to Move, set fixtures.Overlay[api.VerificationRequest]) (Verification, error) {
	v, err := w.inspect(id)
	if err == nil && to.State != "" {
		err = v.move(w, to)
	}
	if err == nil && !set.Empty() {
		v.Shape.Set, err = v.Shape.Set.With(set)
	}
	if err == nil {
		err = v.checkSet(w, set)
	}
	if err != nil {
		return Verification{}, err
	}
	v.stored = true
	_, err = w.save(prefixes[scenarios.VerificationRequestID]+id, v)
	return v.show(w), err
}

// CheckState returns an error for what is no state of a verification request (spec section 3).
func CheckState(state api.State) error {
	if slices.Contains(state.Values(), state) {
		return nil
	}
	return api.Because(http.StatusBadRequest, "There is no state "+api.Quote(string(state))+
		": it is one of pending-approval, action-required, processing, completed, invalid, canceled")
}

// check returns an error for a move that makes no sense, whatever it is about.
func (to Move) check() error {
	if err := CheckState(to.State); err != nil {
		return err
	}
	reason := to.Cancellation.Reason
	if reason != nil && !slices.Contains(reason.Values(), *reason) {
		return api.Because(http.StatusBadRequest, "There is no cancellation_reason "+api.Quote(string(*reason)))
	}
	if to.State != api.StateCanceled && (reason != nil || to.Cancellation.Details != nil) {
		return api.Because(http.StatusBadRequest, "Only a canceled request has a cancellation reason and details")
	}
	return nil
}

// move puts the request into a state now, if the spec lets it reach that.
func (v *verification) move(w *World, to Move) error {
	if why := scenarios.Forbidden(v.Progress.State, to.State); why != "" && !to.Force {
		return api.Because(http.StatusConflict, fmt.Sprintf("The request cannot become %s: %s; force it if that is meant", to.State, why))
	}
	v.Progress.Completed, v.Progress.Canceled = time.Time{}, nil
	v.transition(w, scenarios.Step{
		State: to.State, CancellationReason: to.Cancellation.Reason, CancellationDetails: to.Cancellation.Details,
	})
	return nil
}

// checkSet refuses fields that were set and that the request's state does not have (spec 2.2). A scenario file may set
// them for the states to come, and null where the API has it.
func (v *verification) checkSet(w *World, fields fixtures.Overlay[api.VerificationRequest]) error {
	state := v.Progress.State
	if state != api.StateCanceled && (fields.Sets("cancellation_reason") || fields.Sets("cancellation_details")) {
		return api.Because(http.StatusBadRequest, "Only a canceled request has a cancellation reason and details")
	}
	if !fields.Sets("date_of_completion") && !fields.Sets("created") {
		return nil
	}
	document := v.document(w)
	completion := document.DateOfCompletion
	switch {
	case state != api.StateCompleted && fields.Sets("date_of_completion"):
		return api.Because(http.StatusBadRequest, "Only a completed request has a date_of_completion, and this one is "+string(state))
	case state == api.StateCompleted && completion == nil && fields.Sets("date_of_completion"):
		return api.Because(http.StatusBadRequest, "The date_of_completion of a completed request is not null: set an instant, or another state")
	case completion != nil && completion.Before(document.Created.Time):
		return api.Because(http.StatusBadRequest, fmt.Sprintf("The date_of_completion, %s, would be before the request was created, %s: set a later one",
			completion.Format(time.RFC3339), document.Created.Format(time.RFC3339)))
	}
	return nil
}

package resource

import (
	"cmp"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// NewRequest reads the text of a new verification request, in the language of scenario files.
func NewRequest(text string) (Creation[Request, Verification], error) {
	var in struct {
		origin              `yaml:",inline"`
		State               api.State                      `yaml:"state"` // "": the first of the timeline, completed without one
		VerificationRequest *scenarios.VerificationRequest `yaml:"verification_request"`
		fixtures.Given      `yaml:",inline"`
		Reports             []fixtures.ReportShape `yaml:"reports"`
	}
	if err := Decode(text, &in); err != nil {
		return Creation[Request, Verification]{}, err
	}
	change := requestChange{}
	if in.VerificationRequest != nil {
		change.Set = in.VerificationRequest.Set
	}
	for _, report := range in.Reports {
		change.Reports = append(change.Reports, fixtures.ReportChange{Set: report.Set})
	}
	return Creation[Request, Verification]{in.origin, func(at Scene, s *scenarios.Scenario, id string) (Request, error) {
		made := *s // the scenario with the text's fields in place of its own
		if made.Given = in.Given.Or(s.Given); in.VerificationRequest != nil {
			made.VerificationRequest = in.VerificationRequest
		}
		if in.Reports != nil {
			made.Reports = in.Reports
		}
		shape := made.VerificationShape()
		if err := firstViolation("", shape); err != nil { // its parts may come from scenario and text
			return Request{}, invalid("The request " + err.Error())
		}
		v := Start(s, id, id, shape, at.Now, at.Now)
		if own := in.VerificationRequest; own != nil && (own.Timeline != nil || own.Completed != 0) {
			entered := at.Now
			if own.Completed != 0 {
				entered = made.Completed(at.Fixtures.Began)
			}
			v = Start(&made, id, id, shape, entered, entered)
			v.Timeline = made.Timeline()
		}
		if in.State != "" && in.State != v.Progress.State {
			v.History, v.Progress = nil, fixtures.Progress{Created: at.Now}
			v.transition(at, scenarios.Step{State: in.State})
			v.fresh = 0
		}
		if v.Progress.State == api.StateCompleted { // it was created before it was completed
			v.Progress.Created = v.Progress.Completed.Add(-at.Fixtures.Turnaround(id))
		}
		return v, v.checkSet(change.Set)
	}, change.lacks}, nil
}

// ChangeRequest reads the text of a change of a verification request.
func ChangeRequest(text string) (Change[Request, Verification], error) {
	var in requestChange
	if err := Decode(text, &in); err != nil {
		return Change[Request, Verification]{}, err
	}
	to := Move{in.State, fixtures.Cancellation{Reason: in.CancellationReason, Details: in.CancellationDetails}, in.Force}
	return Change[Request, Verification]{func(at Scene, v *Request) error {
		if to.State != "" {
			if err := v.move(at, to); err != nil {
				return err
			}
		}
		return v.set(at, in)
	}, in.lacks}, nil
}

// requestChange is a change of a verification request.
type requestChange struct {
	State               api.State               `yaml:"state"`
	CancellationReason  *api.CancellationReason `yaml:"cancellation_reason"`
	CancellationDetails *string                 `yaml:"cancellation_details"`
	Force               bool                    `yaml:"force"` // whatever the spec allows

	Set         fixtures.Overlay[api.VerificationRequest]  `yaml:"set"`
	SetCanceled fixtures.Overlay[api.CanceledVerification] `yaml:"set_canceled"`
	Reports     []fixtures.ReportChange                    `yaml:"reports"` // in their order
}

// Validate finds an empty change, and members that exclude each other.
func (c requestChange) Validate() []fixtures.Violation {
	found, because := fixtures.Violations{}, c.CancellationReason != nil || c.CancellationDetails != nil
	found.Require(c.State != "" || !c.Set.Empty() || !c.SetCanceled.Empty() || len(c.Reports) > 0, "", `needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}`)
	found.Require(c.State == api.StateCanceled || !because, "", "only a canceled request has a cancellation reason and details")
	return found
}

// Move is a new state of a verification request.
type Move struct {
	State        api.State
	Cancellation fixtures.Cancellation // of a canceled request
	Force        bool                  // whatever the spec allows
}

// set adds the fields of a change to those that the request's shape sets, and refuses those that it cannot have.
func (v *Request) set(at Scene, change requestChange) error {
	has, given := max(1, len(v.Shape.Reports)), len(change.Reports) // without any the request has one of the zero shape
	if given > has {
		return invalid(fmt.Sprintf("reports has %d elements, and the request has %d: leave the others out", given, has))
	}
	was := *v
	v.Shape.Set, v.Shape.SetCanceled = v.Shape.Set.With(change.Set), v.Shape.SetCanceled.With(change.SetCanceled)
	if given > 0 {
		shapes := make([]fixtures.ReportShape, has)
		copy(shapes, v.Shape.Reports)
		v.Shape.Reports = shapes
	}
	for i, report := range change.Reports {
		v.Shape.Reports[i] = fixtures.Changed(v.Shape.Reports[i], report, func() []api.Paystub { return was.completed(at).Reports[i].Paystubs })
	}
	if err := v.checkSet(change.Set); err != nil {
		return err
	}
	if err := firstViolation("", v.Shape); err != nil { // the reports may contradict what is set
		return invalid("The request " + err.Error())
	}
	return nil
}

// lacks refuses changed elements that the lists of the request do not have. A request that is not completed has the reports that
// it would have now.
func (c requestChange) lacks(at Scene, v *Request, shown Verification) error {
	if c.Set.Empty() && c.SetCanceled.Empty() && len(c.Reports) == 0 {
		return nil
	}
	document := shown.Document
	if document.State != api.StateCompleted {
		document = v.completed(at)
	}
	err := cmp.Or(missing(c.Set, document), missing(c.SetCanceled, document.Canceled()))
	for i, report := range c.Reports {
		err = cmp.Or(err, missing(report.Set, document.Reports[i]))
	}
	return err
}

// completed draws the request with its reports, whatever its state: unless it is completed, as if it were now.
func (v *Request) completed(at Scene) api.VerificationRequest {
	progress := fixtures.Progress{State: api.StateCompleted, Created: v.Progress.Created, Completed: cmp.Or(v.Progress.Completed, at.Now)}
	return at.Fixtures.VerificationRequest(v.id, v.Identity, v.Shape, progress).VerificationRequest
}

// CheckState returns an error for an unknown state of a verification request (spec section 3).
func CheckState(state api.State) error { return checkValue("state", state) }

// Change returns the change that makes the move. Its error is for a move that no request can make.
func (to Move) Change() (Change[Request, Verification], error) {
	return Change[Request, Verification]{Do: func(at Scene, v *Request) error { return v.move(at, to) }}, to.check()
}

func (to Move) check() error {
	if err := CheckState(to.State); err != nil {
		return err
	}
	reason := to.Cancellation.Reason
	if reason != nil {
		if err := checkValue("cancellation_reason", *reason); err != nil {
			return err
		}
	}
	if to.State != api.StateCanceled && (reason != nil || to.Cancellation.Details != nil) {
		return invalid("Only a canceled request has a cancellation reason and details")
	}
	return nil
}

// move puts the request into a state now. A state that the spec does not let it reach must be forced.
func (v *Request) move(at Scene, to Move) error {
	if why := scenarios.Forbidden(v.Progress.State, to.State); why != "" && !to.Force {
		return conflict(fmt.Sprintf("The request cannot become %s: %s; force it if that is meant", to.State, why))
	}
	if reason := to.Cancellation.Reason; reason != nil && v.Shape.Set.Sets("cancellation_reason") { // the later one counts
		var given fixtures.Overlay[api.VerificationRequest]
		if err := given.UnmarshalJSON(fmt.Appendf(nil, `{"cancellation_reason":%q}`, *reason)); err != nil {
			return err
		}
		v.Shape.Set = v.Shape.Set.With(given)
	}
	v.Progress.Completed, v.Progress.Canceled = time.Time{}, nil
	v.transition(at, scenarios.Step{
		State: to.State, CancellationReason: to.Cancellation.Reason, CancellationDetails: to.Cancellation.Details,
	})
	return nil
}

// checkSet refuses changed fields that the request's state does not have (spec 2.2). A scenario file may set them: they
// hold for later states.
func (v *Request) checkSet(fields fixtures.Overlay[api.VerificationRequest]) error {
	state := v.Progress.State
	if state != api.StateCanceled && (fields.Sets("cancellation_reason") || fields.Sets("cancellation_details")) {
		return invalid("Only a canceled request has a cancellation reason and details")
	}
	if !fields.Sets("date_of_completion") && !fields.Sets("created") {
		return nil
	}
	seen := api.VerificationRequest{Created: api.DatetimeOf(v.Progress.Created)}
	if state == api.StateCompleted {
		seen.DateOfCompletion = new(api.DatetimeOf(v.Progress.Completed))
	}
	seen = v.Shape.Set.Lay(seen)
	completion := seen.DateOfCompletion
	switch {
	case state != api.StateCompleted && fields.Sets("date_of_completion"):
		return invalid("Only a completed request has a date_of_completion, and this one is " + string(state))
	case state == api.StateCompleted && completion == nil && fields.Sets("date_of_completion"):
		return invalid("The date_of_completion of a completed request is not null: set an instant, or another state")
	case completion != nil && completion.Before(seen.Created.Time):
		return invalid(fmt.Sprintf("The date_of_completion, %s, would be before the request was created, %s: set a later one",
			completion, seen.Created))
	}
	return nil
}

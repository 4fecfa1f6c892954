package world

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

var verificationRequests = kindOf[verification, Verification]{
	kind: scenarios.VerificationRequestID,
	read: (*Tx).found,
	save: func(tx *Tx, _ string, v *verification) error {
		v.stored = true
		_, err := tx.saveVerification(v)
		return err
	},
	show: func(tx *Tx, _ string, v *verification) (Verification, error) { return v.show(tx) },
}

// VerificationRequest returns a verification request. Unlike a read by HTTP it changes nothing.
func (w *World) VerificationRequest(ctx context.Context, id string) (Verification, error) {
	return verificationRequests.get(ctx, w, id)
}

// VerificationRequests goes through the verification requests that the world has stored, in the order of their ids: the
// created ones, and the magic ones that moved. It ends with the first error.
func (w *World) VerificationRequests(ctx context.Context) iter.Seq2[Verification, error] {
	id := func(v Verification) string { return v.ID }
	return pages("", id, func(after string, limit int) ([]Verification, error) {
		return w.ListVerificationRequests(ctx, after, limit, func(Verification) bool { return true })
	})
}

// ListVerificationRequests returns up to limit verification requests that the world has stored and that are wanted, in
// the order of their ids, from the first after an id. They have no Rules; wanted is called before they have a Document.
func (w *World) ListVerificationRequests(ctx context.Context, after string, limit int, wanted func(Verification) bool) ([]Verification, error) {
	return read(ctx, w, func(tx *Tx) (all []Verification, err error) {
		err = tx.scanVerifications(after, func(v verification, memory int64) (more bool) {
			if shown := v.summary(tx); wanted(shown) {
				shown.Document = v.document(tx)
				all = append(all, shown)
				return len(all) < limit && tx.store.want(memory) == nil
			}
			return true
		})
		return all, err
	})
}

// scanVerifications visits the stored verification requests in their present state, with the memory that each takes. Those that
// visit does not keep count as the largest one does.
func (tx *Tx) scanVerifications(after string, visit func(v verification, memory int64) (more bool)) error {
	return tx.values.Scan(prefixes[scenarios.VerificationRequestID], after, func(id string, stored []byte) (more bool, err error) {
		before := tx.store.wanted
		v, err := tx.inspect(id)
		if err != nil {
			return false, err
		}
		tx.store.wanted = before
		return visit(v, limits.Decoded(stored)), nil
	})
}

// CreateVerificationRequest creates a verification request, with a new id unless the text names one. The text is in the
// language of scenario files, YAML or JSON: a scenario to look like and to follow, fields in place of the scenario's, or
// both.
//
//	{scenario: lifecycle-timed}
//	{id: vr_mine, state: processing, verification_request: {type: employment}}
//	{reports: [{employee: {status_detail: part-time}, pay: {frequency: weekly}}]}
//	{verification_request: {timeline: [{state: processing}, {state: completed, after: {reads: 2}}]}}
func (w *World) CreateVerificationRequest(ctx context.Context, text string) (Verification, error) {
	var in struct {
		origin              `yaml:",inline"`
		State               api.State                      `yaml:"state"` // "": the first of the timeline, completed without one
		VerificationRequest *scenarios.VerificationRequest `yaml:"verification_request"`
		fixtures.Given      `yaml:",inline"`
		Reports             []fixtures.ReportShape `yaml:"reports"`
	}
	if err := Decode(text, &in); err != nil {
		return Verification{}, err
	}
	change := verificationChange{}
	if in.VerificationRequest != nil {
		change.Set = in.VerificationRequest.Set
	}
	for _, report := range in.Reports {
		change.Reports = append(change.Reports, fixtures.ReportChange{Set: report.Set})
	}
	return verificationRequests.create(ctx, w, in.origin, func(tx *Tx, s *scenarios.Scenario, id string) (verification, error) {
		made := *s // the scenario with the text's fields in place of its own
		if made.Given = in.Given.Or(s.Given); in.VerificationRequest != nil {
			made.VerificationRequest = in.VerificationRequest
		}
		if in.Reports != nil {
			made.Reports = in.Reports
		}
		shape := made.VerificationShape()
		if err := firstViolation("", shape); err != nil { // its parts may come from scenario and text
			return verification{}, invalid("The request " + err.Error())
		}
		v := start(s, id, id, shape, tx.now, tx.now)
		if own := in.VerificationRequest; own != nil && (own.Timeline != nil || own.Completed != 0) {
			entered := tx.now
			if own.Completed != 0 {
				entered = made.Completed(tx.record.Created)
			}
			v = start(&made, id, id, shape, entered, entered)
			v.Timeline = made.Timeline()
		}
		if in.State != "" && in.State != v.Progress.State {
			v.History, v.Progress = nil, fixtures.Progress{Created: tx.now}
			v.transition(tx, scenarios.Step{State: in.State})
			v.fresh = 0
		}
		if v.Progress.State == api.StateCompleted { // it was created before it was completed
			v.Progress.Created = v.Progress.Completed.Add(-tx.fixtures.Turnaround(id))
		}
		return v, v.checkSet(change.Set)
	}, change.lacks)
}

// verificationChange is a change of a verification request.
type verificationChange struct {
	State               api.State               `yaml:"state"`
	CancellationReason  *api.CancellationReason `yaml:"cancellation_reason"`
	CancellationDetails *string                 `yaml:"cancellation_details"`
	Force               bool                    `yaml:"force"` // whatever the spec allows

	Set         fixtures.Overlay[api.VerificationRequest]  `yaml:"set"`
	SetCanceled fixtures.Overlay[api.CanceledVerification] `yaml:"set_canceled"`
	Reports     []fixtures.ReportChange                    `yaml:"reports"` // in their order
}

// Validate finds an empty change, and members that exclude each other.
func (c verificationChange) Validate() []fixtures.Violation {
	found, because := fixtures.Violations{}, c.CancellationReason != nil || c.CancellationDetails != nil
	found.Require(c.State != "" || !c.Set.Empty() || !c.SetCanceled.Empty() || len(c.Reports) > 0, "", `needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}`)
	found.Require(c.State == api.StateCanceled || !because, "", "only a canceled request has a cancellation reason and details")
	return found
}

// ChangeVerificationRequest puts a verification request into a state as [World.Move] does, sets fields of it, of its reports
// and of the answer to its cancel, tampers with its reports, or all of these. Fields have the names and types of spec 2.2 to 2.4.
//
//	{set: {loan_id: "7", branch_id: null}}
//	{reports: [{set: {respondent: {title: null}, paystubs: {0: {net: null}}}}]}
//	{reports: [{tamper: net}, {tamper: none}]}
//	{set_canceled: {cancellation_reason: no-match}}
//	{state: canceled, cancellation_reason: competitor}
//	{state: processing, force: true}
func (w *World) ChangeVerificationRequest(ctx context.Context, id, text string) (Verification, error) {
	var in verificationChange
	if err := Decode(text, &in); err != nil {
		return Verification{}, err
	}
	reason := fixtures.Cancellation{Reason: in.CancellationReason, Details: in.CancellationDetails}
	to := Move{State: in.State, Cancellation: reason, Force: in.Force}
	return verificationRequests.change(ctx, w, id, func(tx *Tx, v *verification) error {
		if to.State != "" {
			if err := v.move(tx, to); err != nil {
				return err
			}
		}
		return v.set(tx, in)
	}, in.lacks)
}

// Move is a new state of a verification request.
type Move struct {
	State        api.State
	Cancellation fixtures.Cancellation // of a canceled request
	Force        bool                  // whatever the spec allows
}

// Move puts a verification request into a state, from where its timeline goes on. A state that spec section 3 does not let
// it reach must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	if err := to.check(); err != nil {
		return Verification{}, err
	}
	return verificationRequests.change(ctx, w, id, func(tx *Tx, v *verification) error { return v.move(tx, to) }, nil)
}

// DeleteVerificationRequest deletes a stored verification request. A magic one starts over; any other is gone.
func (w *World) DeleteVerificationRequest(ctx context.Context, id string) error {
	return verificationRequests.delete(ctx, w, id)
}

// set adds the fields of a change to those that the request's shape sets, and refuses those that it cannot have.
func (v *verification) set(tx *Tx, change verificationChange) error {
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
		v.Shape.Reports[i] = fixtures.Changed(v.Shape.Reports[i], report, func() []api.Paystub { return was.completed(tx).Reports[i].Paystubs })
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
func (c verificationChange) lacks(tx *Tx, v *verification, shown Verification) error {
	if c.Set.Empty() && c.SetCanceled.Empty() && len(c.Reports) == 0 {
		return nil
	}
	document := shown.Document
	if document.State != api.StateCompleted {
		document = v.completed(tx)
	}
	err := cmp.Or(missing(c.Set, document), missing(c.SetCanceled, document.Canceled()))
	for i, report := range c.Reports {
		err = cmp.Or(err, missing(report.Set, document.Reports[i]))
	}
	return err
}

// completed draws the request with its reports, whatever its state: unless it is completed, as if it were now.
func (v *verification) completed(tx *Tx) api.VerificationRequest {
	progress := fixtures.Progress{State: api.StateCompleted, Created: v.Progress.Created, Completed: cmp.Or(v.Progress.Completed, tx.now)}
	return tx.fixtures.VerificationRequest(v.id, v.Identity, v.Shape, progress).VerificationRequest
}

// CheckState returns an error for an unknown state of a verification request (spec section 3).
func CheckState(state api.State) error { return checkValue("state", state) }

// checkValue returns an error for a text that is not a value of an enumeration, in the words of scenario files.
func checkValue[E interface {
	~string
	Values() []E
}](key string, value E) error {
	var words []string
	for _, v := range value.Values() {
		if words = append(words, string(v)); v == value {
			return nil
		}
	}
	return invalid("unknown value " + api.Quote(string(value)) + " for " + key + api.DidYouMean(string(value), words, ": must be one of "+strings.Join(words, ", ")))
}

// check returns an error for a move that no request can make.
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
func (v *verification) move(tx *Tx, to Move) error {
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
	v.transition(tx, scenarios.Step{
		State: to.State, CancellationReason: to.Cancellation.Reason, CancellationDetails: to.Cancellation.Details,
	})
	return nil
}

// checkSet refuses changed fields that the request's state does not have (spec 2.2). A scenario file may set them: they
// hold for later states.
func (v *verification) checkSet(fields fixtures.Overlay[api.VerificationRequest]) error {
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

package world

import (
	"context"
	"iter"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// What the methods of a [World] take and return of a verification request.
type (
	Verification = resource.Verification
	Stage        = resource.Stage
	Phase        = resource.Phase
	Transition   = resource.Transition
	Move         = resource.Move
)

// The phases of a [Stage].
const (
	Past    = resource.Past
	Present = resource.Present
	Next    = resource.Next
	Ahead   = resource.Ahead
)

var verificationRequests = kindOf[resource.Request, Verification]{
	kind: scenarios.VerificationRequestID,
	read: (*Tx).found,
	save: func(tx *Tx, _ string, v *resource.Request) error {
		_, err := tx.saveVerification(v)
		return err
	},
	show:     (*Tx).show,
	creation: resource.NewRequest,
	changed:  resource.ChangeRequest,
	source:   resource.SourceOfRequest,
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
		err = tx.scanVerifications(after, func(v resource.Request, memory int64) (more bool) {
			if shown := v.Summary(tx.Scene); wanted(shown) {
				shown.Document = v.Document(tx.Scene)
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
func (tx *Tx) scanVerifications(after string, visit func(v resource.Request, memory int64) (more bool)) error {
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
	return verificationRequests.create(ctx, w, text)
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
	return verificationRequests.change(ctx, w, id, text)
}

// Move puts a verification request into a state, from where its timeline goes on. A state that spec section 3 does not let
// it reach must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	return verificationRequests.apply(ctx, w, id, to.Change)
}

// DeleteVerificationRequest deletes a stored verification request. A magic one starts over; any other is gone.
func (w *World) DeleteVerificationRequest(ctx context.Context, id string) error {
	return verificationRequests.delete(ctx, w, id)
}

// inspect returns a verification request.
func (tx *Tx) inspect(id string) (resource.Request, error) { return verificationRequests.find(tx, id) }

// found returns a verification request. Its error for an unknown id is a 404, where the emulated API answers 400.
func (tx *Tx) found(r Resource) (v resource.Request, err error) {
	if v, err = tx.verification(r); err != nil {
		message := r.unknown(tx)
		err = notFound(strings.ToUpper(message[:1]) + message[1:])
	}
	return v, err
}

// show returns the request as the control plane shows it.
func (tx *Tx) show(_ string, v *resource.Request) (shown Verification, err error) {
	shown = v.Show(tx.Scene)
	shown.Rules, err = tx.rules.InWords(shown.ID, shown.Scenario)
	return shown, err
}

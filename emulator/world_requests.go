package emulator

import (
	"context"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Verification is a verification request as those see it who steer a world: its Document is the resource as read-one
// shows it (spec 2.2).
type Verification = world.Verification

// Move is what is to become of a verification request.
type Move = world.Move

// requests goes through verification requests that read returns in pages.
func (w *World) requests(ctx context.Context, id func(Verification) string, read func(opened *world.World, after string) ([]Verification, error)) iter.Seq2[Verification, error] {
	return paged(id, func(after string) ([]Verification, error) {
		return asked(ctx, w, func(opened *world.World) ([]Verification, error) { return read(opened, after) })
	})
}

// VerificationRequests goes through the verification requests that the world remembers, in the order of their ids: those
// that were made, and the magic ones that moved. It ends with the first error.
func (w *World) VerificationRequests(ctx context.Context) iter.Seq2[Verification, error] {
	all := func(Verification) bool { return true }
	return w.requests(ctx, func(v Verification) string { return v.ID }, func(opened *world.World, after string) ([]Verification, error) {
		return opened.Verifications(ctx, after, atOnce, all)
	})
}

// VerificationRequest shows a verification request. Unlike a read by HTTP it moves nothing.
func (w *World) VerificationRequest(ctx context.Context, id string) (Verification, error) {
	return asked(ctx, w, func(opened *world.World) (Verification, error) { return opened.Inspect(ctx, id) })
}

// CreateVerificationRequest makes a verification request, with a new id unless the text names one. The text is in the
// language of scenario files, YAML or JSON: a scenario to look like and to follow, fields that take the place of the
// scenario's, or both.
//
//	{scenario: lifecycle-timed}
//	{id: vr_mine, state: processing, verification_request: {type: employment}}
//	{reports: [{employee: {status_detail: part-time}, pay: {frequency: weekly}}]}
func (w *World) CreateVerificationRequest(ctx context.Context, text string) (Verification, error) {
	return asked(ctx, w, func(opened *world.World) (Verification, error) { return opened.CreateVerification(ctx, []byte(text)) })
}

// ChangeVerificationRequest puts a verification request into a state, sets fields of it, or both. Fields have their names
// and types of spec 2.2, and are checked as such.
//
//	{set: {loan_id: "7", branch_id: null}}
//	{state: canceled, cancellation_reason: competitor}
//	{state: processing, force: true}
func (w *World) ChangeVerificationRequest(ctx context.Context, id, change string) (Verification, error) {
	return asked(ctx, w, func(opened *world.World) (Verification, error) {
		return opened.ChangeVerification(ctx, id, []byte(change))
	})
}

// Move puts a verification request into a state, from where its timeline goes on. What spec section 3
// does not allow must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	return asked(ctx, w, func(opened *world.World) (Verification, error) { return opened.Move(ctx, id, to) })
}

// Forget deletes what the world remembers of a verification request: a magic one is as new then,
// another one is gone.
func (w *World) Forget(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Forget(ctx, id) })
}

// CredentialsSessions goes through the verification requests that credentials sessions made; their SessionID names the
// session. It ends with the first error.
func (w *World) CredentialsSessions(ctx context.Context) iter.Seq2[Verification, error] {
	return w.requests(ctx, func(v Verification) string { return v.SessionID }, func(opened *world.World, after string) ([]Verification, error) {
		return opened.Sessions(ctx, after, atOnce)
	})
}

// CredentialsSession shows the verification request that a credentials session made.
func (w *World) CredentialsSession(ctx context.Context, id string) (Verification, error) {
	return asked(ctx, w, func(opened *world.World) (Verification, error) { return opened.Session(ctx, id) })
}

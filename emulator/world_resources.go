package emulator

import (
	"context"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Verification is a verification request as those see it who steer a world: its Document is the resource as read-one
// shows it (spec 2.2).
type Verification = world.Verification

// Move is what is to become of a verification request.
type Move = world.Move

// list goes through resources that read returns in pages, a transaction each.
func list[T any](ctx context.Context, w *World, id func(T) string, read func(opened *world.World, after string, limit int) ([]T, error)) iter.Seq2[T, error] {
	return paged(id, func(after string) ([]T, error) {
		return in(ctx, w, func(opened *world.World) ([]T, error) { return read(opened, after, pageSize) })
	})
}

// VerificationRequests goes through the verification requests that the world has stored, in the order of their ids: those
// that were made, and the magic ones that moved. It ends with the first error.
func (w *World) VerificationRequests(ctx context.Context) iter.Seq2[Verification, error] {
	all := func(opened *world.World, after string, limit int) ([]Verification, error) {
		return opened.Verifications(after, limit, func(Verification) bool { return true })
	}
	return list(ctx, w, func(v Verification) string { return v.ID }, all)
}

// VerificationRequest shows a verification request. Unlike a read by HTTP it moves nothing.
func (w *World) VerificationRequest(ctx context.Context, id string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.Inspect(id) })
}

// CreateVerificationRequest makes a verification request, with a new id unless the text names one. The text is in the
// language of scenario files, YAML or JSON: a scenario to look like and to follow, fields that take the place of the
// scenario's, or both.
//
//	{scenario: lifecycle-timed}
//	{id: vr_mine, state: processing, verification_request: {type: employment}}
//	{reports: [{employee: {status_detail: part-time}, pay: {frequency: weekly}}]}
func (w *World) CreateVerificationRequest(ctx context.Context, text string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.CreateVerification([]byte(text)) })
}

// ChangeVerificationRequest puts a verification request into a state, sets fields of it, or both. Fields have their names
// and types of spec 2.2, and are checked as such.
//
//	{set: {loan_id: "7", branch_id: null}}
//	{state: canceled, cancellation_reason: competitor}
//	{state: processing, force: true}
func (w *World) ChangeVerificationRequest(ctx context.Context, id, change string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.ChangeVerification(id, []byte(change)) })
}

// Move puts a verification request into a state, from where its timeline goes on. What spec section 3
// does not allow must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.Move(id, to) })
}

// forget deletes what the world has stored of a resource: a magic one is as new then, another one is gone.
func (w *World) forget(ctx context.Context, kind scenarios.Kind, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Forget(kind, id) })
}

// Forget deletes what the world has stored of a verification request: a magic one is as new then, another one is gone.
func (w *World) Forget(ctx context.Context, id string) error {
	return w.forget(ctx, scenarios.VerificationRequestID, id)
}

// CredentialsSessions goes through the verification requests that credentials sessions made; their SessionID names the
// session. It ends with the first error.
func (w *World) CredentialsSessions(ctx context.Context) iter.Seq2[Verification, error] {
	return list(ctx, w, func(v Verification) string { return v.SessionID }, (*world.World).Sessions)
}

// CredentialsSession shows the verification request that a credentials session made.
func (w *World) CredentialsSession(ctx context.Context, id string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.Session(id) })
}

// TenantProperties goes through the tenant properties that the world has stored, in the order of their ids: those that
// were made, and the magic ones that were changed. It ends with the first error.
func (w *World) TenantProperties(ctx context.Context) iter.Seq2[api.TenantProperty, error] {
	return list(ctx, w, func(p api.TenantProperty) string { return p.ID }, (*world.World).TenantProperties)
}

// TenantProperty shows a tenant property.
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	return in(ctx, w, func(opened *world.World) (api.TenantProperty, error) { return opened.TenantProperty(id) })
}

// CreateTenantProperty makes a tenant property of a text as [World.CreateVerificationRequest] takes it:
//
//	{id: tp_quay, tenant_property: {set: {name: Quay House, postal_code: null}}}
func (w *World) CreateTenantProperty(ctx context.Context, text string) (api.TenantProperty, error) {
	return in(ctx, w, func(opened *world.World) (api.TenantProperty, error) {
		return opened.CreateTenantProperty([]byte(text))
	})
}

// ChangeTenantProperty sets fields of a tenant property: {set: {name: Quay House}}.
func (w *World) ChangeTenantProperty(ctx context.Context, id, change string) (api.TenantProperty, error) {
	return in(ctx, w, func(opened *world.World) (api.TenantProperty, error) {
		return opened.ChangeTenantProperty(id, []byte(change))
	})
}

// ForgetTenantProperty deletes what the world has stored of a tenant property: a magic one is as new then, another one is
// gone.
func (w *World) ForgetTenantProperty(ctx context.Context, id string) error {
	return w.forget(ctx, scenarios.TenantPropertyID, id)
}

// QualificationChecks goes through the qualification checks that the world has stored, in the order of their ids: those
// that were made, and the magic ones that were changed. It ends with the first error.
func (w *World) QualificationChecks(ctx context.Context) iter.Seq2[api.QualificationCheck, error] {
	return list(ctx, w, func(q api.QualificationCheck) string { return q.ID }, (*world.World).QualificationChecks)
}

// QualificationCheck shows a qualification check.
func (w *World) QualificationCheck(ctx context.Context, id string) (api.QualificationCheck, error) {
	return in(ctx, w, func(opened *world.World) (api.QualificationCheck, error) { return opened.QualificationCheck(id) })
}

// CreateQualificationCheck makes a qualification check of a text as [World.CreateVerificationRequest] takes it; its result
// is computed:
//
//	{qualification_check: {kind: guarantor, rent: 1450.00}, reports: [{pay: {base: 62000.00}}]}
func (w *World) CreateQualificationCheck(ctx context.Context, text string) (api.QualificationCheck, error) {
	return in(ctx, w, func(opened *world.World) (api.QualificationCheck, error) {
		return opened.CreateQualification([]byte(text))
	})
}

// ChangeQualificationCheck sets fields of a qualification check: {set: {metadata: {unit: 4B}}}.
func (w *World) ChangeQualificationCheck(ctx context.Context, id, change string) (api.QualificationCheck, error) {
	return in(ctx, w, func(opened *world.World) (api.QualificationCheck, error) {
		return opened.ChangeQualification(id, []byte(change))
	})
}

// ForgetQualificationCheck deletes what the world has stored of a qualification check: a magic one is as new then, another
// one is gone.
func (w *World) ForgetQualificationCheck(ctx context.Context, id string) error {
	return w.forget(ctx, scenarios.QualificationCheckID, id)
}

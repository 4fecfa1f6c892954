package world

import (
	"context"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
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

// VerificationRequest returns a verification request. Unlike a read by HTTP it changes nothing.
func (w *World) VerificationRequest(ctx context.Context, id string) (Verification, error) {
	return get(ctx, w, inventory.VerificationRequests, id)
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
	return read(ctx, w, func(tx *Tx) ([]Verification, error) { return tx.ListVerificationRequests(after, limit, wanted) })
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
	return create(ctx, w, inventory.VerificationRequests, text)
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
	return change(ctx, w, inventory.VerificationRequests, id, text)
}

// Move puts a verification request into a state, from where its timeline goes on. A state that spec section 3 does not let
// it reach must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	of, err := to.Change()
	if err != nil {
		return Verification{}, err
	}
	return update(ctx, w, func(tx *Tx) (Verification, error) { return inventory.VerificationRequests.Apply(&tx.Tx, id, of) })
}

// DeleteVerificationRequest deletes a stored verification request. A magic one starts over; any other is gone.
func (w *World) DeleteVerificationRequest(ctx context.Context, id string) error {
	return remove(ctx, w, inventory.VerificationRequests, id)
}

// CredentialsSession returns the verification request that a credentials session created.
func (w *World) CredentialsSession(ctx context.Context, id string) (Verification, error) {
	return read(ctx, w, func(tx *Tx) (Verification, error) { return tx.CredentialsSession(id) })
}

// ListCredentialsSessions returns up to limit verification requests that credentials sessions created, in the order of the
// sessions' ids, from the first after a session.
func (w *World) ListCredentialsSessions(ctx context.Context, after string, limit int) ([]Verification, error) {
	return read(ctx, w, func(tx *Tx) ([]Verification, error) { return tx.ListCredentialsSessions(after, limit) })
}

// FinishSession finishes a session of flow manual, as the person does who uses its token: with success its request follows
// the scenario's timeline from now on, with failure the service cancels it, and abandoned it becomes invalid after 72 h. An
// empty outcome is success.
func (w *World) FinishSession(ctx context.Context, id, how string) (Verification, error) {
	finish, err := resource.FinishSession(how)
	if err != nil {
		return Verification{}, err
	}
	return update(ctx, w, func(tx *Tx) (Verification, error) { return tx.FinishSession(id, finish) })
}

// QualificationCheck returns a qualification check.
func (w *World) QualificationCheck(ctx context.Context, id string) (api.QualificationCheck, error) {
	return get(ctx, w, inventory.QualificationChecks, id)
}

// ListQualificationChecks returns up to limit qualification checks that the world has stored, in the order of their ids,
// from the first after an id.
func (w *World) ListQualificationChecks(ctx context.Context, after string, limit int) ([]api.QualificationCheck, error) {
	return list(ctx, w, inventory.QualificationChecks, after, limit)
}

// CreateQualificationCheck creates a qualification check from a text, as [World.CreateVerificationRequest] takes it. Its
// result is computed:
//
//	{qualification_check: {kind: guarantor, rent: 1450.00}, reports: [{pay: {base: 62000.00}}]}
func (w *World) CreateQualificationCheck(ctx context.Context, text string) (api.QualificationCheck, error) {
	return create(ctx, w, inventory.QualificationChecks, text)
}

// ChangeQualificationCheck sets fields of a qualification check, by their names and types of spec 2.7. The fields that follow
// from them and are not set themselves are computed again: {set: {kind: guarantor, property_details: {rent: "900.00"}}}
func (w *World) ChangeQualificationCheck(ctx context.Context, id, text string) (api.QualificationCheck, error) {
	return change(ctx, w, inventory.QualificationChecks, id, text)
}

// DeleteQualificationCheck deletes a stored qualification check. A magic one starts over; any other is gone.
func (w *World) DeleteQualificationCheck(ctx context.Context, id string) error {
	return remove(ctx, w, inventory.QualificationChecks, id)
}

// TenantProperty returns a tenant property.
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	return get(ctx, w, inventory.TenantProperties, id)
}

// ListTenantProperties returns up to limit tenant properties that the world has stored, in the order of their ids, from
// the first after an id.
func (w *World) ListTenantProperties(ctx context.Context, after string, limit int) ([]api.TenantProperty, error) {
	return list(ctx, w, inventory.TenantProperties, after, limit)
}

// CreateTenantProperty creates a tenant property from a text, as [World.CreateVerificationRequest] takes it. Its fields
// are laid over the scenario's:
//
//	{id: tp_quay, tenant_property: {set: {name: Quay House, postal_code: null}}}
func (w *World) CreateTenantProperty(ctx context.Context, text string) (api.TenantProperty, error) {
	return create(ctx, w, inventory.TenantProperties, text)
}

// ChangeTenantProperty sets fields of a tenant property, by their names and types of spec 2.5: {set: {city: null}}
func (w *World) ChangeTenantProperty(ctx context.Context, id, text string) (api.TenantProperty, error) {
	return change(ctx, w, inventory.TenantProperties, id, text)
}

// DeleteTenantProperty deletes a stored tenant property. A magic one starts over; any other is gone.
func (w *World) DeleteTenantProperty(ctx context.Context, id string) error {
	return remove(ctx, w, inventory.TenantProperties, id)
}

// Source returns what a resource is made of, as the JSON text from which a create makes one like it.
func Source(ctx context.Context, w *World, kind scenarios.Kind, id string) ([]byte, error) {
	return read(ctx, w, func(tx *Tx) ([]byte, error) { return tx.Source(kind, id) })
}

func get[S, T any](ctx context.Context, w *World, k inventory.Kind[S, T], id string) (T, error) {
	return read(ctx, w, func(tx *Tx) (T, error) { return k.Get(&tx.Tx, id) })
}

func list[S, T any](ctx context.Context, w *World, k inventory.Kind[S, T], after string, limit int) ([]T, error) {
	return read(ctx, w, func(tx *Tx) ([]T, error) { return k.List(&tx.Tx, after, limit) })
}

func create[S, T any](ctx context.Context, w *World, k inventory.Kind[S, T], text string) (shown T, err error) {
	of, err := k.Creation(text)
	if err != nil {
		return shown, err
	}
	return update(ctx, w, func(tx *Tx) (T, error) { return k.Create(&tx.Tx, of) })
}

func change[S, T any](ctx context.Context, w *World, k inventory.Kind[S, T], id, text string) (shown T, err error) {
	of, err := k.Change(text)
	if err != nil {
		return shown, err
	}
	return update(ctx, w, func(tx *Tx) (T, error) { return k.Apply(&tx.Tx, id, of) })
}

func remove[S, T any](ctx context.Context, w *World, k inventory.Kind[S, T], id string) error {
	return w.Update(ctx, func(tx *Tx) error { return k.Delete(&tx.Tx, id) })
}

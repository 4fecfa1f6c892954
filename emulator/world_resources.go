package emulator

import (
	"context"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// list goes through resources of a world, a page a transaction.
func list[T any](ctx context.Context, w *World, id func(T) string, read func(*world.World, string, int) ([]T, error)) iter.Seq2[T, error] {
	return paged(id, func(after string) ([]T, error) {
		return in(ctx, w, func(opened *world.World) ([]T, error) { return read(opened, after, pageSize) })
	})
}

// CredentialsSessions goes through the verification requests that credentials sessions made, in the order of the sessions'
// ids. It ends with the first error.
func (w *World) CredentialsSessions(ctx context.Context) iter.Seq2[Verification, error] {
	return list(ctx, w, func(v Verification) string { return v.SessionID }, (*world.World).Sessions)
}

// TenantProperties goes through the tenant properties that the world has stored, in the order of their ids. It ends with the
// first error.
func (w *World) TenantProperties(ctx context.Context) iter.Seq2[api.TenantProperty, error] {
	return list(ctx, w, func(p api.TenantProperty) string { return p.ID }, (*world.World).TenantProperties)
}

// ChangeTenantProperty sets fields of a tenant property, which have their names and types of spec 2.5: {set: {city: null}}
func (w *World) ChangeTenantProperty(ctx context.Context, id, change string) (api.TenantProperty, error) {
	return in(ctx, w, func(opened *world.World) (api.TenantProperty, error) {
		return opened.ChangeTenantProperty(id, []byte(change))
	})
}

// ForgetTenantProperty is [World.Forget] of a tenant property.
func (w *World) ForgetTenantProperty(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Forget(scenarios.TenantPropertyID, id) })
}

// QualificationChecks goes through the qualification checks that the world has stored, in the order of their ids. It ends
// with the first error.
func (w *World) QualificationChecks(ctx context.Context) iter.Seq2[api.QualificationCheck, error] {
	return list(ctx, w, func(q api.QualificationCheck) string { return q.ID }, (*world.World).QualificationChecks)
}

// QualificationCheck shows a qualification check.
func (w *World) QualificationCheck(ctx context.Context, id string) (api.QualificationCheck, error) {
	return in(ctx, w, func(opened *world.World) (api.QualificationCheck, error) { return opened.QualificationCheck(id) })
}

// ChangeQualificationCheck sets fields of a qualification check, which have their names and types of spec 2.7, over what is
// computed: {set: {metadata: {unit: 4B}}}
func (w *World) ChangeQualificationCheck(ctx context.Context, id, change string) (api.QualificationCheck, error) {
	return in(ctx, w, func(opened *world.World) (api.QualificationCheck, error) {
		return opened.ChangeQualification(id, []byte(change))
	})
}

// ForgetQualificationCheck is [World.Forget] of a qualification check.
func (w *World) ForgetQualificationCheck(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Forget(scenarios.QualificationCheckID, id) })
}

// Scenarios returns the scenarios that the world follows, its own behind those of all worlds.
func (w *World) Scenarios(ctx context.Context) ([]*scenarios.Scenario, error) {
	return in(ctx, w, func(opened *world.World) ([]*scenarios.Scenario, error) { return opened.Catalogue().All(), nil })
}

// OwnScenarios returns the scenarios of the world's own files.
func (w *World) OwnScenarios(ctx context.Context) ([]*scenarios.Scenario, error) {
	return in(ctx, w, func(opened *world.World) ([]*scenarios.Scenario, error) { return opened.OwnScenarios(), nil })
}

package emulator

import (
	"context"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// TenantProperties goes through the tenant properties that the world remembers, in the order of their ids: those that
// were made, and the magic ones that were changed. It ends with the first error.
func (w *World) TenantProperties(ctx context.Context) iter.Seq2[api.TenantProperty, error] {
	return paged(func(p api.TenantProperty) string { return p.ID }, func(after string) ([]api.TenantProperty, error) {
		return asked(ctx, w, func(opened *world.World) ([]api.TenantProperty, error) {
			return opened.TenantProperties(ctx, after, atOnce)
		})
	})
}

// TenantProperty shows a tenant property.
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	return asked(ctx, w, func(opened *world.World) (api.TenantProperty, error) { return opened.TenantProperty(ctx, id) })
}

// CreateTenantProperty makes a tenant property of a text as [World.CreateVerificationRequest] takes it:
//
//	{id: tp_quay, tenant_property: {set: {name: Quay House, postal_code: null}}}
func (w *World) CreateTenantProperty(ctx context.Context, text string) (api.TenantProperty, error) {
	return asked(ctx, w, func(opened *world.World) (api.TenantProperty, error) {
		return opened.CreateTenantProperty(ctx, []byte(text))
	})
}

// ChangeTenantProperty sets fields of a tenant property: {set: {name: Quay House}}.
func (w *World) ChangeTenantProperty(ctx context.Context, id, change string) (api.TenantProperty, error) {
	return asked(ctx, w, func(opened *world.World) (api.TenantProperty, error) {
		return opened.ChangeTenantProperty(ctx, id, []byte(change))
	})
}

// ForgetTenantProperty deletes what the world remembers of a tenant property: a magic one is as new then, another one is
// gone.
func (w *World) ForgetTenantProperty(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.ForgetTenantProperty(ctx, id) })
}

// QualificationChecks goes through the qualification checks that the world remembers, in the order of their ids: those
// that were made, and the magic ones that were changed. It ends with the first error.
func (w *World) QualificationChecks(ctx context.Context) iter.Seq2[api.QualificationCheck, error] {
	return paged(func(q api.QualificationCheck) string { return q.ID }, func(after string) ([]api.QualificationCheck, error) {
		return asked(ctx, w, func(opened *world.World) ([]api.QualificationCheck, error) {
			return opened.QualificationChecks(ctx, after, atOnce)
		})
	})
}

// QualificationCheck shows a qualification check.
func (w *World) QualificationCheck(ctx context.Context, id string) (api.QualificationCheck, error) {
	return asked(ctx, w, func(opened *world.World) (api.QualificationCheck, error) { return opened.InspectQualification(ctx, id) })
}

// CreateQualificationCheck makes a qualification check of a text as [World.CreateVerificationRequest] takes it; its result
// is computed:
//
//	{qualification_check: {kind: guarantor, rent: 1450.00}, reports: [{pay: {base: 62000.00}}]}
func (w *World) CreateQualificationCheck(ctx context.Context, text string) (api.QualificationCheck, error) {
	return asked(ctx, w, func(opened *world.World) (api.QualificationCheck, error) {
		return opened.CreateQualification(ctx, []byte(text))
	})
}

// ChangeQualificationCheck sets fields of a qualification check: {set: {metadata: {unit: 4B}}}.
func (w *World) ChangeQualificationCheck(ctx context.Context, id, change string) (api.QualificationCheck, error) {
	return asked(ctx, w, func(opened *world.World) (api.QualificationCheck, error) {
		return opened.ChangeQualification(ctx, id, []byte(change))
	})
}

// ForgetQualificationCheck deletes what the world remembers of a qualification check: a magic one is as new then, another
// one is gone.
func (w *World) ForgetQualificationCheck(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.ForgetQualification(ctx, id) })
}

package control

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// documents are resources of a kind that do not move: tenant properties, qualification checks. T is what the API shows
// of one. A text is a body in the language of scenario files.
type documents[T any] struct {
	id     func(T) string
	all    func(w *world.World, ctx context.Context, after string, limit int) ([]T, error)
	one    func(w *world.World, ctx context.Context, id string) (T, error)
	make   func(w *world.World, ctx context.Context, text []byte) (T, error)
	set    func(w *world.World, ctx context.Context, id string, text []byte) (T, error)
	forget func(w *world.World, ctx context.Context, id string) error
}

func tenantProperties() documents[api.TenantProperty] {
	return documents[api.TenantProperty]{
		id:     func(p api.TenantProperty) string { return p.ID },
		all:    (*world.World).TenantProperties,
		one:    (*world.World).TenantProperty,
		make:   (*world.World).CreateTenantProperty,
		set:    (*world.World).ChangeTenantProperty,
		forget: (*world.World).ForgetTenantProperty,
	}
}

func qualificationChecks() documents[api.QualificationCheck] {
	return documents[api.QualificationCheck]{
		id:     func(q api.QualificationCheck) string { return q.ID },
		all:    (*world.World).QualificationChecks,
		one:    (*world.World).InspectQualification,
		make:   (*world.World).CreateQualification,
		set:    (*world.World).ChangeQualification,
		forget: (*world.World).ForgetQualification,
	}
}

func (d documents[T]) list(x *exchange) (any, error) {
	after, limit, err := x.span(scenarios.ValidID)
	if err != nil {
		return nil, err
	}
	found, err := d.all(x.world, x.context(), after, limit+1)
	if err != nil {
		return nil, err
	}
	return page(found, limit, d.id), nil
}

func (d documents[T]) show(x *exchange) (any, error) {
	return d.one(x.world, x.context(), x.param("id"))
}

func (d documents[T]) create(x *exchange) (any, error) {
	text, err := x.document()
	if err != nil {
		return nil, err
	}
	made, err := d.make(x.world, x.context(), text)
	if err != nil {
		return nil, err
	}
	return created{made}, nil
}

// change lays fields over a resource: {"set":{"name":"Quay"}}.
func (d documents[T]) change(x *exchange) (any, error) {
	text, err := x.document()
	if err != nil {
		return nil, err
	}
	return d.set(x.world, x.context(), x.param("id"), text)
}

func (d documents[T]) remove(x *exchange) (any, error) {
	return nil, d.forget(x.world, x.context(), x.param("id"))
}

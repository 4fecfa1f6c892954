package control

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// documents are resources of a kind that do not move: tenant properties, qualification checks. T is what the API shows
// of one.
type documents[T any] struct {
	id         func(T) string
	all        func(w *world.World, ctx context.Context, after string, limit int) ([]T, error)
	one        func(w *world.World, ctx context.Context, id string) (T, error)
	set        func(w *world.World, ctx context.Context, id string, fields fixtures.Overlay[T]) (T, error)
	forget     func(w *world.World, ctx context.Context, id string) error
	createFrom func(*exchange) (T, error)
}

func (d documents[T]) list(x *exchange) (any, error) {
	limit, err := x.limit()
	if err != nil {
		return nil, err
	}
	found, err := d.all(x.world, x.context(), x.request.URL.Query().Get("after"), limit+1)
	if err != nil {
		return nil, err
	}
	return page(found, limit, d.id), nil
}

func (d documents[T]) show(x *exchange) (any, error) {
	return d.one(x.world, x.context(), x.param("id"))
}

func (d documents[T]) create(x *exchange) (any, error) {
	made, err := d.createFrom(x)
	if err != nil {
		return nil, err
	}
	return created{made}, nil
}

// change lays fields over a resource: {"set":{"name":"Quay"}}.
func (d documents[T]) change(x *exchange) (any, error) {
	var in documentChange[T]
	if err := x.decodeLanguage(&in); err != nil {
		return nil, err
	}
	return d.set(x.world, x.context(), x.param("id"), in.Set)
}

func (d documents[T]) remove(x *exchange) (any, error) {
	return nil, d.forget(x.world, x.context(), x.param("id"))
}

// documentChange is the body that changes a resource.
type documentChange[T any] struct {
	Set fixtures.Overlay[T] `yaml:"set"`
}

// Flaws finds a change of nothing, and of the id.
func (c documentChange[T]) Flaws() (flaws []fixtures.Flaw) {
	if c.Set.Empty() {
		flaws = append(flaws, fixtures.Flaw{What: `needs what is to change, such as {"set":{...}}`})
	}
	if c.Set.Sets("id") {
		flaws = append(flaws, fixtures.Flaw{Field: "set", What: "may not set id: it follows from elsewhere"})
	}
	return flaws
}

func tenantProperties() documents[api.TenantProperty] {
	return documents[api.TenantProperty]{
		id:     func(p api.TenantProperty) string { return p.ID },
		all:    (*world.World).TenantProperties,
		one:    (*world.World).TenantProperty,
		set:    (*world.World).SetTenantFields,
		forget: (*world.World).ForgetTenantProperty,
		createFrom: func(x *exchange) (p api.TenantProperty, err error) {
			var in struct {
				ID             string                       `yaml:"id"`
				Scenario       string                       `yaml:"scenario"` // that it looks like
				TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
			}
			if err := x.decodeLanguage(&in); err != nil {
				return p, err
			}
			if in.Scenario != "" {
				s := x.world.Catalogue().ByName(in.Scenario)
				if s == nil {
					return p, x.unknownScenario(in.Scenario)
				}
				shape := s.TenantPropertyShape()
				if shape.Set, err = shape.Set.With(in.TenantProperty.Set); err != nil {
					return p, err
				}
				in.TenantProperty = shape
			}
			return x.world.CreateTenantProperty(x.context(), in.ID, in.TenantProperty)
		},
	}
}

func qualificationChecks() documents[api.QualificationCheck] {
	return documents[api.QualificationCheck]{
		id:     func(q api.QualificationCheck) string { return q.ID },
		all:    (*world.World).QualificationChecks,
		one:    (*world.World).InspectQualification,
		set:    (*world.World).SetQualificationFields,
		forget: (*world.World).ForgetQualification,
		createFrom: func(x *exchange) (q api.QualificationCheck, err error) {
			var in struct {
				ID                 string                       `yaml:"id"`
				Scenario           string                       `yaml:"scenario"` // that it looks like
				QualificationCheck *fixtures.QualificationShape `yaml:"qualification_check"`
				Reports            []fixtures.ReportShape       `yaml:"reports"`
			}
			if err := x.decodeLanguage(&in); err != nil {
				return q, err
			}
			var shape fixtures.QualificationShape
			if in.Scenario != "" {
				s := x.world.Catalogue().ByName(in.Scenario)
				if s == nil {
					return q, x.unknownScenario(in.Scenario)
				}
				shape = s.QualificationShape()
			}
			if in.QualificationCheck != nil {
				reports := shape.Reports
				shape = *in.QualificationCheck
				shape.Reports = reports
			}
			if in.Reports != nil {
				shape.Reports = in.Reports
			}
			return x.world.CreateQualification(x.context(), in.ID, shape)
		},
	}
}

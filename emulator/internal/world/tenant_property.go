package world

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// UpdateTenantProperty replaces all of a tenant property except its id and status (spec 4.3). It also returns the name
// of the scenario.
func (tx *Tx) UpdateTenantProperty(r Resource, in api.TenantProperty) (p api.TenantProperty, scenario string, err error) {
	if r.magic != nil {
		scenario = r.magic.Name
	}
	if p, err = tx.tenantProperty(r); err != nil {
		return p, scenario, err
	}
	in.ID, in.Status = p.ID, p.Status
	_, err = tx.values.Save(r.name, in)
	return in, scenario, err
}

// tenantProperty returns the stored tenant property, else that of the scenario.
func (tx *Tx) tenantProperty(r Resource) (p api.TenantProperty, err error) {
	switch {
	case r.stored != nil:
		return p, stored.Decode(r.id, r.stored, &p)
	case r.magic == nil:
		return p, api.NotFound("Tenant property", r.unknown(tx))
	}
	return tx.fixtures.TenantProperty(r.id, r.magic.TenantPropertyShape()), nil
}

// TenantProperty returns a tenant property.
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	return read(ctx, w, func(tx *Tx) (api.TenantProperty, error) { return tx.findTenantProperty(id) })
}

func (tx *Tx) findTenantProperty(id string) (p api.TenantProperty, err error) {
	r, err := tx.Find(scenarios.TenantPropertyID, id)
	if err != nil {
		return p, err
	}
	return tx.tenantProperty(r)
}

// ListTenantProperties returns up to limit tenant properties that the world has stored, in the order of their ids, from
// the first after an id.
func (w *World) ListTenantProperties(ctx context.Context, after string, limit int) ([]api.TenantProperty, error) {
	return read(ctx, w, func(tx *Tx) ([]api.TenantProperty, error) {
		return list(tx, scenarios.TenantPropertyID, after, limit, func(_ string, p api.TenantProperty) api.TenantProperty { return p })
	})
}

// CreateTenantProperty creates a tenant property from a text, as [World.CreateVerificationRequest] takes it. Its fields
// are laid over the scenario's:
//
//	{id: tp_quay, tenant_property: {set: {name: Quay House, postal_code: null}}}
func (w *World) CreateTenantProperty(ctx context.Context, text string) (p api.TenantProperty, err error) {
	var in struct {
		origin         `yaml:",inline"`
		TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
	}
	if err := Decode(text, &in); err != nil {
		return p, err
	}
	err = w.create(ctx, scenarios.TenantPropertyID, in.origin, func(tx *Tx, s *scenarios.Scenario, id string) error {
		shape := s.TenantPropertyShape()
		shape.Set = shape.Set.With(in.TenantProperty.Set)
		p = tx.fixtures.TenantProperty(id, shape)
		_, err := tx.values.Save(prefixes[scenarios.TenantPropertyID]+id, p)
		return err
	})
	return p, err
}

// ChangeTenantProperty sets fields of a tenant property, by their names and types of spec 2.5: {set: {city: null}}
func (w *World) ChangeTenantProperty(ctx context.Context, id, text string) (p api.TenantProperty, err error) {
	var in change[api.TenantProperty]
	if err := Decode(text, &in); err != nil {
		return p, err
	}
	return update(ctx, w, func(tx *Tx) (api.TenantProperty, error) {
		p, err := tx.findTenantProperty(id)
		if err != nil {
			return p, err
		}
		p = in.Set.Lay(p)
		_, err = tx.values.Save(prefixes[scenarios.TenantPropertyID]+id, p)
		return p, err
	})
}

// DeleteTenantProperty deletes a stored tenant property. A magic one is as new then; any other no longer exists.
func (w *World) DeleteTenantProperty(ctx context.Context, id string) error {
	return w.delete(ctx, scenarios.TenantPropertyID, id)
}

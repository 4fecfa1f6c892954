package world

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
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
	return tx.Fixtures.TenantProperty(r.id, r.magic.TenantPropertyShape()), nil
}

// tenantProperties are stored as they are shown.
var tenantProperties = kindOf[api.TenantProperty, api.TenantProperty]{
	kind: scenarios.TenantPropertyID,
	read: (*Tx).tenantProperty,
	save: saved[api.TenantProperty],
	show: func(_ *Tx, _ string, p *api.TenantProperty) (api.TenantProperty, error) { return *p, nil },

	creation: resource.NewProperty,
	changed:  resource.ChangeProperty,
	source:   resource.SourceOfProperty,
}

// TenantProperty returns a tenant property.
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	return tenantProperties.get(ctx, w, id)
}

// ListTenantProperties returns up to limit tenant properties that the world has stored, in the order of their ids, from
// the first after an id.
func (w *World) ListTenantProperties(ctx context.Context, after string, limit int) ([]api.TenantProperty, error) {
	return tenantProperties.list(ctx, w, after, limit)
}

// CreateTenantProperty creates a tenant property from a text, as [World.CreateVerificationRequest] takes it. Its fields
// are laid over the scenario's:
//
//	{id: tp_quay, tenant_property: {set: {name: Quay House, postal_code: null}}}
func (w *World) CreateTenantProperty(ctx context.Context, text string) (api.TenantProperty, error) {
	return tenantProperties.create(ctx, w, text)
}

// ChangeTenantProperty sets fields of a tenant property, by their names and types of spec 2.5: {set: {city: null}}
func (w *World) ChangeTenantProperty(ctx context.Context, id, text string) (api.TenantProperty, error) {
	return tenantProperties.change(ctx, w, id, text)
}

// DeleteTenantProperty deletes a stored tenant property. A magic one starts over; any other is gone.
func (w *World) DeleteTenantProperty(ctx context.Context, id string) error {
	return tenantProperties.delete(ctx, w, id)
}

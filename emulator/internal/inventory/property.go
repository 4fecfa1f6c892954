package inventory

import (
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
	_, err = tx.Values.Save(r.name, in)
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

// TenantProperties are stored as they are shown.
var TenantProperties = Kind[api.TenantProperty, api.TenantProperty]{
	kind: scenarios.TenantPropertyID,
	read: (*Tx).tenantProperty,
	save: saved[api.TenantProperty],
	show: func(_ *Tx, _ string, p *api.TenantProperty) (api.TenantProperty, error) { return *p, nil },

	Creation: resource.NewProperty,
	Change:   resource.ChangeProperty,
	source:   resource.SourceOfProperty,
}

package world

import (
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// UpdateTenantProperty replaces all of a tenant property but its id and status (spec 4.3), and returns the name of its
// scenario too. Its error for an id that no property has is an [*api.Error].
func (w *World) UpdateTenantProperty(id string, in api.TenantProperty) (p api.TenantProperty, scenario string, err error) {
	if s := w.catalogue.ByID(scenarios.TenantPropertyID, id); s != nil {
		scenario = s.Name
	}
	if p, err = w.TenantProperty(id); err != nil {
		return p, scenario, err
	}
	in.ID, in.Status = p.ID, p.Status
	_, err = w.save(resourceName(scenarios.TenantPropertyID, id), in)
	return in, scenario, err
}

// TenantProperty shows a tenant property: as it is stored, else as its scenario has it. Its error for an id that no
// property has is an [*api.Error].
func (w *World) TenantProperty(id string) (p api.TenantProperty, err error) {
	if found, err := w.load(resourceName(scenarios.TenantPropertyID, id), &p); found || err != nil {
		return p, err
	}
	s := w.catalogue.ByID(scenarios.TenantPropertyID, id)
	if s == nil {
		return p, api.NotFound("Tenant property", w.unknownID(scenarios.TenantPropertyID, id))
	}
	return w.fixtures.TenantProperty(id, s.TenantPropertyShape()), nil
}

// TenantProperties returns up to limit of the tenant properties that the world has stored, in the order of their ids,
// from the first behind after.
func (w *World) TenantProperties(after string, limit int) ([]api.TenantProperty, error) {
	return list(w, scenarios.TenantPropertyID, after, limit, func(_ string, p api.TenantProperty) api.TenantProperty { return p })
}

// ChangeTenantProperty lays the fields that a text sets over a tenant property. Its error for a text that is not right,
// and for an id that no property has, is an [*api.Error].
func (w *World) ChangeTenantProperty(id string, text []byte) (p api.TenantProperty, err error) {
	var in change[api.TenantProperty]
	if err := decode(text, &in); err != nil {
		return p, err
	}
	if p, err = w.TenantProperty(id); err != nil {
		return p, err
	}
	if err := in.Set.Onto(&p); err != nil {
		return p, err
	}
	_, err = w.save(resourceName(scenarios.TenantPropertyID, id), p)
	return p, err
}

package world

import (
	"context"
	"encoding/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// UpdateTenantProperty replaces a tenant property (spec 4.3). Its error for an id that no property has is an
// [*api.Error].
func (w *World) UpdateTenantProperty(ctx context.Context, id string, in api.TenantPropertyUpdate) (p api.TenantProperty, err error) {
	s := w.worlds.Catalogue.ByID(scenarios.TenantPropertyID, id)
	if s == nil {
		return p, api.NotFound("Tenant property", w.unknownID(scenarios.TenantPropertyID, id))
	}
	w.scenario = s.Name
	p = in.ApplyTo(w.fixtures.TenantProperty(id))
	err = w.worlds.Store.Update(ctx, w.key("tp/"+id), func([]byte) ([]byte, error) { return json.Marshal(p) })
	return p, err
}

package world

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// UpdateTenantProperty replaces a tenant property (spec 4.3). Its error for an id that no property has is an
// [*api.Error].
func (w *World) UpdateTenantProperty(ctx context.Context, id string, in api.TenantPropertyUpdate) (p api.TenantProperty, err error) {
	s := w.catalogue.ByID(scenarios.TenantPropertyID, id)
	if s == nil {
		return p, api.NotFound("Tenant property", w.unknownID(scenarios.TenantPropertyID, id))
	}
	w.scenario = s.Name
	err = w.update(ctx, "tp/"+id, func(old []byte) ([]byte, error) {
		if old == nil {
			p = w.fixtures.TenantProperty(id, s.TenantPropertyShape())
		} else if err := json.Unmarshal(old, &p); err != nil {
			return nil, fmt.Errorf("read tenant property %s: %w", api.Quote(id), err)
		}
		p = in.ApplyTo(p)
		return json.Marshal(p)
	})
	return p, err
}

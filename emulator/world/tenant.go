package world

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// tenantName is the name under which a world remembers a tenant property.
func tenantName(id string) string { return "tp/" + id }

// UpdateTenantProperty replaces a tenant property (spec 4.3). Its error for an id that no property has is an
// [*api.Error].
func (w *World) UpdateTenantProperty(ctx context.Context, id string, in api.TenantPropertyUpdate) (api.TenantProperty, error) {
	return w.changeTenantProperty(ctx, id, func(p api.TenantProperty) (api.TenantProperty, error) { return in.ApplyTo(p), nil })
}

// TenantProperty shows a tenant property. Its error for an id that no property has is an [*api.Error].
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	stored, err := w.get(ctx, tenantName(id))
	if err != nil {
		return api.TenantProperty{}, err
	}
	return w.tenantProperty(id, stored)
}

// TenantProperties returns up to limit of the tenant properties that the world remembers, in the order of their ids,
// from the first behind after.
func (w *World) TenantProperties(ctx context.Context, after string, limit int) (all []api.TenantProperty, err error) {
	err = w.remembered(ctx, tenantName(""), after, func(id string, stored []byte) (more bool, err error) {
		p, err := w.tenantProperty(id, stored)
		all = append(all, p)
		return len(all) < limit, err
	})
	return all, err
}

// ForgetTenantProperty deletes what the world remembers of a tenant property. Its error when there is nothing to forget
// is an [*api.Error].
func (w *World) ForgetTenantProperty(ctx context.Context, id string) error {
	return w.forget(ctx, scenarios.TenantPropertyID, id)
}

func (w *World) changeTenantProperty(ctx context.Context, id string, change func(api.TenantProperty) (api.TenantProperty, error)) (p api.TenantProperty, err error) {
	if s := w.catalogue.ByID(scenarios.TenantPropertyID, id); s != nil {
		w.scenario = s.Name
	}
	err = w.update(ctx, tenantName(id), func(old []byte) ([]byte, error) {
		if p, err = w.tenantProperty(id, old); err != nil {
			return nil, err
		}
		if p, err = change(p); err != nil {
			return nil, err
		}
		return json.Marshal(p)
	})
	return p, err
}

// tenantProperty returns the property of an id: as it is remembered, else as its scenario has it.
func (w *World) tenantProperty(id string, stored []byte) (p api.TenantProperty, err error) {
	if stored != nil {
		if err := json.Unmarshal(stored, &p); err != nil {
			return p, fmt.Errorf("read tenant property %s: %w", api.Quote(id), err)
		}
		return p, nil
	}
	s := w.catalogue.ByID(scenarios.TenantPropertyID, id)
	if s == nil {
		return p, api.NotFound("Tenant property", w.unknownID(scenarios.TenantPropertyID, id))
	}
	return w.fixtures.TenantProperty(id, s.TenantPropertyShape()), nil
}

// forget deletes what the world remembers of a resource, and what was counted of it: a magic one is as new then, another
// one is gone. Its error when there is nothing to forget is an [*api.Error].
func (w *World) forget(ctx context.Context, kind scenarios.Kind, id string) error {
	var resource, counted bool
	err := w.amend(ctx, placeOf(kind, id), func(old []byte) ([]byte, error) {
		resource = old != nil
		return nil, nil
	})
	if err != nil {
		return err
	}
	err = w.update(ctx, tallyName(placeOf(kind, id)), func(old []byte) ([]byte, error) {
		counted = old != nil
		return nil, nil
	})
	if err != nil {
		return err
	}
	if !resource && !counted {
		return api.Because(http.StatusNotFound, fmt.Sprintf("Nothing is remembered of a %s %s", kind, api.Quote(id)))
	}
	return nil
}

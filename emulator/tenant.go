package emulator

import "github.com/understudy-sandbox/understudy/emulator/api"

// updateTenantProperty replaces a tenant property (spec 4.3).
func updateTenantProperty(c *call) (any, error) {
	in, notes, err := api.DecodeTenantPropertyUpdate(c.request)
	c.note(notes...)
	if err != nil {
		return nil, err
	}
	return c.world.UpdateTenantProperty(c.request.Context(), c.resourceID(), in)
}

package emulator

import "github.com/understudy-sandbox/understudy/emulator/api"

// updateTenantProperty replaces a tenant property (spec 4.3).
func updateTenantProperty(c *call) (any, error) {
	in, notes, err := api.DecodeTenantPropertyUpdate(c.request)
	if err := c.weigh(notes, err); err != nil {
		return nil, err
	}
	return c.world.UpdateTenantProperty(c.context, c.resourceID(), in)
}

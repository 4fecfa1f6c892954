package console

import "github.com/understudy-sandbox/understudy/emulator/api"

// tenantPage is what pages/tenant.html shows.
type tenantPage struct {
	api.TenantProperty
	liveView
	About []fact
	JSON  rawView
	Steer steerView
}

// showTenantProperty shows a tenant property.
func showTenantProperty(x *exchange) (answer, error) {
	p, err := x.world.TenantProperty(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	raw, err := x.raw(p)
	if err != nil {
		return nil, err
	}
	live, err := x.liveOf(liveView{}, raw.text, x.here("tenant-properties", p.ID))
	if err != nil {
		return nil, err
	}
	return page{name: "tenant", title: p.ID, data: tenantPage{
		TenantProperty: p, liveView: live, About: aboutTenantProperty(p), JSON: raw,
		Steer: x.steerView(`{"name": "Quay House", "city": null}`, "tenant-properties", p.ID),
	}}, nil
}

func aboutTenantProperty(p api.TenantProperty) []fact {
	return []fact{
		{"Name", said(p.Name)},
		{"Address", or(p.AddressLine1, "not stated", itself)},
		{"Second line", or(p.AddressLine2, "none", itself)},
		{"Third line", or(p.AddressLine3, "none", itself)},
		{"City", or(p.City, "not stated", itself)},
		{"State", or(p.State, "not stated", itself)},
		{"Postal code", or(p.PostalCode, "not stated", itself)},
		{"Status", said(p.Status)},
	}
}

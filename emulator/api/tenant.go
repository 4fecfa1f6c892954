package api

import "net/http"

// TenantProperty is a named property with an address (spec 2.5).
type TenantProperty struct {
	ID           string  `json:"id"`
	Name         string  `json:"name" spec:"not blank"`
	AddressLine1 *string `json:"address_line_1"`
	AddressLine2 *string `json:"address_line_2"`
	AddressLine3 *string `json:"address_line_3"`
	City         *string `json:"city"`
	PostalCode   *string `json:"postal_code"`
	State        *string `json:"state"`
	Status       string  `json:"status"`
}

// TenantPropertyUpdate is the body of an update, which replaces all of a property but its id and status (spec 4.3).
type TenantPropertyUpdate struct {
	Name         string
	AddressLine1 *string
	AddressLine2 *string
	AddressLine3 *string
	City         *string
	PostalCode   *string
	State        *string
}

// DecodeTenantPropertyUpdate reads and validates the body of an update. An error is an [*Error] with status 400.
func DecodeTenantPropertyUpdate(r *http.Request) (in TenantPropertyUpdate, notes []Note, err error) {
	body, err := readBody(r)
	if err != nil {
		return in, nil, err
	}
	in = TenantPropertyUpdate{
		Name:         body.text("name"),
		AddressLine1: body.optionalText("address_line_1"),
		AddressLine2: body.optionalText("address_line_2"),
		AddressLine3: body.optionalText("address_line_3"),
		City:         body.optionalText("city"),
		PostalCode:   body.optionalText("postal_code"),
		State:        body.optionalText("state"),
	}
	body.noteUnknown()
	notes, err = body.findings.result()
	return in, notes, err
}

// ApplyTo returns the property with the update's values: an optional key that was absent becomes null.
func (u TenantPropertyUpdate) ApplyTo(p TenantProperty) TenantProperty {
	return TenantProperty{
		ID:           p.ID,
		Name:         u.Name,
		AddressLine1: u.AddressLine1,
		AddressLine2: u.AddressLine2,
		AddressLine3: u.AddressLine3,
		City:         u.City,
		PostalCode:   u.PostalCode,
		State:        u.State,
		Status:       p.Status,
	}
}

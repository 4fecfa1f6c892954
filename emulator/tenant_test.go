package emulator_test

import "testing"

func TestPutReplacesATenantProperty(t *testing.T) {
	t.Parallel()
	c := start(t)
	first := c.Put("/tenant-properties/tp_default", `{"name":"Quay House","address_line_1":"1 Quay","address_line_2":"Floor 2",
		"address_line_3":"Rear","city":"Portland","postal_code":"97201","state":"OR"}`)
	wantStatus(t, first, 200, "")
	want := `{"id":"tp_default","name":"Quay House","address_line_1":"1 Quay","address_line_2":"Floor 2","address_line_3":"Rear",` +
		`"city":"Portland","postal_code":"97201","state":"OR","status":"active"}`
	if string(first.Body) != want {
		t.Errorf("%s, want %s", first.Body, want)
	}
	second := c.Put("/tenant-properties/tp_default", `{"name":"Quay","city":null}`)
	want = `{"id":"tp_default","name":"Quay","address_line_1":null,"address_line_2":null,"address_line_3":null,` +
		`"city":null,"postal_code":null,"state":null,"status":"active"}`
	if string(second.Body) != want {
		t.Errorf("contract 4: an absent optional field becomes null: %s, want %s", second.Body, want)
	}
}

func TestATenantPropertyUpdateIsValidated(t *testing.T) {
	t.Parallel()
	c := start(t)
	for body, diagnosis := range map[string]string{
		`{}`:                        "name is required",
		`{"name":null}`:             "name may not be null",
		`{"name":""}`:               "name may not be blank",
		`{"name":7}`:                "name must be a string, not a number",
		`{"name":"a","city":["b"]}`: "city must be a string, not an array",
		`{"name":"a","name":"b"}`:   `a key twice: "name"`,
		`[]`:                        "must be a JSON object, not an array",
	} {
		r := c.Put("/tenant-properties/tp_default", body)
		wantStatus(t, r, 400, "Invalid field values provided")
		wantDiagnosis(t, r, diagnosis)
	}
}

func TestAnUnknownTenantPropertyIs404(t *testing.T) {
	t.Parallel()
	wantStatus(t, start(t).Put("/tenant-properties/tp_nothing", `{"name":"Quay"}`), 404, "Tenant property not found")
}

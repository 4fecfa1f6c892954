package emulator_test

import "testing"

// Spec 4.3, 8 and 2.2: what the service never shows is refused here too, in the words of an update where it has some.
func TestFieldsAreNotSetToWhatTheServiceNeverShows(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, tt := range []struct{ path, body, message string }{
		{"tenant-properties/tp_default", `{"set":{"name":""}}`, "The body is not right: body:1:16: name may not be blank"},
		{"tenant-properties/tp_default", `{"set":{"name":" \t"}}`, "The body is not right: body:1:16: name may not be blank"},
		{"tenant-properties/tp_default", `{"set":{"name":null}}`, "The body is not right: body:1:16: may not be null"},
		{"verification-requests/vr_processing", `{"set":{"price":{"amount":"49.9"}}}`, "The body is not right: body:1:27: amount must have two decimals, such as 49.95"},
		{"verification-requests/vr_processing", `{"set":{"price":{"currency":"EUR"}}}`, `The body is not right: body:1:29: unknown value "EUR": must be one of USD`},
		{"verification-requests/vr_processing", `{"set":{"target":{"social_security_number":"000-12-3456"}}}`, `The body is not right: body:1:44: must be obfuscated, such as "***-**-1234": the API never shows more of a number`},
		{"verification-requests/vr_processing", `{"set":{"cancellation_details":"late"}}`, "Only a canceled request has a cancellation reason and details"},
		{"qualification-checks/qc_qualified", `{"set":{"qualification_check_set":{"income_multiple":"0.00"}}}`, "The body is not right: body:1:54: income_multiple must be above 0"},
		{"qualification-checks/qc_qualified", `{"set":{"qualification_check_set":{"income_multiple":"-2.5"}}}`, "The body is not right: body:1:54: income_multiple must be above 0"},
		{"qualification-checks/qc_qualified", `{"set":{"result":{"report_results":null}}}`, "The body is not right: body:1:36: may not be null: the empty list is []"},
	} {
		before := c.Get(control + tt.path).Body
		wantStatus(t, c.Send("PATCH", control+tt.path, tt.body), 400, tt.message)
		if after := c.Get(control + tt.path).Body; string(after) != string(before) {
			t.Errorf("%s: changed all the same", tt.body)
		}
	}
	r := c.Post(control+"tenant-properties", `{"tenant_property":{"set":{"name":""}}}`)
	wantStatus(t, r, 400, "The body is not right: body:1:35: name may not be blank")
}

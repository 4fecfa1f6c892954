package emulator_test

import (
	"strings"
	"testing"
)

// Spec 4.3, 8 and 2.2: what the service never shows is refused here too, in the words of an update where it has some.
func TestFieldsAreNotSetToWhatTheServiceNeverShows(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, tt := range []struct{ path, body, message string }{
		{"tenant-properties/tp_default", `{"set":{"name":""}}`, "The body is not right: body:1:16: name may not be blank"},
		{"tenant-properties/tp_default", `{"set":{"name":" \t"}}`, "The body is not right: body:1:16: name may not be blank"},
		{"tenant-properties/tp_default", `{"set":{"name":null}}`, "The body is not right: body:1:16: name may not be null"},
		{"verification-requests/vr_processing", `{"set":{"price":{"amount":"49.9"}}}`, "The body is not right: body:1:27: price.amount must have two decimals, such as 49.95"},
		{"verification-requests/vr_processing", `{"set":{"price":{"currency":"EUR"}}}`, `The body is not right: body:1:29: unknown value "EUR": must be one of USD`},
		{"verification-requests/vr_processing", `{"set":{"target":{"social_security_number":"000-12-3456"}}}`, `The body is not right: body:1:44: target.social_security_number must be obfuscated, such as "***-**-1234": the API never shows more of a number`},
		{"verification-requests/vr_processing", `{"set":{"cancellation_details":"late"}}`, "Only a canceled request has a cancellation reason and details"},
		{"qualification-checks/qc_qualified", `{"set":{"qualification_check_set":{"income_multiple":"0.00"}}}`, "The body is not right: body:1:54: qualification_check_set.income_multiple must be above 0"},
		{"qualification-checks/qc_qualified", `{"set":{"qualification_check_set":{"income_multiple":"007"}}}`, "The body is not right: body:1:54: \"007\" is not a decimal number such as 1234.50"},
		{"qualification-checks/qc_qualified", `{"set":{"qualification_check_set":{"income_multiple":"-2.5"}}}`, "The body is not right: body:1:54: qualification_check_set.income_multiple must be above 0"},
		{"qualification-checks/qc_qualified", `{"set":{"result":{"report_results":null}}}`, "The body is not right: body:1:36: result.report_results may not be null: the empty list is []"},
		{"verification-requests/vr_processing", `{"set":{"turnaround_time":{"best_estimate":"-1.00"}}}`, "The body is not right: body:1:44: turnaround_time.best_estimate may not be negative"},
		{"qualification-checks/qc_qualified", `{"set":{"property_details":{"rent":"-5.00"}}}`, "The body is not right: body:1:36: property_details.rent may not be negative"},
		{"qualification-checks/qc_qualified", `{"set":{"property_details":{"rent":"5"}}}`, "The body is not right: body:1:36: property_details.rent must have two decimals, such as 49.95"},
		{"qualification-checks/qc_qualified", `{"set":{"result":{"monthly_gross_income":"5"}}}`, "The body is not right: body:1:42: result.monthly_gross_income must have two decimals, such as 49.95"},
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

// A body in JSON has JSON's types; one in YAML reads every scalar by its text.
func TestABodyInJSONHasTheTypesOfJSON(t *testing.T) {
	t.Parallel()
	c := start(t)
	const wrong = "The body is not right: body:"
	for _, tt := range []struct{ method, path, body, message string }{
		{"PATCH", "verification-requests/vr_completed", `{"state":"processing","force":"true"}`, wrong + "1:31: force must be true or false, not a string"},
		{"PATCH", "verification-requests/vr_completed", `{"set":{"loan_id":7}}`, wrong + "1:19: set.loan_id must be a string, not a number"},
		{"PATCH", "verification-requests/vr_completed", `{"set":{"metadata":{"case":true}}}`, wrong + "1:28: set.metadata.case must be a string, not a boolean"},
		{"PATCH", "verification-requests/vr_completed", `{"set":{"target":{"company":{"id":"7"}}}}`, wrong + "1:35: set.target.company.id must be a number, not a string"},
		{"PATCH", "tenant-properties/tp_default", `{"set":{"name":7}}`, wrong + "1:16: set.name must be a string, not a number"},
		{"PATCH", "qualification-checks/qc_qualified", `{"set":{"metadata":{"case":7}}}`, wrong + "1:28: set.metadata.case must be a string, not a number"},
		{"POST", "verification-requests", `{"scenario":1}`, wrong + "1:13: scenario must be a string, not a number"},
		{"POST", "verification-requests", `{"id":true}`, wrong + "1:7: id must be a string, not a boolean"},
		{"POST", "verification-requests", `{"reports":[{"pay":{"paystubs":"3"}}]}`, wrong + "1:32: reports.0.pay.paystubs must be a number, not a string"},
		{"POST", "verification-requests", `{"reports":[{"pay":{"base":true}}]}`, wrong + "1:28: reports.0.pay.base must be a string, not a boolean"},
		{"POST", "tenant-properties", `{"scenario":false}`, wrong + "1:13: scenario must be a string, not a boolean"},
		{"POST", "qualification-checks", `{"id":7}`, wrong + "1:7: id must be a string, not a number"},
		{"POST", "faults", `{"rule":{"on":"get","respond":{"status":"500"}}}`, "The rule is not right: rule:1:33: respond.status must be a number, not a string"},
		{"PUT", "scenarios/mine", `{"name":7,"title":"a","magic":{"verification_request":"vr_a"}}`, "The scenario file is not right:\nmine.yaml:1:9: name must be a string, not a number"},
	} {
		r := c.Send(tt.method, control+tt.path, tt.body)
		if r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), tt.message) {
			t.Errorf("%s: %d %s", tt.body, r.Status, r.Body)
		}
	}
	for path, body := range map[string]string{
		"verification-requests": "{id: 7, verification_request: {set: {loan_id: 7}}, reports: [{pay: {base: 62000, paystubs: '3'}}]}",
		"tenant-properties":     "tenant_property: {set: {name: 7}}",
		"qualification-checks":  `{"qualification_check":{"rent":900},"reports":[{"pay":{"base":"62000.00"}}]}`, // amounts are both
	} {
		wantStatus(t, c.Post(control+path, body), 201, "")
	}
}

// Spec 2.2: fields of the body and reports of the scenario are held against each other.
func TestARequestIsMadeOfWhatGoesTogether(t *testing.T) {
	t.Parallel()
	c := start(t)
	r := c.Post(control+"verification-requests", `{"scenario":"lifecycle","verification_request":{"employer_filter":"previous-employers"},"reports":[{"employee":{"status_detail":"active"}}]}`)
	wantStatus(t, r, 400, "The request is not right at employer_filter: previous-employers leaves out report 1, whose status_detail is active: choose all-employers, or an inactive status_detail")
	wantStatus(t, c.Put(control+"snapshot", c.Get(control+"snapshot").Body), 200, "")
}

// Spec 2.2: what a state does not have is not set, and not shown either when the state comes later.
func TestWhatAStateDoesNotHaveIsNeitherSetNorShown(t *testing.T) {
	t.Parallel()
	c := start(t)
	const requests = control + "verification-requests"
	for _, tt := range []struct{ method, path, body, message string }{
		{"PATCH", "/vr_processing", `{"set":{"date_of_completion":"2025-01-15T09:30:00Z"}}`, "Only a completed request has a date_of_completion, and this one is processing"},
		{"PATCH", "/vr_completed", `{"set":{"date_of_completion":null}}`, "The date_of_completion of a completed request is not null: set an instant, or another state"},
		{"PATCH", "/vr_completed", `{"set":{"date_of_completion":"2020-01-01T00:00:00Z"}}`, "The date_of_completion, 2020-01-01T00:00:00Z, would be before the request was created, 2025-01-15T01:25:12Z: set a later one"},
		{"PATCH", "/vr_completed", `{"set":{"created":"2030-01-01T00:00:00Z"}}`, "The date_of_completion, 2025-01-15T09:30:00Z, would be before the request was created, 2030-01-01T00:00:00Z: set a later one"},
		{"PATCH", "/vr_completed", `{"state":"processing","force":true,"set":{"date_of_completion":"2025-01-15T09:30:00Z"}}`, "Only a completed request has a date_of_completion, and this one is processing"},
		{"POST", "", `{"scenario":"lifecycle","verification_request":{"set":{"date_of_completion":"2025-01-15T09:30:00Z"}}}`, "Only a completed request has a date_of_completion, and this one is pending-approval"},
		{"POST", "", `{"verification_request":{"set":{"cancellation_reason":"other"}}}`, "Only a canceled request has a cancellation reason and details"},
		{"POST", "", `{"id":"vr_early","verification_request":{"set":{"date_of_completion":"2020-01-01T00:00:00Z"}}}`, "The date_of_completion, 2020-01-01T00:00:00Z, would be before the request was created, 2025-01-14T23:34:12Z: set a later one"},
	} {
		before := c.Get(requests + "/vr_completed").Body
		wantStatus(t, c.Send(tt.method, requests+tt.path, tt.body), 400, tt.message)
		if after := c.Get(requests + "/vr_completed").Body; string(after) != string(before) {
			t.Errorf("%s: changed all the same", tt.body)
		}
	}
	wantStatus(t, c.Send("PATCH", requests+"/vr_completed", `{"set":{"date_of_completion":"2025-01-15T09:31:00Z"}}`), 200, "")
	if v := read(t, c, "vr_completed"); v.DateOfCompletion.Minute() != 31 {
		t.Errorf("completed at %s", v.DateOfCompletion)
	}

	wantStatus(t, c.Send("PATCH", requests+"/vr_processing", `{"state":"canceled","set":{"cancellation_reason":"other","cancellation_details":"late"}}`), 200, "")
	if v := read(t, c, "vr_processing"); *v.CancellationReason != "other" || *v.CancellationDetails != "late" {
		t.Errorf("canceled: %v, %v", v.CancellationReason, v.CancellationDetails)
	}
	wantStatus(t, c.Send("PATCH", requests+"/vr_processing", `{"state":"processing","force":true}`), 200, "")
	if v := read(t, c, "vr_processing"); v.CancellationReason != nil || v.CancellationDetails != nil {
		t.Errorf("processing again: %v, %v", *v.CancellationReason, *v.CancellationDetails)
	}
}

// A scenario file sets fields for the states to come: they are shown once the request is there.
func TestFieldsOfAScenarioAreShownInTheStateThatHasThem(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Put(control+"scenarios/mine", `
name: dated
title: A request whose completion has a date of its own
magic: {verification_request: vr_dated}
verification_request:
  set: {date_of_completion: "2026-01-01T00:00:00Z"}
  timeline: [{state: processing}, {state: completed, after: {reads: 1}}]
`), 200, "")
	if v := read(t, c, "vr_dated"); v.DateOfCompletion != nil {
		t.Errorf("processing: %s", v.DateOfCompletion)
	}
	if v := read(t, c, "vr_dated"); v.DateOfCompletion == nil || v.DateOfCompletion.Year() != 2026 {
		t.Errorf("completed: %v", v.DateOfCompletion)
	}
}

// What is refused for its size is called what it is.
func TestABodyThatIsTooLargeIsCalledABody(t *testing.T) {
	t.Parallel()
	c := start(t)
	r := c.Send("PATCH", control+"verification-requests/vr_completed", `{"set":{"additional_information":"`+strings.Repeat("x", 70_000)+`"}}`)
	wantStatus(t, r, 400, "The body is not right: body:1:1: it may have 65536 bytes and has 70037: leave something out")
}

func TestAQueryParameterIsSaidOnce(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{"worlds?limit=1&limit=2", "journal?limit=1&limit=1", "faults?limit=3&limit=4"} {
		wantStatus(t, c.Get(control+path), 400, "The query parameter limit is there more than once: say it once")
	}
}

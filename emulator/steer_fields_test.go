package emulator_test

import (
	"strings"
	"testing"
)

// playUnchanged plays each line for itself, and checks that it leaves some resources as they are.
func playUnchanged(t *testing.T, script string) {
	t.Helper()
	c := start(t)
	shown := func() (all string) {
		for _, path := range []string{"tenant-properties/tp_default", "verification-requests/vr_processing", "verification-requests/vr_completed", "qualification-checks/qc_qualified"} {
			all += string(c.Get(control+path).Body) + "\n"
		}
		return all
	}
	before := shown()
	for line := range strings.Lines(script) {
		playScript(t, c, line)
		if after := shown(); after != before {
			t.Fatalf("%s: changed all the same\n%s\nto\n%s", line, before, after)
		}
	}
}

// Spec 4.3, 8 and 2.2: what the service never shows is refused here too, in the words of an update where it has some.
func TestFields_are_not_set_to_what_the_service_never_shows(t *testing.T) {
	t.Parallel()
	playUnchanged(t, `
		PATCH tenant-properties/tp_default {"set":{"name":""}} → 400 The body is not right: body:1:16: name may not be blank
		PATCH tenant-properties/tp_default {"set":{"name":" \t"}} → 400 The body is not right: body:1:16: name may not be blank
		PATCH tenant-properties/tp_default {"set":{"name":null}} → 400 The body is not right: body:1:16: may not be null
		PATCH verification-requests/vr_processing {"set":{"price":{"amount":"49.9"}}} → 400 The body is not right: body:1:27: amount must have two decimals, such as 49.95
		PATCH verification-requests/vr_processing {"set":{"price":{"currency":"EUR"}}} → 400 The body is not right: body:1:29: unknown value "EUR": must be one of USD
		PATCH verification-requests/vr_processing {"set":{"target":{"social_security_number":"000-12-3456"}}} → 400 The body is not right: body:1:44: must be obfuscated, such as "***-**-1234": the API never shows more of a number
		PATCH verification-requests/vr_processing {"set":{"cancellation_details":"late"}} → 400 Only a canceled request has a cancellation reason and details
		PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"0.00"}}} → 400 The body is not right: body:1:54: income_multiple must be above 0
		PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"007"}}} → 400 The body is not right: body:1:54: "007" is not a decimal number such as 1234.50
		PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"-2.5"}}} → 400 The body is not right: body:1:54: income_multiple must be above 0
		PATCH qualification-checks/qc_qualified {"set":{"result":{"report_results":null}}} → 400 The body is not right: body:1:36: may not be null: the empty list is []
		PATCH verification-requests/vr_processing {"set":{"turnaround_time":{"best_estimate":"-1.00"}}} → 400 The body is not right: body:1:44: best_estimate may not be negative
		PATCH qualification-checks/qc_qualified {"set":{"property_details":{"rent":"-5.00"}}} → 400 The body is not right: body:1:36: rent may not be negative
		PATCH qualification-checks/qc_qualified {"set":{"property_details":{"rent":"5"}}} → 400 The body is not right: body:1:36: rent must have two decimals, such as 49.95
		PATCH qualification-checks/qc_qualified {"set":{"result":{"monthly_gross_income":"5"}}} → 400 The body is not right: body:1:42: monthly_gross_income must have two decimals, such as 49.95
		POST tenant-properties {"tenant_property":{"set":{"name":""}}} → 400 The body is not right: body:1:35: name may not be blank`)
}

// A body in JSON has JSON's types; one in YAML reads every scalar by its text.
func TestFields_in_JSON_have_the_types_of_JSON(t *testing.T) {
	t.Parallel()
	playUnchanged(t, `
		PATCH verification-requests/vr_completed {"state":"processing","force":"true"} → 400 The body is not right: body:1:31: force must be true or false, not a string
		PATCH verification-requests/vr_completed {"set":{"loan_id":7}} → 400 The body is not right: body:1:19: set.loan_id must be a string, not a number
		PATCH verification-requests/vr_completed {"set":{"metadata":{"case":true}}} → 400 The body is not right: body:1:28: set.metadata.case must be a string, not a boolean
		PATCH verification-requests/vr_completed {"set":{"target":{"company":{"id":"7"}}}} → 400 The body is not right: body:1:35: set.target.company.id must be a number, not a string
		PATCH tenant-properties/tp_default {"set":{"name":7}} → 400 The body is not right: body:1:16: set.name must be a string, not a number
		PATCH qualification-checks/qc_qualified {"set":{"metadata":{"case":7}}} → 400 The body is not right: body:1:28: set.metadata.case must be a string, not a number
		POST verification-requests {"scenario":1} → 400 The body is not right: body:1:13: scenario must be a string, not a number
		POST verification-requests {"id":true} → 400 The body is not right: body:1:7: id must be a string, not a boolean
		POST verification-requests {"reports":[{"pay":{"paystubs":"3"}}]} → 400 The body is not right: body:1:32: reports.0.pay.paystubs must be a number, not a string
		POST verification-requests {"reports":[{"pay":{"base":true}}]} → 400 The body is not right: body:1:28: reports.0.pay.base must be a string, not a boolean
		POST tenant-properties {"scenario":false} → 400 The body is not right: body:1:13: scenario must be a string, not a boolean
		POST qualification-checks {"id":7} → 400 The body is not right: body:1:7: id must be a string, not a number
		POST faults {"rule":{"on":"get","respond":{"status":"500"}}} → 400 The rule is not right: rule:1:33: respond.status must be a number, not a string
		PUT scenarios/mine {"name":7,"title":"a","magic":{"verification_request":"vr_a"}} → 400 …"The scenario file is not right:\nmine.yaml:1:9: name must be a string, not a number`)
	playScript(t, start(t), `
		POST verification-requests {id: 7, verification_request: {set: {loan_id: 7}}, reports: [{pay: {base: 62000, paystubs: '3'}}]} → 201
		POST tenant-properties tenant_property: {set: {name: 7}} → 201
		POST qualification-checks {"qualification_check":{"rent":900},"reports":[{"pay":{"base":"62000.00"}}]} → 201`) // amounts are both
}

// Spec 2.2: what a state does not have is not set, and not shown either when the state comes later; fields of the body and
// reports of the scenario are held against each other.
func TestFields_go_with_the_state(t *testing.T) {
	t.Parallel()
	playUnchanged(t, `
		PATCH verification-requests/vr_processing {"set":{"date_of_completion":"2025-01-15T09:30:00Z"}} → 400 Only a completed request has a date_of_completion, and this one is processing
		PATCH verification-requests/vr_completed {"set":{"date_of_completion":null}} → 400 The date_of_completion of a completed request is not null: set an instant, or another state
		PATCH verification-requests/vr_completed {"set":{"date_of_completion":"2020-01-01T00:00:00Z"}} → 400 The date_of_completion, 2020-01-01T00:00:00Z, would be before the request was created, 2025-01-15T01:25:12Z: set a later one
		PATCH verification-requests/vr_completed {"set":{"created":"2030-01-01T00:00:00Z"}} → 400 The date_of_completion, 2025-01-15T09:30:00Z, would be before the request was created, 2030-01-01T00:00:00Z: set a later one
		PATCH verification-requests/vr_completed {"state":"processing","force":true,"set":{"date_of_completion":"2025-01-15T09:30:00Z"}} → 400 Only a completed request has a date_of_completion, and this one is processing
		POST verification-requests {"scenario":"lifecycle","verification_request":{"set":{"date_of_completion":"2025-01-15T09:30:00Z"}}} → 400 Only a completed request has a date_of_completion, and this one is pending-approval
		POST verification-requests {"verification_request":{"set":{"cancellation_reason":"other"}}} → 400 Only a canceled request has a cancellation reason and details
		POST verification-requests {"id":"vr_early","verification_request":{"set":{"date_of_completion":"2020-01-01T00:00:00Z"}}} → 400 The date_of_completion, 2020-01-01T00:00:00Z, would be before the request was created, 2025-01-14T23:34:12Z: set a later one
		POST verification-requests {"scenario":"lifecycle","verification_request":{"employer_filter":"previous-employers"},"reports":[{"employee":{"status_detail":"active"}}]} → 400 The request is not right at employer_filter: previous-employers leaves out report 1, whose status_detail is active: choose all-employers, or an inactive status_detail`)
	c := start(t)
	playScript(t, c, `
		PATCH verification-requests/vr_completed {"set":{"date_of_completion":"2025-01-15T09:31:00Z"}} → 200
		GET /verification-requests/vr_completed → 200 date_of_completion=2025-01-15T09:31:00Z
		PATCH verification-requests/vr_processing {"state":"canceled","set":{"cancellation_reason":"other","cancellation_details":"late"}} → 200
		GET /verification-requests/vr_processing → 200 cancellation_reason=other cancellation_details=late
		PATCH verification-requests/vr_processing {"state":"processing","force":true} → 200
		GET /verification-requests/vr_processing → 200 cancellation_reason=null cancellation_details=null`)
	wantStatus(t, c.Put(control+"snapshot", c.Get(control+"snapshot").Body), 200, "")
	playScripts(t, map[string]string{"of a scenario are shown in the state that has them": `
		GET /verification-requests/vr_dated → 200 date_of_completion=null
		GET /verification-requests/vr_dated → 200 date_of_completion=2026-01-01T00:00:00Z`}, scenarioFile(t, `
name: dated
title: A request whose completion has a date of its own
magic: {verification_request: vr_dated}
verification_request:
  set: {date_of_completion: "2026-01-01T00:00:00Z"}
  timeline: [{state: processing}, {state: completed, after: {reads: 1}}]
`))
}

// What is refused for its size is called what it is.
func TestFields_body_that_is_too_large(t *testing.T) {
	t.Parallel()
	r := start(t).Send("PATCH", control+"verification-requests/vr_completed", `{"set":{"additional_information":"`+strings.Repeat("x", 70_000)+`"}}`)
	wantStatus(t, r, 400, "The body is not right: body:1:1: it may have 65536 bytes and has 70037: leave something out")
}

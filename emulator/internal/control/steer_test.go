package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

const byHand = `
name: by-hand
title: Somebody must act before it goes on
magic: {verification_request: vr_by_hand}
verification_request:
  timeline:
    - state: action-required
    - {state: processing, after: {manual: true}}
    - {state: completed, after: {elapsed: 2h}}
`

const noID = "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: choose another, or leave id out"

func TestSteerVerificationRequests(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"inspected": `
			GET verification-requests/vr_lifecycle_timed → 200 state=pending-approval
			GET /verification-requests/vr_lifecycle_timed → 200 state=pending-approval
			advance 90m
			GET verification-requests/vr_lifecycle_timed → 200 state=processing scenario=lifecycle-timed resource.id=vr_lifecycle_timed timeline.#=3 timeline.0.after=null timeline.1.after="after 1h" timeline.2.after="after 23h"
			GET verification-requests/vr_cancel_error_451 → 200 rules.#=1 rules.0="every cancel: 451 Unavailable For Legal Reasons"
			GET verification-requests/vr_lifecicle → 404 No verification request is "vr_lifecicle": did you mean vr_lifecycle?`,
		"of_a_session": `
			GET /verification-requests/vr_lifecycle → 200
			POST /credentials/session SESSION(000-00-1001) → 201
			GET verification-requests?state=pending-approval → 200 items.0.id={vr} items.0.credentials_session_id={cs}
			GET verification-requests/{vr} → 200 credentials_session_id={cs}
			GET credentials-sessions/{cs} → 200 id={cs} verification_request_id={vr} state=pending-approval scenario=lifecycle
			GET credentials-sessions → 200 items.#=1 items.0.id={cs} items.0.verification_request_id={vr} items.0.state=pending-approval items.0.scenario=lifecycle next=null
			GET credentials-sessions/cs_none → 404 There is no credentials session "cs_none": the list of credentials sessions has the ids`,
		"listed_in_pages": `
			GET /verification-requests/vr_lifecycle → 200
			GET /verification-requests/vr_lifecycle_timed → 200
			GET /verification-requests/vr_target_approval → 200
			GET /verification-requests/vr_service_canceled → 200
			GET /verification-requests/vr_completed → 200
			GET verification-requests?limit=2 → 200 items.#=2 items.0.id=vr_lifecycle items.1.id=vr_lifecycle_timed next=vr_lifecycle_timed
			GET verification-requests?limit=2&after=vr_lifecycle_timed → 200 items.#=2 items.0.id=vr_service_canceled items.1.id=vr_target_approval next=null
			GET verification-requests?state=processing → 200 items.#=2 items.0.id=vr_service_canceled items.1.id=vr_target_approval
			GET verification-requests?state=done → 400 unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`,
		"of_a_place_or_person_that_is_none": `
			POST verification-requests {"company":{"state":"Oregon"}} → 400 The body is invalid: body:1:13: company.state "Oregon" is not the code of a state: write OR
			POST verification-requests {"person":{"email":"nope"}} → 400 The body is invalid: body:1:12: person.email "nope" is not an e-mail address: write one such as ada@example.com
			POST verification-requests {"person":{"date_of_birth":"2090-01-01"}} → 400 The body is invalid: body:1:12: person.date_of_birth 2090-01-01 must be in the years 1900 to 2049
			POST qualification-checks {"company":{"state":"TX","zip_code":"97204"}} → 400 The body is invalid: body:1:26: company.zip_code "97204" is in OR, not in TX: change one of them
			POST verification-requests {"person":{"date_of_birth":"2030-01-01"}} → 201 diagnosis.0="target.date_of_birth 2030-01-01 makes the person 16 on 2046-01-01, too late for this employment: the report has none"
			POST verification-requests {"id":"vr_pr","company":{"state":"PR"}} → 201 resource.target.company.city="San Juan" resource.target.company.zip_code=00901
			PATCH verification-requests/vr_pr {"set":{"target":{"company":{"state":"ZZ"}}}} → 200 resource.target.company.state=ZZ`,
		"step_by_hand": `
			GET /verification-requests/vr_by_hand → 200 state=action-required
			GET /verification-requests/vr_by_hand → 200 state=action-required
			advance 100h
			GET /verification-requests/vr_by_hand → 200 state=action-required
			PATCH verification-requests/vr_by_hand {"state":"processing"} → 200 timeline.1.place=present timeline.2.place=next
			advance 2h
			GET /verification-requests/vr_by_hand → 200 state=completed reports.#=1`,
		"state_is_forced_only_when_that_is_said": `
			PATCH verification-requests/vr_completed {"state":"processing"} → 409 The request cannot become processing: nothing leaves completed, which is a terminal state (spec section 3); force it if that is meant
			PATCH verification-requests/vr_completed {"state":"canceled"} → 409 The request cannot become canceled: nothing leaves completed, which is a terminal state, but by a cancellation of the service (spec section 3, the row from any state); force it if that is meant
			PATCH verification-requests/vr_canceled {"state":"canceled"} → 409 The request cannot become canceled: nothing leaves canceled, which is a terminal state (spec section 3); force it if that is meant
			PATCH verification-requests/vr_completed {"state":"processing","force":true} → 200 state=processing
			GET /verification-requests/vr_completed → 200 state=processing date_of_completion=null reports=null
			PATCH verification-requests/vr_completed {"state":"canceled","cancellation_reason":"competitor","cancellation_details":"late"} → 200 resource.state=canceled resource.cancellation_reason=competitor resource.cancellation_details=late
			PATCH verification-requests/vr_completed {"state":"done"} → 400 The body is invalid: body:1:10: unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled
			PATCH verification-requests/vr_completed {"state":"processing","cancellation_reason":"other"} → 400 The body is invalid: body:1:1: only a canceled request has a cancellation reason and details
			PATCH verification-requests/vr_completed {"state":"canceled","cancellation_reason":"no-match"} → 400 The body is invalid: body:1:43: unknown value "no-match" for cancellation_reason: must be one of immediate, high-turnaround-time, competitor, wrong-info, other
			PATCH verification-requests/vr_completed {} → 400 The body is invalid: body:1:1: needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}
			PATCH verification-requests/vr_completed → 400 The body is missing: send a JSON object
			PATCH verification-requests/vr_completed {"set":{"id":"vr_other"}} → 400 The body is invalid: body:1:9: set may not set id: it follows from elsewhere
			PATCH verification-requests/vr_completed {"set":{"colour":"red"}} → 400 The body is invalid: body:1:9: unknown field "colour" in set: the fields here are created, date_of_completion, type, use_case, permissible_purpose, price, turnaround_time, branch_id, loan_id, additional_information, cancellation_reason, cancellation_details, documents, metadata, request_parameters, reseller_originating_party, target
			PATCH verification-requests/vr_completed {"set":{"loan_idd":"vr"}} → 400 The body is invalid: body:1:9: unknown field "loan_idd": did you mean loan_id?
			PATCH verification-requests/vr_completed {"set":{"type":"salaries"}} → 400 The body is invalid: body:1:16: unknown value "salaries" for type: must be one of employment-income, employment, tenant-screening, assets
			PATCH verification-requests/vr_none {"state":"processing"} → 404 No verification request is "vr_none"
			DELETE verification-requests/vr_completed → 204
			GET /verification-requests/vr_completed → 200 state=completed
			DELETE verification-requests/vr_completed → 404 No verification request "vr_completed" is stored in this world`,
		"created with a timeline": `
			POST verification-requests {"id":"vr_own","verification_request":{"timeline":[{"state":"pending-approval"},{"state":"processing","after":{"reads":2}},{"state":"canceled","after":{"elapsed":"1h"},"cancellation_reason":"competitor"}]}} → 201 state=pending-approval timeline.#=3 timeline.1.after="after 2 reads"
			GET /verification-requests/vr_own → 200 state=pending-approval
			GET /verification-requests/vr_own → 200 state=pending-approval
			GET /verification-requests/vr_own → 200 state=processing
			advance 1h
			GET /verification-requests/vr_own → 200 state=canceled cancellation_reason=competitor
			POST verification-requests {"id":"vr_later","scenario":"lifecycle","state":"processing","verification_request":{"timeline":[{"state":"processing"},{"state":"completed","after":{"manual":true}}]}} → 201 state=processing scenario=lifecycle timeline.#=2 timeline.0.place=present timeline.1.after="by hand"
			PATCH verification-requests/vr_later {"state":"completed"} → 200 state=completed timeline.1.place=present
			POST verification-requests {"id":"vr_old","verification_request":{"completed":"90 days ago"}} → 201 state=completed
			GET /verification-requests/vr_old?income_analytics=true → 200 reports.0.income_analytics.annualized_income.stale_data_warning=true
			POST verification-requests {"verification_request":{"timeline":[{"state":"completed"},{"state":"processing"}]}} → 400 The body is invalid: body:1:60: a step needs after, which takes one of {reads: 1}, {elapsed: 10m} and {manual: true}: write after: {elapsed: 10m}
			POST verification-requests {"verification_request":{"timeline":[{"state":"completed"},{"state":"processing","after":{"reads":1}}]}} → 400 The body is invalid: body:1:60: nothing leaves completed, which is a terminal state (spec section 3)`,
		"created": `
			POST verification-requests {"id":"vr_new","scenario":"lifecycle"} → 201 state=pending-approval scenario=lifecycle timeline.#=3
			GET /verification-requests/vr_new → 200 state=pending-approval
			GET /verification-requests/vr_new → 200 state=processing
			GET /verification-requests/vr_new → 200 state=completed
			POST verification-requests {"verification_request":{"type":"employment","use_case":"background","set":{"loan_id":"7"}},"state":"processing"} → 201
			GET /verification-requests/{vr} → 200 state=processing type=employment loan_id=7
			POST verification-requests {} → 201 state=completed resource.reports.#=1
			POST verification-requests {"scenario":"flaky"} → 201
			GET /verification-requests/{vr} → 500
			PATCH verification-requests/vr_new {"set":{"branch_id":null,"target":{"first_name":"Ada"}}} → 200 resource.branch_id=null resource.target.first_name=Ada
			GET /verification-requests/vr_new → 200 target.first_name=Ada
			POST verification-requests {"id":"vr_new"} → 409 The id vr_new is taken: choose another
			POST verification-requests {"id":"vr_completed"} → 409 The id vr_completed is taken: choose another
			POST verification-requests {"id":"vr new"} → 400 ` + noID + `
			POST verification-requests {"id":"."} → 400 ` + noID + `
			POST verification-requests {"id":".."} → 400 ` + noID + `
			POST verification-requests {"id":""} → 400 ` + noID + `
			POST verification-requests {"scenario":""} → 400 scenario must not be empty: name one of GET scenarios, or leave it out
			POST verification-requests {"scenario":"lifecicle"} → 404 There is no scenario "lifecicle": did you mean lifecycle?
			POST verification-requests {"reports":[{"pay":{"base":"1"}}]} → 400 The body is invalid: body:1:21: base must be a year's pay, from 1000.00 to 100000000.00`,
	}, lab.ScenarioFile(t, byHand))
}

func TestSteerTenantPropertiesAndQualificationChecks(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{"served": `
		POST tenant-properties {"id":"tp_mine"} → 201
		PUT /tenant-properties/tp_mine {"name":"Quay"} → 200
		POST qualification-checks {"id":"qc_mine","scenario":"not-qualified"} → 201
		GET /qualification-checks/qc_mine → 200 result.outcome=not_qualified`}
	for kind, new := range map[string]*strings.Replacer{
		"tenant-properties":    strings.NewReplacer("ID", "tp_new", "BODY", `{"id":"tp_new","tenant_property":{"set":{"status":"archived"}}}`, "SET", `{"set":{"city":"Duluth"}}`, "SHOWN", `"city":"Duluth"`),
		"qualification-checks": strings.NewReplacer("ID", "qc_new", "BODY", `{"id":"qc_new","qualification_check":{"kind":"guarantor","rent":900}}`, "SET", `{"set":{"metadata":{"case":"7"}}}`, "SHOWN", `"case":"7"`),
	} {
		scripts[kind] = strings.ReplaceAll(new.Replace(`
			POST KIND BODY → 201
			POST KIND BODY → 409 The id ID is taken: choose another
			POST KIND {} → 201
			PATCH KIND/ID SET → 200 …SHOWN
			GET KIND/ID → 200 …SHOWN
			GET KIND?limit=1 → 200 …"next":"
			PATCH KIND/ID {} → 400 The body is invalid: body:1:1: needs what is to change, such as {"set":{...}}
			DELETE KIND/ID → 204
			GET KIND/ID → 404`), "KIND", kind)
	}
	lab.PlayScripts(t, scripts)
}

// An inspected request shows all the rules that apply to it, and the source of each.
func TestSteerInspectRules(t *testing.T) {
	t.Parallel()
	const (
		cancel, once  = `"every cancel: 500 Internal Server Error (fault-1)"`, `"every get while processing, once: 501 Not Implemented (fault-3)"`
		first, second = `"the first call: 500 Internal Server Error"`, `"call 2: 429 Too Many Requests"`
		each          = `"every call: delayed by 1ms (scenario slow-world, for every call)"`
	)
	lab.PlayScript(t, lab.Start(t), `
		PUT scenarios/slow-world {"name":"slow-world","title":"Every call takes its time","rules":[{"on":"any","delay":{"fixed":"1ms"}},{"on":"update","respond":{"status":500}}]} → 200
		POST faults {"rule":{"on":"cancel","respond":{"status":500}}} → 201
		POST faults {"rule":{"on":"update","respond":{"status":500}}} → 201
		POST faults {"rule":{"on":"get","state":["processing"],"respond":{"status":501},"times":1}} → 201
		GET verification-requests/vr_flaky → 200 rules.#=5 rules.0=`+cancel+` rules.1=`+once+` rules.2=`+first+` rules.3=`+second+` rules.4=`+each+`
		GET /verification-requests/vr_processing → 501
		GET verification-requests/vr_flaky → 200 rules.#=4 rules.0=`+cancel+` rules.1=`+first+` rules.2=`+second+` rules.3=`+each)
}

// Deleting a magic resource resets the counters of its rules, also when nothing else was stored.
func TestSteerDeleteResetsCounters(t *testing.T) {
	t.Parallel()
	const twice = "ASK → 500 Internal server error\nDELETE PATH → 204\nASK → 500 Internal server error\nDELETE PATH → 204\nDELETE PATH → 404\nASK → 500 Internal server error\n"
	scripts := make(map[string]string)
	for path, ask := range map[string]string{
		"verification-requests/vr_flaky": "GET /verification-requests/vr_flaky",
		"tenant-properties/tp_once":      `PUT /tenant-properties/tp_once {"name":"Quay"}`,
		"qualification-checks/qc_once":   "GET /qualification-checks/qc_once",
	} {
		scripts[path] = strings.NewReplacer("ASK", ask, "PATH", path).Replace(twice)
		if path != "verification-requests/vr_flaky" {
			scripts[path] += ask + " → 200"
		}
	}
	lab.PlayScripts(t, scripts, lab.ScenarioFile(t, `
name: once-property
title: A property whose first update fails
magic: {tenant_property: tp_once}
rules: [{on: update, calls: 1, respond: {status: 500}}]
---
name: once-check
title: A check whose first read fails
magic: {qualification_check: qc_once}
rules: [{on: get, calls: 1, respond: {status: 500}}]
`))
}

// A session or a resource that would get an id that is already taken gets the next one (spec 4.4 lists no 500 for it).
func TestSteerTakenID(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	first, second := apitest.New(t, url, lab.Key), apitest.New(t, url, "svc_sk_test_other") // worlds that generate the same ids
	id := lab.RequestOf(t, first, lab.Create(t, first, lab.Session("000-12-3456")))
	lab.WantStatus(t, second.Post(lab.Control+"verification-requests", `{"id":"`+id+`","state":"invalid"}`), 201, "")
	if passed := lab.RequestOf(t, second, lab.Create(t, second, lab.Session("000-12-3456"))); passed == id {
		t.Errorf("both are %s", id)
	}
	for _, kind := range []string{"verification-requests", "tenant-properties", "qualification-checks"} {
		made := lab.NewID(t, first, kind, `{}`)
		given, passed := lab.NewID(t, second, kind, `{"id":"`+made+`"}`), lab.NewID(t, second, kind, `{}`)
		if given != made || passed == made {
			t.Errorf("%s: %q made, %q given, then %q", kind, made, given, passed)
		}
	}
}

// Two worlds whose resources are stored alike follow each its own world scenario of the same name.
func TestWorldScenariosDiffer(t *testing.T) {
	t.Parallel()
	const file = `{"name":"mine","title":"mine","magic":{"verification_request":"vr_pattern"},"verification_request":{"timeline":[{"state":"processing"},{"state":"%s","after":{"elapsed":"%s"}}]}}`
	scripts := make(map[string]string)
	for name, tt := range map[string][3]string{
		"first": {"completed", "1h", "2025-01-15T10:30:00.000000Z"}, "second": {"canceled", "2h", "null"}, "third": {"completed", "3h", "2025-01-15T12:30:00.000000Z"},
	} {
		scripts[name] = fmt.Sprintf(`
			PUT scenarios/mine %s → 200
			POST verification-requests {"id":"vr_mine","scenario":"mine"} → 201
			PUT scenarios/mine %s → 200
			advance 7h
			GET /verification-requests/vr_mine → 200 state=%[3]s date_of_completion=%[4]s
			GET verification-requests/vr_mine → 200 state=%[3]s`,
			fmt.Sprintf(file, "completed", "1h"), fmt.Sprintf(file, tt[0], tt[1]), tt[0], tt[2])
	}
	lab.PlayScripts(t, scripts)
}

// playUnchanged plays each line by itself, and checks that it changes no resource.
func playUnchanged(t *testing.T, script string) {
	t.Helper()
	c := lab.Start(t)
	shown := func() (all string) {
		for _, path := range []string{"tenant-properties/tp_default", "verification-requests/vr_processing", "verification-requests/vr_completed", "qualification-checks/qc_qualified"} {
			all += string(c.Get(lab.Control+path).Body) + "\n"
		}
		return all
	}
	before := shown()
	for line := range strings.Lines(script) {
		lab.PlayScript(t, c, line)
		if after := shown(); after != before {
			t.Fatalf("%s: changed all the same\n%s\nto\n%s", line, before, after)
		}
	}
}

// Values that the service never shows (spec 2.2, 4.3 and 8) are refused.
func TestFieldsRefused(t *testing.T) {
	t.Parallel()
	playUnchanged(t, `
		PATCH tenant-properties/tp_default {"set":{"name":""}} → 400 The body is invalid: body:1:16: name may not be blank
		PATCH tenant-properties/tp_default {"set":{"name":" \t"}} → 400 The body is invalid: body:1:16: name may not be blank
		PATCH tenant-properties/tp_default {"set":{"name":null}} → 400 The body is invalid: body:1:16: name may not be null
		PATCH verification-requests/vr_processing {"set":{"price":{"amount":"49.9"}}} → 400 The body is invalid: body:1:27: price.amount must have two decimals, such as 49.95
		PATCH verification-requests/vr_processing {"set":{"price":{"currency":"EUR"}}} → 400 The body is invalid: body:1:29: unknown value "EUR" for currency: must be one of USD
		PATCH verification-requests/vr_processing {"set":{"target":{"social_security_number":"000-12-3456"}}} → 400 The body is invalid: body:1:44: target.social_security_number must be obfuscated, such as "***-**-1234": the API never shows more of a number
		PATCH verification-requests/vr_processing {"set":{"cancellation_details":"late"}} → 400 Only a canceled request has a cancellation reason and details
		PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"0.00"}}} → 400 The body is invalid: body:1:54: qualification_check_set.income_multiple must be above 0
		PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"007"}}} → 400 The body is invalid: body:1:54: income_multiple "007" is not a decimal number such as 1234.50
		PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"-2.5"}}} → 400 The body is invalid: body:1:54: qualification_check_set.income_multiple must be above 0
		PATCH qualification-checks/qc_qualified {"set":{"result":{"report_results":null}}} → 400 The body is invalid: body:1:36: result.report_results may not be null: the empty list is []
		PATCH verification-requests/vr_processing {"set":{"turnaround_time":{"best_estimate":"-1.00"}}} → 400 The body is invalid: body:1:44: turnaround_time.best_estimate may not be negative
		PATCH qualification-checks/qc_qualified {"set":{"property_details":{"rent":"-5.00"}}} → 400 The body is invalid: body:1:36: property_details.rent may not be negative
		PATCH qualification-checks/qc_qualified {"set":{"property_details":{"rent":"5"}}} → 400 The body is invalid: body:1:36: property_details.rent must have two decimals, such as 49.95
		PATCH qualification-checks/qc_qualified {"set":{"result":{"monthly_gross_income":"5"}}} → 400 The body is invalid: body:1:42: result.monthly_gross_income must have two decimals, such as 49.95
		POST tenant-properties {"tenant_property":{"set":{"name":""}}} → 400 The body is invalid: body:1:35: name may not be blank`)
}

// A JSON body has JSON's types; a YAML body reads every scalar by its text.
func TestFieldsJSONTypes(t *testing.T) {
	t.Parallel()
	playUnchanged(t, `
		PATCH verification-requests/vr_completed {"state":"processing","force":"true"} → 400 The body is invalid: body:1:31: force must be true or false, not a string
		PATCH verification-requests/vr_completed {"set":{"loan_id":7}} → 400 The body is invalid: body:1:19: set.loan_id must be a string, not a number
		PATCH verification-requests/vr_completed {"set":{"metadata":{"case":true}}} → 400 The body is invalid: body:1:28: set.metadata.case must be a string, not a boolean
		PATCH verification-requests/vr_completed {"set":{"target":{"company":{"id":"7"}}}} → 400 The body is invalid: body:1:35: set.target.company.id must be a number, not a string
		PATCH tenant-properties/tp_default {"set":{"name":7}} → 400 The body is invalid: body:1:16: set.name must be a string, not a number
		PATCH qualification-checks/qc_qualified {"set":{"metadata":{"case":7}}} → 400 The body is invalid: body:1:28: set.metadata.case must be a string, not a number
		POST verification-requests {"scenario":1} → 400 The body is invalid: body:1:13: scenario must be a string, not a number
		POST verification-requests {"id":true} → 400 The body is invalid: body:1:7: id must be a string, not a boolean
		POST verification-requests {"reports":[{"pay":{"paystubs":"3"}}]} → 400 The body is invalid: body:1:32: reports.0.pay.paystubs must be a number, not a string: write "paystubs":26
		POST verification-requests {"reports":[{"pay":{"base":true}}]} → 400 The body is invalid: body:1:28: reports.0.pay.base must be a string, not a boolean
		POST tenant-properties {"scenario":false} → 400 The body is invalid: body:1:13: scenario must be a string, not a boolean
		POST qualification-checks {"id":7} → 400 The body is invalid: body:1:7: id must be a string, not a number
		POST faults {"rule":{"on":"get","respond":{"status":"500"}}} → 400 The rule is invalid: rule:1:33: respond.status must be a number, not a string: write "status":500
		PUT scenarios/mine {"name":7,"title":"a","magic":{"verification_request":"vr_a"}} → 400 …"The scenario file is invalid:\nmine.yaml:1:9: name must be a string, not a number`)
	lab.PlayScript(t, lab.Start(t), `
		POST verification-requests {id: 7, verification_request: {set: {loan_id: 7}}, reports: [{pay: {base: 62000, paystubs: '3'}}]} → 201
		POST tenant-properties tenant_property: {set: {name: 7}} → 201
		POST qualification-checks {"qualification_check":{"rent":900},"reports":[{"pay":{"base":"62000.00"}}]} → 201`) // an amount may be a number or a string
}

// A field that a state does not have (spec 2.2) cannot be set, and is not shown when the state changes later. Fields of the
// body must agree with the reports of the scenario.
func TestFieldsByState(t *testing.T) {
	t.Parallel()
	playUnchanged(t, `
		PATCH verification-requests/vr_processing {"set":{"date_of_completion":"2025-01-15T09:30:00Z"}} → 400 Only a completed request has a date_of_completion, and this one is processing
		PATCH verification-requests/vr_completed {"set":{"date_of_completion":null}} → 400 The date_of_completion of a completed request is not null: set an instant, or another state
		PATCH verification-requests/vr_completed {"set":{"date_of_completion":"2020-01-01T00:00:00Z"}} → 400 The date_of_completion, 2020-01-01T00:00:00.000000Z, would be before the request was created, 2025-01-15T01:25:11.425055Z: set a later one
		PATCH verification-requests/vr_completed {"set":{"created":"2030-01-01T00:00:00Z"}} → 400 The date_of_completion, 2025-01-15T09:30:00.000000Z, would be before the request was created, 2030-01-01T00:00:00.000000Z: set a later one
		PATCH verification-requests/vr_completed {"state":"processing","force":true,"set":{"date_of_completion":"2025-01-15T09:30:00Z"}} → 400 Only a completed request has a date_of_completion, and this one is processing
		POST verification-requests {"scenario":"lifecycle","verification_request":{"set":{"date_of_completion":"2025-01-15T09:30:00Z"}}} → 400 Only a completed request has a date_of_completion, and this one is pending-approval
		POST verification-requests {"verification_request":{"set":{"cancellation_reason":"other"}}} → 400 Only a canceled request has a cancellation reason and details
		POST verification-requests {"id":"vr_early","verification_request":{"set":{"date_of_completion":"2020-01-01T00:00:00Z"}}} → 400 The date_of_completion, 2020-01-01T00:00:00.000000Z, would be before the request was created, 2025-01-14T23:34:11.726442Z: set a later one
		POST verification-requests {"scenario":"lifecycle","verification_request":{"employer_filter":"previous-employers"},"reports":[{"employee":{"status_detail":"active"}}]} → 400 The request is invalid at employer_filter: previous-employers excludes report 1, whose status_detail is active: choose all-employers, or an inactive status_detail`)
	c := lab.Start(t)
	lab.PlayScript(t, c, `
		PATCH verification-requests/vr_completed {"set":{"date_of_completion":"2025-01-15T09:31:00Z"}} → 200
		GET /verification-requests/vr_completed → 200 date_of_completion=2025-01-15T09:31:00.000000Z
		PATCH verification-requests/vr_processing {"state":"canceled","set":{"cancellation_reason":"other","cancellation_details":"late"}} → 200
		GET /verification-requests/vr_processing → 200 cancellation_reason=other cancellation_details=late
		PATCH verification-requests/vr_processing {"state":"processing","force":true} → 200
		GET /verification-requests/vr_processing → 200 cancellation_reason=null cancellation_details=null`)
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", c.Get(lab.Control+"snapshot").Body), 200, "")
	lab.PlayScripts(t, map[string]string{"of a scenario are shown in the state that has them": `
		GET /verification-requests/vr_dated → 200 date_of_completion=null
		GET /verification-requests/vr_dated → 200 date_of_completion=2026-01-01T00:00:00.000000Z`}, lab.ScenarioFile(t, `
name: dated
title: A request whose completion has a date of its own
magic: {verification_request: vr_dated}
verification_request:
  set: {date_of_completion: "2026-01-01T00:00:00Z"}
  timeline: [{state: processing}, {state: completed, after: {reads: 1}}]
`))
}

// A body that is too large is refused with 413, whatever its type.
func TestFieldsBodyTooLarge(t *testing.T) {
	t.Parallel()
	r := lab.Start(t).Send("PATCH", lab.Control+"verification-requests/vr_completed", `{"set":{"additional_information":"`+strings.Repeat("x", 70_000)+`"}}`)
	lab.WantStatus(t, r, 400, "The body is invalid: body:1:1: it may have 65536 bytes (64 KiB) and has 70037: leave something out")
}

// A resource is not made of a scenario for another kind of resource, and none is found with it.
func TestScenarioOfAnotherKind(t *testing.T) {
	t.Parallel()
	lab.PlayScript(t, lab.Start(t), `
		POST verification-requests {"scenario":"tenant-property"} → 400 The scenario tenant-property describes a tenant property, not a verification request: name one such as employed-89-days
		POST verification-requests {"scenario":"qualified"} → 400 The scenario qualified describes a qualification check, not a verification request: name one such as employed-89-days
		POST qualification-checks {"scenario":"lifecycle"} → 400 The scenario lifecycle describes a verification request, not a qualification check: name one such as ratio-0-4000
		POST qualification-checks {"scenario":"error-404"} → 400 The scenario error-404 describes a verification request, not a qualification check: name one such as ratio-0-4000
		POST qualification-checks {"scenario":"person-inactive","reports":[{}]} → 400 The scenario person-inactive describes a verification request, not a qualification check: name one such as ratio-0-4000
		POST tenant-properties {"scenario":"qualified"} → 400 The scenario qualified describes a qualification check, not a tenant property: name one such as tenant-property
		GET verification-requests?scenario=qualified → 400 The scenario qualified describes a qualification check, not a verification request: name one such as employed-89-days
		POST verification-requests {"scenario":"person-inactive"} → 201
		PUT scenarios/busy {"name":"busy","title":"Busy","rules":[{"on":"any","times":1,"respond":{"status":429}}]} → 200
		POST tenant-properties {"scenario":"busy"} → 400 The scenario busy describes rules for every call, not a tenant property: name one such as tenant-property
		PUT scenarios/both {"name":"both","title":"Both","magic":{"verification_request":"vr_both","qualification_check":"qc_both"}} → 200
		POST verification-requests {"scenario":"both"} → 201
		POST qualification-checks {"scenario":"both"} → 201`)
}

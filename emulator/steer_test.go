package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

const (
	control = "/_understudy/v1/"
	noID    = "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: choose another, or leave id out"
)

type inspected struct {
	State    api.State `json:"state"`
	Scenario string    `json:"scenario"`
	Session  *string   `json:"credentials_session_id"`
	Timeline []struct {
		State api.State `json:"state"`
		After *string   `json:"after"`
		Place string    `json:"place"`
		At    *string   `json:"at"`
	} `json:"timeline"`
	Rules    []string                `json:"rules"`
	Resource api.VerificationRequest `json:"resource"`
}

func inspect(t *testing.T, r *apitest.Response) (v inspected) {
	t.Helper()
	wantStatus(t, r, 200, "")
	r.JSON(&v)
	return v
}

// Contract 6: inspect with timeline; and looking moves nothing.
func TestAVerificationRequestIsInspectedWithItsTimeline(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = control + "verification-requests/vr_lifecycle_timed"
	inspect(t, c.Get(path))
	read(t, c, "vr_lifecycle_timed")
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"90m"}`), 200, "")
	v := inspect(t, c.Get(path))
	var got []string
	for _, step := range v.Timeline {
		said := fmt.Sprint(step.Place, " ", step.State)
		if step.After != nil {
			said += " " + *step.After
		}
		if step.At != nil {
			said += " at " + *step.At
		}
		got = append(got, said)
	}
	want := []string{
		"past pending-approval at 2025-01-15T09:30:00Z",
		"present processing after 1h at 2025-01-15T10:30:00Z",
		"next completed after 23h at 2025-01-16T09:30:00Z",
	}
	if diff := cmp.Diff(want, got); diff != "" || v.State != api.StateProcessing || v.Scenario != "lifecycle-timed" || v.Resource.ID != "vr_lifecycle_timed" {
		t.Errorf("%+v %s", v, diff)
	}
	if v := inspect(t, c.Get(control+"verification-requests/vr_cancel_error_451")); len(v.Rules) != 1 || v.Rules[0] != "every cancel: 451 Unavailable For Legal Reasons" {
		t.Errorf("rules %q", v.Rules)
	}
	wantStatus(t, c.Get(control+"verification-requests/vr_lifecicle"), 404, `No verification request is "vr_lifecicle": did you mean vr_lifecycle?`)
}

func TestASessionLeadsToItsVerificationRequest(t *testing.T) {
	t.Parallel()
	c := start(t)
	s := create(t, c, session("000-12-3456"))
	r := c.Get(control + "verification-requests?state=completed")
	if !strings.Contains(string(r.Body), `"id":"`+requestOf(s)+`"`) || !strings.Contains(string(r.Body), `"credentials_session_id":"`+s.ID+`"`) {
		t.Errorf("listed: %s", r.Body)
	}
	if v := inspect(t, c.Get(control+"verification-requests/"+requestOf(s))); v.Session == nil || *v.Session != s.ID {
		t.Errorf("inspected: %+v", v)
	}
}

func TestRememberedRequestsAreListedInPages(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, id := range []string{"vr_lifecycle", "vr_lifecycle_timed", "vr_target_approval", "vr_service_canceled", "vr_completed"} {
		read(t, c, id)
	}
	ids := func(query string) (ids []string, next *string) {
		var p struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
			Next *string `json:"next"`
		}
		r := c.Get(control + "verification-requests" + query)
		wantStatus(t, r, 200, "")
		r.JSON(&p)
		for _, item := range p.Items {
			ids = append(ids, item.ID)
		}
		return ids, p.Next
	}
	first, next := ids("?limit=2")
	if diff := cmp.Diff([]string{"vr_lifecycle", "vr_lifecycle_timed"}, first); diff != "" || next == nil {
		t.Fatalf("the first page: %s, next %v", diff, next)
	}
	second, last := ids("?limit=2&after=" + *next)
	if diff := cmp.Diff([]string{"vr_service_canceled", "vr_target_approval"}, second); diff != "" || last != nil {
		t.Errorf("the last page: %s, next %v", diff, last)
	}
	processing, _ := ids("?state=processing")
	if diff := cmp.Diff([]string{"vr_service_canceled", "vr_target_approval"}, processing); diff != "" {
		t.Errorf("in processing: %s", diff)
	}
	wantStatus(t, c.Get(control+"verification-requests?state=done"), 400,
		`There is no state "done": it is one of pending-approval, action-required, processing, completed, invalid, canceled`)
}

// Issue: a step that waits for a hand is taken by the control plane, and the timeline goes on from there.
func TestAStepByHandIsTakenByTheControlPlane(t *testing.T) {
	t.Parallel()
	c := start(t, scenarioFile(t, `
name: by-hand
title: Somebody must act before it goes on
magic: {verification_request: vr_by_hand}
verification_request:
  timeline:
    - state: action-required
    - {state: processing, after: {manual: true}}
    - {state: completed, after: {elapsed: 2h}}
`))
	const path = control + "verification-requests/vr_by_hand"
	if diff := cmp.Diff([]api.State{"action-required", "action-required"}, states(t, c, "vr_by_hand", 2)); diff != "" {
		t.Error(diff)
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"100h"}`), 200, "")
	if state := read(t, c, "vr_by_hand").State; state != api.StateActionRequired {
		t.Errorf("time alone takes it to %s", state)
	}
	if v := inspect(t, c.Send("PATCH", path, `{"state":"processing"}`)); v.Timeline[1].Place != "present" || v.Timeline[2].Place != "next" {
		t.Errorf("%+v", v)
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"2h"}`), 200, "")
	if v := read(t, c, "vr_by_hand"); v.State != api.StateCompleted || len(v.Reports) != 1 {
		t.Errorf("at last: %s with %d reports", v.State, len(v.Reports))
	}
}

func TestAStateIsForcedOnlyWhenThatIsSaid(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = control + "verification-requests/vr_completed"
	wantStatus(t, c.Send("PATCH", path, `{"state":"processing"}`), 409,
		"The request cannot become processing: nothing leaves completed, which is a terminal state (spec section 3); force it if that is meant")
	if v := inspect(t, c.Send("PATCH", path, `{"state":"processing","force":true}`)); v.State != api.StateProcessing {
		t.Errorf("forced: %+v", v)
	}
	if v := read(t, c, "vr_completed"); v.State != api.StateProcessing || v.DateOfCompletion != nil || v.Reports != nil {
		t.Errorf("a read shows %s, completed %v", v.State, v.DateOfCompletion)
	}
	canceled := inspect(t, c.Send("PATCH", path, `{"state":"canceled","cancellation_reason":"competitor","cancellation_details":"late"}`))
	if v := canceled.Resource; v.State != api.StateCanceled || *v.CancellationReason != "competitor" || *v.CancellationDetails != "late" {
		t.Errorf("canceled: %+v", v)
	}
	for body, message := range map[string]string{
		`{"state":"done"}`: `The body is not right: body:1:10: unknown value "done": must be one of pending-approval, action-required, invalid, processing, completed, canceled`,
		`{"state":"processing","cancellation_reason":"other"}`:  "The body is not right: body:1:1: only a canceled request has a cancellation reason and details",
		`{"state":"canceled","cancellation_reason":"no-match"}`: `The body is not right: body:1:43: unknown value "no-match": must be one of immediate, high-turnaround-time, competitor, wrong-info, other`,
		`{}`:                          `The body is not right: body:1:1: needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}`,
		``:                            `The body is missing: send a JSON object`,
		`{"set":{"id":"vr_other"}}`:   `The body is not right: body:1:9: set may not set id: it follows from elsewhere`,
		`{"set":{"colour":"red"}}`:    `The body is not right: body:1:9: unknown field "colour": the fields here are created, date_of_completion, type, use_case, permissible_purpose, price, turnaround_time, branch_id, loan_id, additional_information, cancellation_reason, cancellation_details, documents, metadata, request_parameters, reseller_originating_party, target`,
		`{"set":{"loan_idd":"vr"}}`:   `The body is not right: body:1:9: unknown field "loan_idd": did you mean loan_id?`,
		`{"set":{"type":"salaries"}}`: `The body is not right: body:1:16: unknown value "salaries": must be one of employment-income, employment, tenant-screening, assets`,
	} {
		wantStatus(t, c.Send("PATCH", path, body), 400, message)
	}
	wantStatus(t, c.Send("PATCH", control+"verification-requests/vr_none", `{"state":"processing"}`), 404, `No verification request is "vr_none"`)
	wantStatus(t, c.Send("DELETE", path, nil), 204, "")
	if v := read(t, c, "vr_completed"); v.State != api.StateCompleted {
		t.Errorf("forgotten, it is %s", v.State)
	}
	wantStatus(t, c.Send("DELETE", path, nil), 404, `Nothing is remembered of a verification request "vr_completed"`)
}

// Contract 6: create from a scenario and/or explicit fields, id optional.
func TestAVerificationRequestIsCreatedFromAScenarioOrFields(t *testing.T) {
	t.Parallel()
	c := start(t)
	post := func(body string) inspected {
		t.Helper()
		r := c.Post(control+"verification-requests", body)
		wantStatus(t, r, 201, "")
		var v inspected
		r.JSON(&v)
		return v
	}
	moving := post(`{"id":"vr_new","scenario":"lifecycle"}`)
	if moving.State != api.StatePendingApproval || moving.Scenario != "lifecycle" || len(moving.Timeline) != 3 {
		t.Errorf("%+v", moving)
	}
	if diff := cmp.Diff([]api.State{"pending-approval", "processing", "completed"}, states(t, c, "vr_new", 3)); diff != "" {
		t.Error(diff)
	}
	fields := post(`{"verification_request":{"type":"employment","use_case":"background","set":{"loan_id":"7"}},"state":"processing"}`)
	if v := read(t, c, fields.Resource.ID); v.State != api.StateProcessing || v.Type != api.TypeEmployment || *v.LoanID != "7" {
		t.Errorf("%+v", v)
	}
	if again := post(`{}`); again.Resource.ID == fields.Resource.ID || again.State != api.StateCompleted || len(again.Resource.Reports) != 1 {
		t.Errorf("%+v", again)
	}
	if ruled := post(`{"scenario":"flaky"}`); c.Get("/verification-requests/"+ruled.Resource.ID).Status != 500 {
		t.Error("the rules of its scenario do not go with it")
	}
	changed := inspect(t, c.Send("PATCH", control+"verification-requests/vr_new", `{"set":{"branch_id":null,"target":{"first_name":"Ada"}}}`))
	if changed.Resource.BranchID != nil || changed.Resource.Target.FirstName != "Ada" || changed.Resource.Target.LastName == "" {
		t.Errorf("%+v", changed.Resource.Target)
	}
	if v := read(t, c, "vr_new"); v.Target.FirstName != "Ada" {
		t.Errorf("a read shows %s", v.Target.FirstName)
	}
	for body, message := range map[string]string{
		`{"id":"vr_new"}`:                    "The id vr_new is taken: choose another",
		`{"id":"vr_completed"}`:              "The id vr_completed is taken: choose another",
		`{"id":"vr new"}`:                    noID,
		`{"id":"."}`:                         noID,
		`{"id":".."}`:                        noID,
		`{"id":""}`:                          noID,
		`{"scenario":""}`:                    "scenario must not be empty: name one of GET scenarios, or leave it out",
		`{"scenario":"lifecicle"}`:           `There is no scenario "lifecicle": did you mean lifecycle?`,
		`{"reports":[{"pay":{"base":"1"}}]}`: "The body is not right: body:1:21: base is a year's pay, from 1000.00 to 100000000.00",
	} {
		if r := c.Post(control+"verification-requests", body); r.Status < 400 || r.ErrorMessage() != message {
			t.Errorf("%s: %d %s", body, r.Status, r.Body)
		}
	}
}

func TestTenantPropertiesAndQualificationChecksAreSteeredAlike(t *testing.T) {
	t.Parallel()
	c := start(t)
	for kind, tt := range map[string]struct{ body, path, set, shown string }{
		"tenant-properties":    {`{"id":"tp_new","tenant_property":{"set":{"status":"archived"}}}`, "tenant-properties/tp_new", `{"set":{"city":"Duluth"}}`, `"city":"Duluth"`},
		"qualification-checks": {`{"id":"qc_new","qualification_check":{"kind":"guarantor","rent":900}}`, "qualification-checks/qc_new", `{"set":{"metadata":{"case":"7"}}}`, `"case":"7"`},
	} {
		wantStatus(t, c.Post(control+kind, tt.body), 201, "")
		wantStatus(t, c.Post(control+kind, tt.body), 409, "The id "+strings.Split(tt.path, "/")[1]+" is taken: choose another")
		wantStatus(t, c.Post(control+kind, `{}`), 201, "")
		if r := c.Send("PATCH", control+tt.path, tt.set); r.Status != 200 || !strings.Contains(string(r.Body), tt.shown) {
			t.Errorf("%s: %d %s", kind, r.Status, r.Body)
		}
		shown := c.Get(control + tt.path)
		if !strings.Contains(string(shown.Body), tt.shown) {
			t.Errorf("%s: %s", kind, shown.Body)
		}
		if r := c.Get(control + kind + "?limit=1"); r.Status != 200 || !strings.Contains(string(r.Body), `"next":"`) {
			t.Errorf("%s: %d %s", kind, r.Status, r.Body)
		}
		wantStatus(t, c.Send("PATCH", control+tt.path, `{}`), 400, `The body is not right: body:1:1: needs what is to change, such as {"set":{...}}`)
		wantStatus(t, c.Send("DELETE", control+tt.path, nil), 204, "")
		if r := c.Get(control + tt.path); r.Status != 404 {
			t.Errorf("%s: deleted, %d %s", kind, r.Status, r.Body)
		}
	}
	wantStatus(t, c.Post(control+"tenant-properties", `{"id":"tp_mine"}`), 201, "")
	wantStatus(t, c.Put("/tenant-properties/tp_mine", `{"name":"Quay"}`), 200, "")
	wantStatus(t, c.Post(control+"qualification-checks", `{"id":"qc_mine","scenario":"not-qualified"}`), 201, "")
	if r := c.Get("/qualification-checks/qc_mine"); r.Status != 200 || !strings.Contains(string(r.Body), `"outcome":"not_qualified"`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

func TestSessionsAreListedWithTheirRequests(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_lifecycle")
	s := create(t, c, session("000-00-1001"))
	r := c.Get(control + "credentials-sessions/" + s.ID)
	wantStatus(t, r, 200, "")
	for _, part := range []string{`"id":"` + s.ID + `"`, `"verification_request_id":"` + requestOf(s) + `"`, `"state":"pending-approval"`, `"scenario":"lifecycle"`} {
		if !strings.Contains(string(r.Body), part) {
			t.Errorf("not shown: %s in %s", part, r.Body)
		}
	}
	if all := c.Get(control + "credentials-sessions"); string(all.Body) != `{"items":[`+string(r.Body)+`],"next":null}` {
		t.Errorf("listed: %s", all.Body)
	}
	wantStatus(t, c.Get(control+"credentials-sessions/cs_none"), 404, `There is no credentials session "cs_none"`)
}

// Contract 6: inspect tells all the rules that are judged for the request, and where each comes from.
func TestARequestIsInspectedWithAllRulesThatApplyToIt(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Put(control+"scenarios/mine", `
name: slow-world
title: Every call takes its time
rules:
  - {on: any, delay: {fixed: 1ms}}
  - {on: update, respond: {status: 500}}
`), 200, "")
	putFault(t, c, `{"rule":{"on":"cancel","respond":{"status":500}}}`)
	putFault(t, c, `{"rule":{"on":"update","respond":{"status":500}}}`)
	putFault(t, c, `{"rule":{"on":"get","state":["processing"],"respond":{"status":501},"times":1}}`)
	const path = control + "verification-requests/vr_flaky"
	want := []string{
		"every cancel: 500 Internal Server Error (fault-1)",
		"every get while processing, once: 501 Not Implemented (fault-3)",
		"the first call: 500 Internal Server Error",
		"call 2: 429 Too Many Requests",
		"every call: held back for 1ms (scenario slow-world, for every call)",
	}
	if diff := cmp.Diff(want, inspect(t, c.Get(path)).Rules); diff != "" {
		t.Error(diff)
	}
	c.Get("/verification-requests/vr_processing") // uses one up
	if diff := cmp.Diff(slices.Delete(want, 1, 2), inspect(t, c.Get(path)).Rules); diff != "" {
		t.Errorf("later:\n%s", diff)
	}
}

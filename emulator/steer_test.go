package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

const (
	control = "/_understudy/v1/"
	noID    = "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: choose another, or leave id out"
)

// clockOf returns what the control plane shows of a clock.
func clockOf(t *testing.T, r *apitest.Response) (now string, frozen bool) {
	t.Helper()
	wantStatus(t, r, 200, "")
	var clock struct {
		Now    string `json:"now"`
		Frozen bool   `json:"frozen"`
	}
	r.JSON(&clock)
	return clock.Now, clock.Frozen
}

// Contract 6: PUT clock, POST clock/advance.
func TestAWorldsClockIsSetAdvancedStoppedAndRunOn(t *testing.T) {
	t.Parallel()
	wall := epoch
	url := serve(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return wall }}))
	c, other := apitest.New(t, url, key), apitest.New(t, url, "svc_sk_test_other")
	want := func(r *apitest.Response, now string, frozen bool) {
		t.Helper()
		if got, stands := clockOf(t, r); got != now || stands != frozen {
			t.Errorf("the clock shows %s, frozen %t; want %s, %t", got, stands, now, frozen)
		}
	}
	want(c.Get(control+"clock"), "2025-01-15T09:30:00Z", false)
	want(c.Put(control+"clock", `{"frozen":true}`), "2025-01-15T09:30:00Z", true)
	wall = wall.Add(time.Hour)
	want(c.Get(control+"clock"), "2025-01-15T09:30:00Z", true)
	want(c.Post(control+"clock/advance", `{"by":"36h"}`), "2025-01-16T21:30:00Z", true)
	want(c.Put(control+"clock", `{"now":"2025-03-01T02:00:00+02:00"}`), "2025-03-01T00:00:00Z", true)
	want(c.Put(control+"clock", `{"frozen":false}`), "2025-03-01T00:00:00Z", false)
	wall = wall.Add(time.Minute)
	want(c.Get(control+"clock"), "2025-03-01T00:01:00Z", false)
	want(c.Post(control+"clock/advance", `{"by":"1h"}`), "2025-03-01T01:01:00Z", false)
	want(other.Get(control+"clock"), "2025-01-15T10:31:00Z", false)

	if date := c.Get("/verification-requests/vr_completed").Header.Get("Date"); date != "Sat, 01 Mar 2025 01:01:00 GMT" {
		t.Errorf("an answer of that world has the date %s", date)
	}
	wantStatus(t, c.Put(control+"clock", `{"now":"2025-02-01T00:00:00Z"}`), 409,
		"The clock shows 2025-03-01T01:01:00Z and does not go back: reset the world first")
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	want(c.Get(control+"clock"), "2025-01-15T10:31:00Z", false)
}

func TestWhatNoClockCanShowIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	for body, message := range map[string]string{
		`{}`:                                `Say what the clock is set to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both`,
		`{"now":"yesterday"}`:               "The body cannot be read: ",
		`{"frozen":"yes"}`:                  "The body cannot be read: ",
		`{"noww":"2025-01-15T09:00:00Z"}`:   "The body cannot be read: unknown key at \"/noww\"",
		`{"now":"9999-01-01T00:00:00Z"}`:    "The clock goes to the year 9990 only",
		`[]`:                                "The body cannot be read: ",
		``:                                  "The body cannot be read: ",
		`{"now":"2025-01-15T09:29:59.99Z"}`: "The clock shows 2025-01-15T09:30:00Z and does not go back: reset the world first",
	} {
		if r := c.Put(control+"clock", body); r.Status < 400 || !strings.HasPrefix(r.ErrorMessage(), message) {
			t.Errorf("%s: %d %s", body, r.Status, r.Body)
		}
	}
	for body, message := range map[string]string{
		`{"by":"-1h"}`:          "The body cannot be read: is not a span of time such as 90s, 10m or 48h at \"/by\"",
		`{"by":"soon"}`:         "The body cannot be read: is not a span of time such as 90s, 10m or 48h at \"/by\"",
		`{}`:                    `Say by how much the clock is advanced: {"by":"36h"}`,
		`{"by":"70000000h"}`:    "The body cannot be read: is not a span of time such as 90s, 10m or 48h at \"/by\"",
		`{"by":"1h","to":"2h"}`: "The body cannot be read: unknown key at \"/to\"",
	} {
		wantStatus(t, c.Post(control+"clock/advance", body), 400, message)
	}
	if now, _ := clockOf(t, c.Get(control+"clock")); now != "2025-01-15T09:30:00Z" {
		t.Errorf("the clock shows %s", now)
	}
}

// Contract 5, vr_lifecycle_timed: each step at its own instant, also several in one advance.
func TestTimedStepsFireWhenTheClockPassesThem(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_lifecycle_timed") // begins it
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"59m59s"}`), 200, "")
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StatePendingApproval {
		t.Errorf("a second before the hour: %s", state)
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"1s"}`), 200, "")
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StateProcessing {
		t.Errorf("at the hour: %s", state)
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"100h"}`), 200, "")
	v := read(t, c, "vr_lifecycle_timed")
	if v.State != api.StateCompleted || v.DateOfCompletion.String() != "2025-01-16 09:30:00 +0000 UTC" {
		t.Errorf("after days: %s at %v, want completed a day after it began", v.State, v.DateOfCompletion)
	}
}

func TestAResetWorldIsAsNew(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	want := tour(c)
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"36h"}`), 200, "")
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	if diff := cmp.Diff(string(want), string(tour(c))); diff != "" {
		t.Errorf("the second tour differs from the first:\n%s", diff)
	}
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	if r := c.Get(control + "verification-requests"); string(r.Body) != `{"items":[],"next":null}` {
		t.Errorf("it remembers %s", r.Body)
	}
}

// No request sees half of a reset: a lifecycle that is read through it shows its steps from the first on, each at most
// once between two resets.
func TestAResetIsSeenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			wantStatus(t, c.Post(control+"reset", nil), 200, "")
		}
	}()
	seen := make(map[api.State]int)
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		for state, n := range inParallel(16, func() api.State { return read(t, c, "vr_lifecycle").State }) {
			seen[state] += n
		}
	}
	if seen["pending-approval"] > 101 || seen["processing"] > 101 {
		t.Errorf("in 101 lives: %v", seen)
	}
}

func TestWorldsAreListedWithMaskedKeysAndForgotten(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for i := range 5 {
		c := apitest.New(t, url, fmt.Sprintf("svc_sk_test_suite_%04d", i))
		read(t, c, "vr_lifecycle")
	}
	c := apitest.New(t, url, "")
	type page struct {
		Items []struct {
			ID    string `json:"id"`
			Key   string `json:"key"`
			Clock struct {
				Now string `json:"now"`
			} `json:"clock"`
		} `json:"items"`
		Next *string `json:"next"`
	}
	keys := make(map[string]string)
	for path := control + "worlds?limit=2"; path != ""; {
		r := c.Get(path)
		wantStatus(t, r, 200, "")
		if strings.Contains(string(r.Body), "suite") {
			t.Errorf("the list tells keys: %s", r.Body)
		}
		var p page
		r.JSON(&p)
		for _, w := range p.Items {
			shown, of, _ := strings.Cut(w.Key, "#")
			if keys[shown] = w.ID; len(of) != 4 || !strings.HasPrefix(w.ID, of) {
				t.Errorf("world %s has the key %s", w.ID, w.Key)
			}
		}
		path = ""
		if p.Next != nil {
			path = control + "worlds?limit=2&after=" + *p.Next
		}
	}
	if len(keys) != 5 || keys["svc_sk_test_…0003"] == "" {
		t.Fatalf("listed: %v", keys)
	}
	id := keys["svc_sk_test_…0003"]
	if now, _ := clockOf(t, c.Get(control+"clock?world="+id)); now != "2025-01-15T09:30:00Z" {
		t.Errorf("named by its id: %s", now)
	}
	wantStatus(t, c.Send("DELETE", control+"worlds/"+id, nil), 204, "")
	wantStatus(t, c.Send("DELETE", control+"worlds/"+id, nil), 404, `There is no world "`+id+`"`)
	wantStatus(t, c.Get(control+"clock?world="+id), 404, `There is no world "`+id+`"`)
	again := apitest.New(t, url, "svc_sk_test_suite_0003")
	if state := read(t, again, "vr_lifecycle").State; state != api.StatePendingApproval {
		t.Errorf("a forgotten world goes on: %s", state)
	}
	wantStatus(t, c.Get(control+"worlds?limit=0"), 400, "limit must be a number from 1 to 1000")
	wantStatus(t, c.Get(control+"clock"), 401, message401+": send one header Authorization: Bearer svc_sk_test_...")
}

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
		``:                            `The body is not right: body:1:1: must be one document, such as a JSON object`,
		`{"set":{"id":"vr_other"}}`:   `The body is not right: body:1:9: set may not set id: it follows from elsewhere`,
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

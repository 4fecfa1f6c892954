package emulator_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store"
)

// scenarioFile adds a scenario file to the built-in ones.
func scenarioFile(t *testing.T, text string) emulator.Option {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "own.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return emulator.WithScenarios(folder)
}

// statuses returns the status of each of a number of calls.
func statuses(calls int, call func() *apitest.Response) (all []int) {
	for range calls {
		all = append(all, call().Status)
	}
	return all
}

func TestARuleAnswersInItsOwnWordsAndIsNamedInTheDiagnosis(t *testing.T) {
	t.Parallel()
	c := start(t, scenarioFile(t, `
name: busy
title: Busy
magic: {verification_request: vr_busy}
rules:
  - {on: get, calls: 2-3, respond: {status: 429, message: Come back later, headers: {retry-after: "7", X-Queue: long}}}
`)).Without(apitest.Headers)
	wantStatus(t, c.Get("/verification-requests/vr_busy"), 200, "")
	wantStatus(t, c.Get("/verification-requests/vr_busy"), 429, "Come back later")
	r := c.Get("/verification-requests/vr_busy")
	wantStatus(t, r, 429, "Come back later")
	wantDiagnosis(t, r, "scenario busy answers so, by its rule at ")
	wantDiagnosis(t, r, "own.yaml:6:5, at call 3")
	if r.Header.Get("Retry-After") != "7" || r.Header.Get("X-Queue") != "long" || r.Header.Get("Understudy-Scenario") != "busy" {
		t.Errorf("headers %v", r.Header)
	}
	wantStatus(t, c.Get("/verification-requests/vr_busy"), 200, "")
}

func TestARuleIsMetInTheStateThatTheCallFinds(t *testing.T) {
	t.Parallel()
	c := start(t, scenarioFile(t, `
name: fragile
title: Fails once while it is processed
magic: {verification_request: vr_fragile}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}, {state: completed, after: {reads: 1}}]
rules:
  - {on: any, state: processing, calls: 1, respond: {status: 500}}
`))
	got := statuses(4, func() *apitest.Response { return c.Get("/verification-requests/vr_fragile?fields=state") })
	if diff := cmp.Diff([]int{200, 200, 500, 200}, got); diff != "" {
		t.Error(diff)
	}
	if state := read(t, c, "vr_fragile").State; state != api.StateCompleted {
		t.Errorf("at last it is %s", state)
	}
}

func TestARuleWithoutMagicValueIsForEveryCallOfAWorld(t *testing.T) {
	t.Parallel()
	url := serve(t, scenarioFile(t, `
name: shaky
title: Every third call of anything fails
rules:
  - {on: any, every: 3, respond: {status: 500}}
`))
	c := apitest.New(t, url, key)
	got := []int{
		c.Get("/verification-requests/vr_completed").Status,
		c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`).Status,
		c.Post("/credentials/session", session("000-12-3456")).Status,
		c.Get("/qualification-checks/qc_qualified").Status,
		c.Get("/verification-requests/vr_error_404").Status, // an id's own rules come first, and all count
		c.Get("/verification-requests/vr_unknown").Status,
	}
	if diff := cmp.Diff([]int{200, 200, 500, 200, 404, 500}, got); diff != "" {
		t.Error(diff)
	}
	other := apitest.New(t, url, "svc_sk_test_other")
	if r := other.Get("/verification-requests/vr_completed"); r.Status != 200 {
		t.Errorf("another world counts with this one: %d", r.Status)
	}
}

func TestARuleForAKeyIsForKeysOfItsPattern(t *testing.T) {
	t.Parallel()
	url := serve(t, scenarioFile(t, `
name: down
title: Nothing works with such a key
magic: {api_key: "*_down"}
rules:
  - {on: any, respond: {status: 500, message: Maintenance}}
`))
	for name, status := range map[string]int{"ci_down": 500, "_down": 500, "down": 200, "ci_down_2": 200} {
		if r := apitest.New(t, url, "svc_sk_test_"+name).Get("/verification-requests/vr_completed"); r.Status != status {
			t.Errorf("%s: %d, want %d", name, r.Status, status)
		}
	}
}

func TestALimitOfARuleAnswers429WithTheTimeToWait(t *testing.T) {
	t.Parallel()
	c := start(t, scenarioFile(t, `
name: slow-lane
title: Two updates in ten seconds
magic: {tenant_property: tp_slow_lane}
rules:
  - {on: update, limit: 2/10s}
`))
	update := func() *apitest.Response { return c.Put("/tenant-properties/tp_slow_lane", `{"name":"Quay"}`) }
	if diff := cmp.Diff([]int{200, 200}, statuses(2, update)); diff != "" {
		t.Error(diff)
	}
	r := update()
	wantStatus(t, r, 429, message429)
	wantDiagnosis(t, r, "above 2/10s on the world's clock, which is frozen")
	if r.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After: %s", r.Header.Get("Retry-After"))
	}
}

func TestRulesOfANumberCountItsSessions(t *testing.T) {
	t.Parallel()
	c := start(t, scenarioFile(t, `
name: second-try
title: The first session fails, and the request of the second cannot be canceled at once
magic: {ssn: 000-00-7001}
verification_request: {timeline: [{state: processing}]}
rules:
  - {on: create, calls: 1, respond: {status: 500}}
  - {on: cancel, calls: 1, respond: {status: 403}}
`))
	wantStatus(t, c.Post("/credentials/session", session("000-00-7001")), 500, "Internal server error")
	wantStatus(t, c.Post("/credentials/session", "{}"), 400, "Invalid field values provided") // contract 4: the body comes before the number
	id := requestOf(create(t, c, session("000007001")))
	got := statuses(3, func() *apitest.Response { return c.Put("/verification-requests/"+id+"/cancel", cancelOther) })
	if diff := cmp.Diff([]int{403, 200, 400}, got); diff != "" {
		t.Error(diff)
	}
}

// Contract 4: rules keyed by the id come before the body is looked at.
func TestRulesOfAnIDComeBeforeTheBody(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Put("/tenant-properties/tp_error_451", "no JSON"), 451, "The social security number is frozen")
}

func TestWhatWasCountedOutlivesARestart(t *testing.T) {
	t.Parallel()
	spec := "file:" + filepath.Join(t.TempDir(), "worlds.db")
	own := scenarioFile(t, `
name: third
title: The third call fails
magic: {verification_request: vr_third}
verification_request: {timeline: [{state: processing}, {state: completed, after: {reads: 3}}]}
rules:
  - {on: get, calls: 3, respond: {status: 500}}
`)
	var got []int
	for range 5 {
		s, err := store.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		e, err := emulator.New(emulator.WithStore(s), emulator.WithClock(emulator.FrozenAt(epoch)), own)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, askDirectly(e, key, "/verification-requests/vr_third").Code)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]int{200, 200, 500, 200, 200}, got); diff != "" {
		t.Error(diff)
	}
}

func TestACallThatNothingCountsCostsNoWrite(t *testing.T) {
	t.Parallel()
	var counting countingStore
	c := start(t, counting.option(t), scenarioFile(t, `
name: once
title: The first call fails
magic: {verification_request: vr_once}
rules:
  - {on: get, calls: 1, respond: {status: 500}}
  - {on: get, delay: {fixed: 1ns}}
  - {on: cancel, calls: 5, respond: {status: 500}}
`))
	get := func() *apitest.Response { return c.Get("/verification-requests/vr_once") }
	wantStatus(t, get(), 500, "Internal server error")
	before := counting.updates.Load()
	if before != 1 { // the world and the call together
		t.Errorf("%d writes for the first call", before)
	}
	if diff := cmp.Diff([]int{200, 200, 200}, statuses(3, get)); diff != "" {
		t.Error(diff)
	}
	if after := counting.updates.Load(); after != before {
		t.Errorf("%d writes for reads that nothing counts", after-before)
	}
}

// reset and empty come instead of what is asked; the other faults only spoil the answer to it.
func TestAFaultPreventsTheCallOrSpoilsItsAnswer(t *testing.T) {
	t.Parallel()
	for fault, state := range map[string]api.State{
		"connection-reset": "processing", "empty": "processing",
		"truncated": "canceled", "malformed": "canceled", "dribble": "canceled",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			url := serve(t, (&pauses{}).option(), scenarioFile(t, `
name: torn
title: The first cancel meets a fault
magic: {verification_request: vr_torn}
verification_request: {timeline: [{state: processing}]}
rules:
  - {on: cancel, calls: 1, fault: `+fault+`}
`))
			request, err := http.NewRequest(http.MethodPut, url+"/verification-requests/vr_torn/cancel", strings.NewReader(cancelOther))
			if err != nil {
				t.Fatal(err)
			}
			request.GetBody = nil // so that nothing sends it again
			request.Header.Set("Authorization", "Bearer "+key)
			request.Header.Set("Content-Type", "application/json")
			if response, err := http.DefaultClient.Do(request); err == nil {
				response.Body.Close()
			}
			if got := read(t, apitest.New(t, url, key), "vr_torn").State; got != state {
				t.Errorf("afterwards the request is %s, want %s", got, state)
			}
		})
	}
}

func TestAScenarioWhoseTimelineWasCutShortIsServedOn(t *testing.T) {
	t.Parallel()
	spec := "file:" + filepath.Join(t.TempDir(), "worlds.db")
	for _, timeline := range []string{
		"[{state: pending-approval}, {state: processing, after: {reads: 1}}, {state: action-required, after: {reads: 1}}]",
		"[{state: pending-approval}]",
	} {
		s, err := store.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		e, err := emulator.New(emulator.WithStore(s), scenarioFile(t, "name: cut\ntitle: t\nmagic: {verification_request: vr_cut}\nverification_request: {timeline: "+timeline+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if answer := askDirectly(e, key, "/verification-requests/vr_cut"); answer.Code != 200 {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

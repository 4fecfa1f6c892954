package rules_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

const ruledFiles = `
name: busy
title: Busy
magic: {verification_request: vr_busy}
rules:
  - {on: get, calls: 2-3, respond: {status: 429, message: Come back later, headers: {retry-after: "7", X-Queue: long}}}
---
name: fragile
title: Fails once while it is processed
magic: {verification_request: vr_fragile}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}, {state: completed, after: {reads: 1}}]
rules:
  - {on: any, state: processing, calls: 1, respond: {status: 500}}
---
name: down
title: Nothing works with such a key
magic: {api_key: "*_down"}
rules:
  - {on: any, respond: {status: 500, message: Maintenance}}
---
name: by-kind
title: Each kind of resource has its own failure
magic: {api_key: "wof_a_kind_meets*"}
rules:
  - {on: get qualification_check, calls: 2, respond: {status: 500}}
  - {on: any tenant_property, respond: {status: 403}}
  - {on: create credentials_session, respond: {status: 429}}
---
name: slow-lane
title: Two updates in ten seconds
magic: {tenant_property: tp_slow_lane}
rules:
  - {on: update, limit: 2/10s}
---
name: second-try
title: The first session fails, and the request of the second cannot be canceled at once
magic: {ssn: 000-00-7001}
verification_request: {timeline: [{state: processing}]}
rules:
  - {on: create, calls: 1, respond: {status: 500}}
  - {on: cancel, calls: 1, respond: {status: 403}}
`

func TestRule(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, lab.ScenarioFile(t, ruledFiles))
	for name, script := range map[string]string{
		"is met in the state that the call finds": `
			GET /verification-requests/vr_fragile?fields=state → 200
			GET /verification-requests/vr_fragile?fields=state → 200
			GET /verification-requests/vr_fragile?fields=state → 500
			GET /verification-requests/vr_fragile?fields=state → 200
			GET /verification-requests/vr_fragile?fields=state → 200 state=completed`,
		"of a kind meets and counts the calls for this kind only": `
			GET /verification-requests/vr_completed → 200
			GET /qualification-checks/qc_qualified → 200
			GET /verification-requests/vr_completed → 200
			GET /qualification-checks/qc_qualified → 500
			GET /verification-requests/vr_completed → 200
			PUT /tenant-properties/tp_default {"name":"Quay"} → 403
			POST /credentials/session SESSION(000-12-3456) → 429
			PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 200`,
		"of a kind can be a fault": `
			POST faults {"rule":{"on":"get verification_request","times":1,"respond":{"status":403}}} → 201
			POST faults {"rule":{"on":"get verification-request","fault":"empty"}} → 400 The rule is invalid: rule:1:7: unknown value "get verification-request" for on: did you mean get verification_request?
			GET /qualification-checks/qc_qualified → 200
			GET verification-requests/vr_completed → 200 rules.#=1
			GET /verification-requests/vr_completed → 403`,
		"of a number counts its sessions": `
			POST /credentials/session SESSION(000-00-7001) → 500 Internal server error
			POST /credentials/session {} → 400 Invalid field values provided
			POST /credentials/session SESSION(000007001) → 201
			PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"} → 403
			PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"} → 200
			PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"} → ` + lab.Terminal,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab.PlayScript(t, apitest.New(t, url, lab.WorldKey(name)), script)
		})
	}
	for name, status := range map[string]int{"ci_down": 500, "_down": 500, "down": 200, "ci_down_2": 200} {
		if r := apitest.New(t, url, "svc_sk_test_"+name).Get("/verification-requests/vr_completed"); r.Status != status {
			t.Errorf("of a key %s: %d, want %d", name, r.Status, status)
		}
	}
	c := apitest.New(t, url, lab.Key).Without(apitest.Headers)
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_busy → 200
		GET /verification-requests/vr_busy → 429 Come back later`)
	r := c.Get("/verification-requests/vr_busy")
	lab.WantStatus(t, r, 429, "Come back later")
	lab.WantDiagnosis(t, r, "scenario busy answers so, by its rule at ")
	lab.WantDiagnosis(t, r, "own.yaml:6:5, at call 3")
	if r.Header.Get("Retry-After") != "7" || r.Header.Get("X-Queue") != "long" || r.Header.Get("Understudy-Scenario") != "busy" {
		t.Errorf("headers %v", r.Header)
	}
	lab.WantStatus(t, c.Get("/verification-requests/vr_busy"), 200, "")

	lab.PlayScript(t, c, `
		PUT /tenant-properties/tp_slow_lane {"name":"Quay"} → 200
		PUT /tenant-properties/tp_slow_lane {"name":"Quay"} → 200`)
	r = c.Put("/tenant-properties/tp_slow_lane", `{"name":"Quay"}`)
	lab.WantStatus(t, r, 429, lab.Message429)
	lab.WantDiagnosis(t, r, "above 2/10s on the world's clock, which is frozen")
	if r.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After: %s", r.Header.Get("Retry-After"))
	}
}

func TestRuleGlobal(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"one": `
			GET /verification-requests/vr_completed → 200
			PUT /tenant-properties/tp_default {"name":"Quay"} → 200
			POST /credentials/session SESSION(000-12-3456) → 500
			GET /qualification-checks/qc_qualified → 200
			GET /verification-requests/vr_error_404 → 404 Not Found | scenario error-404 answers so
			GET /verification-requests/vr_unknown → 500`,
		"another counts alone": `GET /verification-requests/vr_completed → 200`,
	}, lab.ScenarioFile(t, `
name: shaky
title: Every third call of anything fails, an id's own rules come first, and all count
rules:
  - {on: any, every: 3, respond: {status: 500}}
`))
}

// eachRun restarts an emulator on one file store, each time with the next scenario file.
func eachRun(t *testing.T, files []string, test func(run int, e *emulator.Emulator)) {
	t.Helper()
	spec := "file:" + t.TempDir() + "/worlds.db"
	for i, file := range files {
		e, err := emulator.New(emulator.WithStore(lab.Opened(t, spec)), emulator.WithClock(emulator.FrozenAt(lab.Epoch)), lab.ScenarioFile(t, file))
		lab.NoError(t, err)
		test(i, e)
		lab.NoError(t, e.Close())
	}
}

func TestRestartCounters(t *testing.T) {
	t.Parallel()
	const file = `
name: third
title: The third call fails
magic: {verification_request: vr_third}
verification_request: {timeline: [{state: processing}, {state: completed, after: {reads: 3}}]}
rules:
  - {on: get, calls: 3, respond: {status: 500}}
`
	var got []int
	eachRun(t, []string{file, file, file, file, file}, func(_ int, e *emulator.Emulator) {
		got = append(got, lab.Direct(e, lab.Key, "GET", "/verification-requests/vr_third", "").Code)
	})
	if diff := cmp.Diff([]int{200, 200, 500, 200, 200}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRestartShorterTimeline(t *testing.T) {
	t.Parallel()
	const shorter = "name: cut\ntitle: t\nmagic: {verification_request: vr_cut}\nverification_request: {timeline: [{state: pending-approval}%s]}\n"
	files := []string{fmt.Sprintf(shorter, ", {state: processing, after: {reads: 1}}, {state: action-required, after: {reads: 1}}"), fmt.Sprintf(shorter, "")}
	eachRun(t, files, func(_ int, e *emulator.Emulator) {
		for range 3 {
			if answer := lab.Direct(e, lab.Key, "GET", "/verification-requests/vr_cut", ""); answer.Code != 200 {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		}
	})
}

// A request that has moved by the old file begins again with the new one: state, steps and rules are all of one file.
func TestRestartEditedScenario(t *testing.T) {
	t.Parallel()
	const file = `
name: edited
title: Edited
magic: {verification_request: vr_edited}
verification_request:
  set: {additional_information: %s}
  timeline: [{state: %s}, {state: processing, after: {reads: 1}}, {state: completed, after: {elapsed: 1h}}]
`
	old, edited := fmt.Sprintf(file, "old", "pending-approval"), fmt.Sprintf(file, "new", "action-required")
	want := [][]string{{"pending-approval old", "processing old"}, {"processing old"}, {"action-required new", "processing new"}}
	eachRun(t, []string{old, old, edited}, func(run int, e *emulator.Emulator) {
		c := apitest.New(t, lab.ServeHandler(t, e), lab.Key)
		for _, want := range want[run] {
			if v := lab.Read(t, c, "vr_edited"); fmt.Sprint(v.State, " ", *v.AdditionalInformation) != want {
				t.Errorf("run %d: it is %s %s, want %s", run, v.State, *v.AdditionalInformation, want)
			}
		}
	})
}

func TestWritesPerCall(t *testing.T) {
	t.Parallel()
	s := &storetest.Counting{Store: lab.Opened(t, "temp")}
	c := lab.Start(t, emulator.WithStore(s), lab.ScenarioFile(t, `
name: once
title: The first call fails
magic: {verification_request: vr_once}
rules:
  - {on: get, calls: 1, respond: {status: 500}}
  - {on: get, delay: {fixed: 1ns}}
  - {on: cancel, calls: 5, respond: {status: 500}}
`))
	for i, tt := range []struct {
		path  string
		reads int
		want  int64
	}{
		{"/verification-requests/vr_once", 1, 1}, // one commit for the world and the counter
		{"/verification-requests/vr_once", 3, 0},
		{"/verification-requests/vr_completed", 2, 0},
		{"/verification-requests/vr_processing?income_analytics=1", 2, 0},
		{"/qualification-checks/qc_qualified", 2, 0},
		{"/verification-requests/vr_lifecycle", 5, 3}, // three reads change the state
	} {
		before := s.Updates.Load()
		for range tt.reads {
			if r := c.Get(tt.path); (r.Status == 500) != (i == 0) {
				t.Errorf("%s: %d %s", tt.path, r.Status, r.Body)
			}
		}
		if n := s.Updates.Load() - before; n != tt.want {
			t.Errorf("%d writes for %d reads of %s, want %d", n, tt.reads, tt.path, tt.want)
		}
	}
}

// The faults connection-reset and empty prevent the call; the other faults only spoil its answer.
func TestFaultEffect(t *testing.T) {
	t.Parallel()
	for fault, state := range map[string]api.State{
		"connection-reset": "processing", "empty": "processing",
		"truncated": "canceled", "malformed": "canceled", "dribble": "canceled",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			url := lab.Serve(t, (&lab.Pauses{}).Option())
			c := apitest.New(t, url, lab.Key)
			lab.PutFault(t, c, `{"rule":{"on":"cancel","calls":1,"fault":"`+fault+`"}}`)
			request := lab.RequestTo("PUT", url+"/verification-requests/vr_processing/cancel", lab.Key, lab.CancelOther)
			if response, err := http.DefaultClient.Do(request); err == nil {
				response.Body.Close()
			}
			lab.WantStates(t, c, "vr_processing", state)
		})
	}
}

// The first global rule that answers decides: those of all worlds come before those of the world, in the order of their files.
func TestRuleGlobalOrder(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"of all worlds": `GET /verification-requests/vr_completed → 500 Internal server error | scenario shared-late answers so`,
		"of all worlds before the world's own": `
			PUT scenarios/a-own {"name":"a-own","title":"a","rules":[{"on":"get","respond":{"status":403}},{"on":"cancel","respond":{"status":403}}]} → 200
			GET /verification-requests/vr_completed → 500 | scenario shared-late answers so
			PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 403 | scenario a-own answers so
			GET verification-requests/vr_completed → 200 rules.#=4
			DELETE scenarios/a-own → 204
			PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 200`,
		"of the world in the order of names": `
			PUT scenarios/z-own {"name":"z-own","title":"z","rules":[{"on":"update","respond":{"status":403}}]} → 200
			PUT scenarios/b-own {"name":"b-own","title":"b","rules":[{"on":"update","respond":{"status":500}}]} → 200
			PUT /tenant-properties/tp_default {"name":"Quay"} → 500 | scenario b-own answers so`,
		"a fault before them all": `
			POST faults {"rule":{"on":"get","respond":{"status":404}}} → 201
			GET /verification-requests/vr_completed → 404 | scenario fault-1 answers so`,
	}, lab.ScenarioFile(t, `
name: shared-late
title: Stands first in its file
rules: [{on: get, respond: {status: 500}}]
---
name: shared-early
title: Stands second in its file
rules: [{on: get, respond: {status: 404}}]
`))
}

// A fault is on until the instant at which it ends, and its count is its own, also after a reset of the world.
func TestFaultEnds(t *testing.T) {
	t.Parallel()
	const fault = `{"rule":{"on":"get","times":2,"respond":{"status":403}},"expires_in":"1h"}`
	lab.PlayScripts(t, map[string]string{
		"at its instant": `
			POST faults {"rule":{"on":"get","respond":{"status":403}},"expires_in":"1h"} → 201
			advance 59m59.999s
			GET /verification-requests/vr_completed → 403
			advance 1ms
			GET /verification-requests/vr_completed → 200
			GET faults → 200 items.#=0`,
		"used up": `
			POST faults ` + fault + ` → 201 id=fault-1
			POST faults {"rule":{"on":"get","times":1,"respond":{"status":500}}} → 201 id=fault-2
			GET /verification-requests/vr_completed → 403
			GET /verification-requests/vr_completed → 403
			GET /verification-requests/vr_completed → 200
			GET faults → 200 items.#=0
			POST faults ` + fault + ` → 201 id=fault-3
			GET /verification-requests/vr_completed → 403`,
		"after a reset it counts anew": `
			POST faults ` + fault + ` → 201 id=fault-1
			GET /verification-requests/vr_completed → 403
			POST reset → 200
			GET /verification-requests/vr_completed → 200
			POST faults ` + fault + ` → 201 id=fault-1
			GET /verification-requests/vr_completed → 403
			GET /verification-requests/vr_completed → 403
			GET /verification-requests/vr_completed → 200`,
		"for one resource, counted for it alone": `
			POST faults {"resource":"vr_completed","rule":{"on":"get","times":1,"respond":{"status":403}}} → 201
			GET /verification-requests/vr_processing → 200
			GET /qualification-checks/qc_qualified → 200
			GET /verification-requests/vr_completed → 403
			GET /verification-requests/vr_completed → 200`,
	})
}

package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// The scenario of a number that delays its sessions, and those of one that sets a header of the answer, or breaks it.
const combined = `
name: slow-number
title: The sessions of a number are slow
magic: {ssn: 000-00-7777}
rules: [{on: create, delay: {fixed: 200ms}}]
---
name: marked-number
title: The answers of a number have a header
magic: {ssn: 000-00-7778}
rules: [{on: create, respond: {headers: {X-Number: "1"}}}]
---
name: broken-number
title: The answers of a number are cut
magic: {ssn: 000-00-7779}
rules: [{on: create, fault: truncated}]
`

// A fault of the world and the rules of a session's number apply together.
func TestCombination(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		paused []time.Duration
	}{
		"the delays of a fault and of a number are added up": {`
			POST faults {"rule":{"on":"create","delay":{"fixed":"300ms"}}} → 201
			POST /credentials/session SESSION(000-00-7777) → 201 | scenario fault-1 holds the answer back for 300ms
			POST /credentials/session SESSION(000-00-7777) → 201 | scenario slow-number holds the answer back for 200ms`,
			[]time.Duration{500 * time.Millisecond, 500 * time.Millisecond}},
		"the delay of a fault stays beside a number without one": {`
			POST faults {"rule":{"on":"create","delay":{"fixed":"300ms"}}} → 201
			POST /credentials/session SESSION(000-12-3456) → 201
			POST /credentials/session SESSION(000-00-0451) → 451`,
			[]time.Duration{300 * time.Millisecond, 300 * time.Millisecond}},
		"a refused body is delayed by the fault alone": {`
			POST faults {"rule":{"on":"create","delay":{"fixed":"300ms"}}} → 201
			POST /credentials/session {} → 400 Invalid field values provided`,
			[]time.Duration{300 * time.Millisecond}},
		"a number's refusal comes whole instead of a truncated answer": {`
			POST faults {"rule":{"on":"create","fault":"truncated"}} → 201
			POST /credentials/session SESSION(000-00-0451) → 451 | scenario session-error-0451 answers so`, nil},
		"a number's refusal comes at once instead of a dribbled answer": {`
			POST faults {"rule":{"on":"create","fault":"dribble"}} → 201
			POST /credentials/session SESSION(000-00-0429) → 429`, nil},
		"a fault's refusal comes before a number's": {`
			POST faults {"rule":{"on":"create","respond":{"status":403}}} → 201
			POST /credentials/session SESSION(000-00-0451) → 403 | scenario fault-1 answers so`, nil},
		"a fault's header keeps a later fault out": {`
			POST faults {"rule":{"on":"get","respond":{"headers":{"X-Queue":"long"}}}} → 201
			POST faults {"rule":{"on":"get","respond":{"status":403}}} → 201
			GET /verification-requests/vr_completed → 200 | scenario fault-1 changes the headers`, nil},
		"a fault's header keeps a number's fault out": {`
			POST faults {"rule":{"on":"create","respond":{"headers":{"X-Queue":"long"}}}} → 201
			POST /credentials/session SESSION(000-00-7779) → 201 | scenario fault-1 changes the headers`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p lab.Pauses
			c := lab.Start(t, p.Option(), lab.ScenarioFile(t, combined)).Without(apitest.Headers)
			lab.PlayScript(t, c, tt.script)
			if diff := cmp.Diff(tt.paused, p.Spans()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An answer's diagnosis has the effects that it has, and not those of rules that another rule takes precedence over.
func TestCombinationDiagnosis(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.ScenarioFile(t, combined)).Without(apitest.Headers)
	for _, tt := range []struct{ respond, number, lacks string }{
		{`"fault":"truncated"`, "000-00-0451", "truncated"},
		{`"respond":{"headers":{"X-Queue":"long"}}`, "000-00-7779", "truncated"},
		{`"respond":{"headers":{"X-Queue":"long"}}`, "000-00-0451", "changes the headers"},
	} {
		lab.PlayScript(t, c, `
			DELETE faults → 204
			POST faults {"rule":{"on":"create",`+tt.respond+`}} → 201`)
		if got := c.Post("/credentials/session", lab.Session(tt.number)).Header.Get("Understudy-Diagnosis"); strings.Contains(got, tt.lacks) || got == "" {
			t.Errorf("%s to %s: the diagnosis is %s", tt.respond, tt.number, got)
		}
	}
}

// A rule's header goes with its answer alone.
func TestRuleHeaderOnce(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.ScenarioFile(t, combined)).Without(apitest.Headers)
	lab.PlayScript(t, c, `POST faults {"rule":{"on":"get","times":1,"respond":{"status":403,"headers":{"X-Queue":"long","Retry-After":"9"}}}} → 201`)
	for number, want := range map[string]string{"000-00-7778": "1", "000-12-3456": ""} {
		if got := c.Post("/credentials/session", lab.Session(number)).Header.Get("X-Number"); got != want {
			t.Errorf("%s has the header %q, want %q", number, got, want)
		}
	}
	refused := c.Get("/verification-requests/vr_completed").Header
	if refused.Get("X-Queue") != "long" || refused.Get("Retry-After") != "9" {
		t.Errorf("the rule's answer has %v", refused)
	}
	for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_none", "/nowhere"} {
		if h := c.Get(path).Header; h.Get("X-Queue")+h.Get("Retry-After") != "" {
			t.Errorf("the answer to %s has %v", path, h)
		}
	}
}

// A status without a body has no length, also in a dry run.
func TestBodiless(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for status, wanted := range map[string]bool{"200": true, "204": false, "304": false} {
		lab.PlayScript(t, c, "POST reset → 200\nPOST faults {\"rule\":{\"on\":\"get\",\"respond\":{\"status\":"+status+",\"body\":\"none\"}}} → 201")
		r := c.Post(lab.Control+"scenarios/resolve", `{"method":"GET","path":"/verification-requests/vr_completed"}`)
		if has := strings.Contains(string(r.Body), `"Content-Length":"0"`); has != wanted {
			t.Errorf("%s: %s", status, r.Body)
		}
	}
}

// A request is delayed 10 minutes at most, by all faults and scenarios together, and each is named.
func TestDelayLimit(t *testing.T) {
	t.Parallel()
	var p lab.Pauses
	c := lab.Start(t, p.Option())
	for range 3 {
		lab.WantStatus(t, c.Post(lab.Control+"faults", `{"rule":{"on":"any","delay":{"fixed":"6m"}}}`), 201, "")
	}
	r := c.Get("/verification-requests/vr_slow")
	lab.WantStatus(t, r, 200, "")
	lab.WantStatus(t, c.Post("/credentials/session", lab.Session("000-00-0001")), 201, "")
	if diff := cmp.Diff([]time.Duration{10 * time.Minute, 10 * time.Minute}, p.Spans()); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{"fault-1 holds the answer back for 6m0s", "fault-2 holds the answer back for 4m0s", "fault-3 holds the answer back for 0s"} {
		if diagnosis := r.Header.Get("Understudy-Diagnosis"); !strings.Contains(diagnosis, part) {
			t.Errorf("the diagnosis %q lacks %q", diagnosis, part)
		}
	}
}

package world_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// readOf returns the status and body of a read, without a network.
func readOf(e http.Handler, key, path string) string {
	answer := lab.Direct(e, key, "GET", path, "")
	return fmt.Sprint(answer.Code, " ", answer.Body)
}

// A rule for a state counts exactly, in parallel too, even when the state depends on reads that rules let pass.
func TestExactlyOnceRuleForState(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t, lab.ScenarioFile(t, `
name: fragile
title: Every fifth call that finds it processed fails
magic: {verification_request: vr_fragile}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}, {state: completed, after: {reads: 30}}]
rules:
  - {on: get, state: processing, every: 5, respond: {status: 500}}
  - {on: get, state: completed, calls: 2-3, times: 2, respond: {status: 429}}
`))
	in := func(world string) func() string {
		return func() string {
			return readOf(e, "svc_sk_test_"+world, "/verification-requests/vr_fragile?fields=state")
		}
	}
	want := make(map[string]int)
	for range 64 {
		want[in("in_turn")()]++
	}
	for trial := range 20 {
		if diff := cmp.Diff(want, lab.InParallel(64, in(fmt.Sprint("trial_", trial)))); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
	}
}

package world_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
)

// trials returns how often each race is tried.
func trials() int { return lab.Scaled(100, 2000) }

const (
	is500 = `500 {"error":{"message":"Internal server error"}}`
	is429 = `429 {"error":{"message":"Too Many Requests"}}`
)

func isState(state api.State) string { return `200 {"state":"` + string(state) + `"}` }

// readOf returns the status and body of a read, without a network.
func readOf(e http.Handler, key, path string) string {
	answer := lab.Direct(e, key, "GET", path, "")
	return fmt.Sprint(answer.Code, " ", answer.Body)
}

// A step and a rule that apply once apply exactly once, however many requests arrive together.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		worlds int
		path   string
		want   map[string]int
	}{
		"step":         {trials(), "/verification-requests/vr_service_canceled?fields=state", map[string]int{isState("processing"): 1, isState("canceled"): 63}},
		"counted_rule": {trials() / 10, "/verification-requests/vr_flaky?fields=id", map[string]int{is500: 1, is429: 1, `200 {"id":"vr_flaky"}`: 62}},
	} {
		for _, spec := range []string{"temp", "file:"} {
			t.Run(name+"/"+spec, func(t *testing.T) {
				t.Parallel()
				e := lab.Launch(t, emulator.WithStore(lab.Opened(t, spec)))
				for trial := range tt.worlds {
					got := lab.InParallel(64, func() string { return readOf(e, fmt.Sprintf("svc_sk_test_trial_%d", trial), tt.path) })
					if diff := cmp.Diff(tt.want, got); diff != "" {
						t.Fatalf("trial %d: %s", trial, diff)
					}
				}
			})
		}
	}
}

// pausingStore pauses the first Update that puts a key which contains part. The pause is between its reads and its commit,
// and ends when the test closes resume.
type pausingStore struct {
	store.Store
	part   string
	called chan bool     // receives on each call of Update
	paused chan bool     // receives when the first Update pauses
	resume chan struct{} // ends the pause when closed
}

func (s *pausingStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.called <- true
	return s.Store.Update(ctx, func(tx store.Tx) error {
		seen := &lab.Puts{Tx: tx}
		err := fn(seen)
		if strings.Contains(strings.Join(seen.Keys, " "), s.part) {
			select {
			case s.paused <- true:
				<-s.resume
			default: // only the first one pauses
			}
		}
		return err
	})
}

// Two reads always meet between the reading and the writing of a step, which a burst of requests does only rarely.
func TestExactlyOnceDelayedCommit(t *testing.T) {
	t.Parallel()
	for part, tt := range map[string]struct {
		path string
		want map[string]int
	}{
		"/vr/":       {"/verification-requests/vr_lifecycle?fields=state", map[string]int{isState("pending-approval"): 1, isState("processing"): 1}},
		"/calls/vr/": {"/verification-requests/vr_flaky?fields=state", map[string]int{is500: 1, is429: 1}},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			s := &pausingStore{Store: lab.Opened(t, "temp"), part: part, called: make(chan bool, 2), paused: make(chan bool, 1), resume: make(chan struct{})}
			e := lab.Launch(t, emulator.WithStore(s))
			answers := make(chan string, 2)
			read := func() { answers <- readOf(e, lab.Key, tt.path) }
			go read()
			<-s.called
			<-s.paused
			go read()
			<-s.called // the second one begins before the first one commits
			close(s.resume)
			got := map[string]int{<-answers: 1}
			got[<-answers]++
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
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

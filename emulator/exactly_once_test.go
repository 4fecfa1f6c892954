package emulator_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store"
)

// trials is how often a race is tried: 2,000 times where CI=true, a tenth as often on a desk or with -short.
func trials() int {
	if os.Getenv("CI") != "true" || testing.Short() {
		return 200
	}
	return 2000
}

// onEachStore runs a test on an emulator with a store of each kind.
func onEachStore(t *testing.T, test func(t *testing.T, e *emulator.Emulator)) {
	t.Helper()
	for _, spec := range []string{"temp", "file:"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			if spec == "file:" {
				spec += filepath.Join(t.TempDir(), "worlds.db")
			}
			s, err := store.Open(spec)
			if err != nil {
				t.Fatal(err)
			}
			e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(epoch)), emulator.WithStore(s))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, e)
		})
	}
}

// askDirectly asks an emulator without a network between, which leaves more room for a race.
func askDirectly(e http.Handler, key, path string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Authorization", "Bearer "+key)
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, request)
	return answer
}

// Contract 7: what applies once applies exactly once, however many requests arrive together.
func TestParallelReadsShowAOneStepLifecyclesFirstStateExactlyOnce(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, e *emulator.Emulator) {
		for trial := range trials() {
			got := inParallel(64, func() api.State {
				var v api.VerificationRequest
				answer := askDirectly(e, fmt.Sprintf("svc_sk_test_trial_%d", trial), "/verification-requests/vr_service_canceled?fields=state")
				if err := json.Unmarshal(answer.Body.Bytes(), &v); err != nil {
					return api.State(err.Error())
				}
				return v.State
			})
			if diff := cmp.Diff(map[api.State]int{"processing": 1, "canceled": 63}, got); diff != "" {
				t.Fatalf("trial %d: %s", trial, diff)
			}
		}
	})
}

func TestParallelReadsShowEachStepOfTheLifecycleExactlyOnce(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := inParallel(64, func() api.State {
		var v api.VerificationRequest
		c.Get("/verification-requests/vr_lifecycle").JSON(&v)
		return v.State
	})
	if diff := cmp.Diff(map[api.State]int{"pending-approval": 1, "processing": 1, "completed": 62}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParallelCallsMeetACountedRuleExactlyAsOftenAsItSays(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, e *emulator.Emulator) {
		for trial := range trials() / 10 {
			got := inParallel(64, func() int {
				return askDirectly(e, fmt.Sprintf("svc_sk_test_trial_%d", trial), "/verification-requests/vr_flaky").Code
			})
			if diff := cmp.Diff(map[int]int{500: 1, 429: 1, 200: 62}, got); diff != "" {
				t.Fatalf("trial %d: %s", trial, diff)
			}
		}
	})
}

// pausingStore holds the first Update back that puts a key with a part in its name, between what it has read and its
// commit, until a second Update has been asked for.
type pausingStore struct {
	store.Store
	part   string
	asked  chan bool     // receives when an Update is asked for
	reads  chan bool     // receives when the first has read
	resume chan struct{} // lets it commit
}

func (s *pausingStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.asked <- true
	return s.Store.Update(ctx, func(tx store.Tx) error {
		seen := &puts{Tx: tx}
		err := fn(seen)
		if strings.Contains(strings.Join(seen.keys, " "), s.part) {
			select {
			case s.reads <- true:
				<-s.resume
			default: // it was told before
			}
		}
		return err
	})
}

// puts is a transaction that knows the keys that were put.
type puts struct {
	store.Tx
	keys []string
}

func (p *puts) Put(key string, value []byte) error {
	p.keys = append(p.keys, key)
	return p.Tx.Put(key, value)
}

// A burst of requests meets the moment between the reading and the writing of a step rarely. Here it is met always.
func TestAStepIsTakenOnceWhenItsWritingIsHeldBack(t *testing.T) {
	t.Parallel()
	for part, tt := range map[string]struct {
		path string
		want map[string]int
	}{
		"/vr/":       {"/verification-requests/vr_lifecycle?fields=state", map[string]int{`200 {"state":"pending-approval"}`: 1, `200 {"state":"processing"}`: 1}},
		"/calls/vr/": {"/verification-requests/vr_flaky?fields=state", map[string]int{`500 {"error":{"message":"Internal server error"}}`: 1, `429 {"error":{"message":"Too Many Requests"}}`: 1}},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			temp, err := store.Open("temp")
			if err != nil {
				t.Fatal(err)
			}
			s := &pausingStore{Store: temp, part: part, asked: make(chan bool, 2), reads: make(chan bool, 1), resume: make(chan struct{})}
			e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(epoch)), emulator.WithStore(s))
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			answers := make(chan string, 2)
			read := func() {
				answer := askDirectly(e, key, tt.path)
				answers <- fmt.Sprint(answer.Code, " ", answer.Body)
			}
			go read()
			<-s.asked
			<-s.reads // and the first change has not written
			go read()
			<-s.asked // the second is on its way to read
			close(s.resume)
			got := map[string]int{<-answers: 1}
			got[<-answers]++
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a rule finds depends on the reads before it, and what is read on what the rule leaves: together they are as exact
// in parallel as one after another.
func TestParallelReadsMeetARuleForAStateAsOftenAsReadsInTurn(t *testing.T) {
	t.Parallel()
	url := serve(t, scenarioFile(t, `
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
		c := apitest.New(t, url, "svc_sk_test_"+world)
		return func() string {
			r := c.Get("/verification-requests/vr_fragile?fields=state")
			return fmt.Sprint(r.Status, " ", string(r.Body))
		}
	}
	want := make(map[string]int)
	ask := in("in_turn")
	for range 64 {
		want[ask()]++
	}
	for trial := range 20 {
		if diff := cmp.Diff(want, inParallel(64, in(fmt.Sprint("trial_", trial)))); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
	}
}

func TestAReadThatIsRefusedForItsQueryIsNoRead(t *testing.T) {
	t.Parallel()
	c := start(t, scenarioFile(t, `
name: strict
title: Rules that mind the state
magic: {verification_request: vr_strict}
verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}]}
rules:
  - {on: cancel, state: processing, respond: {status: 500}}
`))
	for range 3 {
		wantStatus(t, c.Get("/verification-requests/vr_strict?income_analytics=maybe"), 400, "Invalid field values provided")
	}
	if diff := cmp.Diff([]api.State{"pending-approval", "processing"}, states(t, c, "vr_strict", 2)); diff != "" {
		t.Error(diff)
	}
}

package emulator_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestTwoWorldsNeverSeeEachOther(t *testing.T) {
	t.Parallel()
	url := serve(t)
	one, other := apitest.New(t, url, "svc_sk_test_one"), apitest.New(t, url, "svc_sk_test_other")
	wantStatus(t, one.Put("/verification-requests/vr_processing/cancel", cancelOther), 200, "")
	read(t, one, "vr_lifecycle")
	s := create(t, one, session("000-12-3456"))
	if state := read(t, other, "vr_processing").State; state != api.StateProcessing {
		t.Errorf("a cancel in another world shows: %s", state)
	}
	if state := read(t, other, "vr_lifecycle").State; state != api.StatePendingApproval {
		t.Errorf("a read in another world counts: %s", state)
	}
	wantStatus(t, other.Get("/verification-requests/"+requestOf(s)), 400, "Verification not found")
}

func TestAWorldIsMadeOnceHoweverManyRequestsComeFirst(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	wall := epoch
	url := serve(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		wall = wall.Add(time.Hour)
		return wall
	}}))
	for trial := range 20 {
		c := apitest.New(t, url, fmt.Sprintf("svc_sk_test_trial_%d", trial))
		bodies := inParallel(16, func() string { return string(c.Get("/verification-requests/vr_completed").Body) })
		if len(bodies) != 1 {
			t.Fatalf("trial %d: the first requests found %d worlds: %v", trial, len(bodies), bodies)
		}
	}
}

func TestAResourceThatOnlyWasReadLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	counting := &countingStore{}
	c := start(t, counting.option(t))
	c.Get("/verification-requests/vr_completed") // makes the world
	made := counting.updates.Load()
	for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_processing?income_analytics=1", "/qualification-checks/qc_qualified"} {
		c.Get(path)
	}
	if n := counting.updates.Load() - made; n != 0 {
		t.Errorf("%d writes for reads of what nothing moves", n)
	}
	for range 5 {
		c.Get("/verification-requests/vr_lifecycle")
	}
	if n := counting.updates.Load() - made; n != 3 {
		t.Errorf("%d writes for five reads of which three move something", n)
	}
}

// A message names the world that was meant, whatever its digits look like; what else may be a secret is masked.
func TestAMessageShowsTheIDOfAWorldAsItIs(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Get(control+"clock?world=abcdef0123456789abcdef01"), 404, `There is no world "abcdef0123456789abcdef01"`)
	wantStatus(t, c.Send("DELETE", control+"worlds/abcdef0123456789abcdef01", nil), 404, `There is no world "abcdef0123456789abcdef01"`)
	wantStatus(t, c.Get(control+"clock?world=000-12-3456"), 404, `There is no world "***-**-3456"`)
}

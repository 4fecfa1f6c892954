package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// wall is a machine's clock that a test moves.
type wall struct{ nanoseconds atomic.Int64 }

func newWall() *wall {
	w := &wall{}
	w.nanoseconds.Store(epoch.UnixNano())
	return w
}

func (w *wall) now() time.Time          { return time.Unix(0, w.nanoseconds.Load()) }
func (w *wall) pass(span time.Duration) { w.nanoseconds.Add(int64(span)) }

// writes is a store that counts its updates.
type writes struct {
	store.Store
	updates atomic.Int64
}

func (s *writes) Update(ctx context.Context, key string, change store.Change) error {
	s.updates.Add(1)
	return s.Store.Update(ctx, key, change)
}

// living returns worlds on a store that have a time to live by a clock, and a function for others on the same store.
func living(t *testing.T, w *wall) (*writes, func(ttl time.Duration) *world.Worlds) {
	t.Helper()
	catalogue, err := scenarios.NewFile("s.yaml", []byte(
		"name: a\ntitle: a\nmagic: {verification_request: vr_a}\n"+
			"verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}]}\n")).Over(nil)
	if err != nil {
		t.Fatal(err)
	}
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := temp.Close(); err != nil {
			t.Error(err)
		}
	})
	counted := &writes{Store: temp}
	return counted, func(ttl time.Duration) *world.Worlds {
		return world.New(world.Config{
			Store: counted, Catalogue: catalogue, Seed: 1, TTL: ttl, Clock: world.Clock{Frozen: epoch, Wall: w.now},
		})
	}
}

// use reads a request that moves in the world of a key.
func use(t *testing.T, worlds *world.Worlds, key string) api.State {
	t.Helper()
	w, err := worlds.Open(t.Context(), "svc_sk_test_"+key)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, w, "vr_a").State
}

func sweep(t *testing.T, worlds *world.Worlds) int {
	t.Helper()
	forgotten, err := worlds.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return forgotten
}

// keysOf returns the keys of a store.
func keysOf(t *testing.T, s store.Store) (keys []string) {
	t.Helper()
	err := s.Scan(t.Context(), "", "", func(key string, _ []byte) error {
		keys = append(keys, key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestAWorldThatNobodyUsesIsForgottenWithAllThatItRemembers(t *testing.T) {
	t.Parallel()
	wall := newWall()
	kept, living := living(t, wall)
	worlds := living(time.Hour)
	use(t, worlds, "idle")
	use(t, worlds, "used")
	for range 11 { // an hour and a tenth: a mark may be a tenth late
		wall.pass(6 * time.Minute)
		use(t, worlds, "used")
	}
	if forgotten := sweep(t, worlds); forgotten != 1 {
		t.Errorf("%d worlds are forgotten", forgotten)
	}
	if keys := keysOf(t, kept); len(keys) != 2 { // the record and the request of the other
		t.Errorf("left: %q", keys)
	}
	if state := use(t, worlds, "used"); state != api.StateProcessing {
		t.Errorf("the used one shows %s", state)
	}
	if state := use(t, worlds, "idle"); state != api.StatePendingApproval {
		t.Errorf("the forgotten one shows %s, not what a new one does", state)
	}
}

func TestAWorldIsNotForgottenBeforeItsTime(t *testing.T) {
	t.Parallel()
	wall := newWall()
	_, living := living(t, wall)
	worlds := living(time.Hour)
	use(t, worlds, "a")
	wall.pass(6*time.Minute - 1)
	use(t, worlds, "a") // leaves no mark: the last one is of late
	wall.pass(time.Hour - 1)
	if forgotten := sweep(t, worlds); forgotten != 0 {
		t.Error("it is forgotten though it was used within the hour")
	}
	wall.pass(6 * time.Minute)
	if forgotten := sweep(t, worlds); forgotten != 1 {
		t.Error("it is not forgotten")
	}
}

func TestThatAWorldIsUsedCostsAWriteEachTenthOfItsTime(t *testing.T) {
	t.Parallel()
	wall := newWall()
	kept, living := living(t, wall)
	worlds := living(time.Hour)
	open := func() {
		if _, err := worlds.Open(t.Context(), "svc_sk_test_a"); err != nil {
			t.Error(err)
		}
	}
	open() // makes it
	made := kept.updates.Load()
	for range 600 { // an hour, ten uses a minute
		wall.pass(6 * time.Second)
		open()
	}
	if n := kept.updates.Load() - made; n != 10 {
		t.Errorf("%d writes in an hour", n)
	}
	none := living(0)
	if _, err := none.Open(t.Context(), "svc_sk_test_b"); err != nil {
		t.Fatal(err)
	}
	made = kept.updates.Load()
	wall.pass(24 * time.Hour)
	if _, err := none.Open(t.Context(), "svc_sk_test_b"); err != nil || kept.updates.Load() != made {
		t.Errorf("without a time to live %d writes, %v", kept.updates.Load()-made, err)
	}
}

func TestAllReplicasOnAStoreHeedTheUseOfAWorld(t *testing.T) {
	t.Parallel()
	wall := newWall()
	_, living := living(t, wall)
	one, other := living(time.Hour), living(time.Hour)
	use(t, one, "a")
	wall.pass(time.Hour)
	if state := use(t, other, "a"); state != api.StateProcessing {
		t.Errorf("the other replica shows %s", state)
	}
	wall.pass(30 * time.Minute)
	if forgotten := sweep(t, one); forgotten != 0 {
		t.Error("one replica forgets what the other uses")
	}
	wall.pass(time.Hour)
	if forgotten := sweep(t, one) + sweep(t, other); forgotten != 1 {
		t.Errorf("both together forget %d worlds", forgotten)
	}
}

func TestAWorldOfBeforeTheTimeToLiveHasItsTimeFromTheFirstLookOn(t *testing.T) {
	t.Parallel()
	wall := newWall()
	_, living := living(t, wall)
	use(t, living(0), "a")
	wall.pass(1000 * time.Hour)
	worlds := living(time.Hour)
	if forgotten := sweep(t, worlds); forgotten != 0 {
		t.Error("it is forgotten at once")
	}
	wall.pass(66 * time.Minute)
	if forgotten := sweep(t, worlds); forgotten != 1 {
		t.Error("it is never forgotten")
	}
}

// A change of the clock, a reset and a fault are uses too, and a look by the id is one.
func TestWhoSteersAWorldUsesIt(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*world.World) error{
		"reset": func(w *world.World) error { return w.Reset(t.Context()) },
		"fault": func(w *world.World) error {
			_, err := w.AddFault(t.Context(), []byte(`{on: any, fault: empty}`), 0)
			return err
		},
		"look": func(w *world.World) error { return nil },
	} {
		wall := newWall()
		_, living := living(t, wall)
		worlds := living(time.Hour)
		use(t, worlds, "a")
		made, err := worlds.Open(t.Context(), "svc_sk_test_a")
		if err != nil {
			t.Fatal(err)
		}
		wall.pass(time.Hour)
		w, err := worlds.OpenID(t.Context(), made.ID)
		if err := errors.Join(err, act(w)); err != nil {
			t.Fatal(err)
		}
		wall.pass(time.Hour)
		if forgotten := sweep(t, worlds); forgotten != 0 {
			t.Errorf("%s: it is forgotten", name)
		}
	}
}

func TestMoreWorldsThanAreReadAtOnceAreForgotten(t *testing.T) {
	t.Parallel()
	wall := newWall()
	kept, living := living(t, wall)
	worlds := living(time.Hour)
	const all = 2100
	for i := range all {
		if _, err := worlds.Open(t.Context(), fmt.Sprintf("svc_sk_test_%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	wall.pass(2 * time.Hour)
	if _, err := worlds.Open(t.Context(), "svc_sk_test_7"); err != nil {
		t.Fatal(err)
	}
	if forgotten := sweep(t, worlds); forgotten != all-1 {
		t.Errorf("%d of %d worlds are forgotten", forgotten, all)
	}
	if keys := keysOf(t, kept); len(keys) != 1 {
		t.Errorf("left: %q", keys)
	}
}

// However requests and the looks of replicas fall together: a world is the old one or a new one, and nothing is left of
// one that is gone.
func TestAWorldThatIsUsedWhileItIsForgottenIsWhole(t *testing.T) {
	t.Parallel()
	wall := newWall()
	kept, living := living(t, wall)
	replicas := []*world.Worlds{living(time.Hour), living(time.Hour)}
	for round := range 50 {
		var running sync.WaitGroup
		for i := range 8 {
			worlds := replicas[i%2]
			running.Go(func() {
				w, err := worlds.Open(t.Context(), "svc_sk_test_a")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := w.VerificationRequest(t.Context(), "vr_a", false); err != nil {
					t.Error(err)
				}
			})
			running.Go(func() {
				if _, err := worlds.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		places := make(map[string]bool)
		for _, key := range keysOf(t, kept) {
			if strings.HasPrefix(key, "w/") {
				places[strings.Join(strings.Split(key, "/")[:3], "/")] = true
			}
		}
		if len(places) != 1 {
			t.Fatalf("round %d: %v", round, places)
		}
		wall.pass(2 * time.Hour)
	}
}

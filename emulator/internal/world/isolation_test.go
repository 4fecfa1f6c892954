package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestWorldIsolation(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	one, other := apitest.New(t, url, "svc_sk_test_one"), apitest.New(t, url, "svc_sk_test_other")
	lab.WantStatus(t, one.Put("/verification-requests/vr_processing/cancel", lab.CancelOther), 200, "")
	lab.Read(t, one, "vr_lifecycle")
	s := lab.Create(t, one, lab.Session("000-12-3456"))
	lab.WantStates(t, other, "vr_processing", "processing")
	lab.WantStates(t, other, "vr_lifecycle", "pending-approval")
	lab.WantStatus(t, other.Get("/verification-requests/"+lab.RequestOf(t, one, s)), 400, "Verification not found")
	first := one.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	second := one.Get("/qualification-checks/qc_qualified").Header.Get("Understudy-World")
	if first == "" || second != first || strings.Contains(first, "one") {
		t.Errorf("worlds %q and %q", first, second)
	}
}

func TestWorldList(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	for i := range 5 {
		lab.Read(t, apitest.New(t, url, fmt.Sprintf("svc_sk_test_suite_%04d", i)), "vr_lifecycle")
	}
	c := apitest.New(t, url, "")
	var page struct {
		Items []struct{ ID, Key string }
		Next  *string
	}
	keys := make(map[string]string)
	for path := lab.Control + "worlds?limit=2"; path != ""; {
		r := c.Get(path)
		lab.WantStatus(t, r, 200, "")
		if strings.Contains(string(r.Body), "_test_suite") {
			t.Errorf("the list contains keys: %s", r.Body)
		}
		lab.NoError(t, json.Unmarshal(r.Body, &page))
		for _, w := range page.Items {
			shown, of, _ := strings.Cut(w.Key, "#")
			if keys[shown] = w.ID; len(of) != 4 || !strings.HasPrefix(w.ID, of) {
				t.Errorf("world %s has the key %s", w.ID, w.Key)
			}
		}
		if path = ""; page.Next != nil {
			path = lab.Control + "worlds?limit=2&after=" + *page.Next
		}
	}
	id := keys["svc_sk_test_…0003"]
	if len(keys) != 5 || id == "" {
		t.Fatalf("listed: %v", keys)
	}
	lab.PlayScript(t, c, strings.ReplaceAll(`
		GET clock?world=ID → 200 now=2025-01-15T09:30:00Z
		DELETE worlds/ID → 204
		DELETE worlds/ID → 404 There is no world "ID": the list of worlds has the ids
		GET clock?world=ID → 404 There is no world "ID": the list of worlds has the ids`, "ID", id))
	lab.WantStates(t, apitest.New(t, url, "svc_sk_test_suite_0003"), "vr_lifecycle", "pending-approval")
}

// sweeper is an emulator that deletes worlds that were not used for an hour on the machine's clock.
type sweeper struct {
	*emulator.Emulator
	client *apitest.Client
	wall   *lab.Machine
	looks  chan time.Duration // receives the length of the pause before each look
}

func newSweeper(t *testing.T, options ...emulator.Option) *sweeper {
	t.Helper()
	s := &sweeper{wall: lab.NewMachine(lab.Epoch), looks: make(chan time.Duration)}
	clock := s.wall.Clock()
	clock.Frozen = lab.Epoch
	clock.Pause = func(ctx context.Context, span time.Duration) error {
		select {
		case s.looks <- span:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.Emulator, _, s.client = lab.InGo(t, append(options, emulator.WithWorldTTL(time.Hour), emulator.WithClock(clock))...)
	return s
}

// look advances the machine's clock and waits until the emulator has looked for unused worlds.
func (s *sweeper) look(t *testing.T, later time.Duration) {
	t.Helper()
	s.wall.Pass(later)
	if pause := <-s.looks; pause != 6*time.Minute {
		t.Errorf("it looks each %s", pause)
	}
	<-s.looks // the look has ended
}

func (s *sweeper) worlds(t *testing.T) (n int) {
	t.Helper()
	for _, err := range s.Worlds(t.Context()) {
		lab.NoError(t, err)
		n++
	}
	return n
}

// Unused worlds are deleted in the background, by the machine's clock and not by their own, with their journals.
func TestWorldTTL(t *testing.T) {
	t.Parallel()
	s := newSweeper(t)
	bytes := func() (n float64) {
		_, value, found := strings.Cut(string(s.client.Get("/_understudy/metrics").Body), "\nunderstudy_journal_bytes ")
		if _, err := fmt.Sscan(value, &n); !found || err != nil {
			t.Fatal("there is no understudy_journal_bytes")
		}
		return n
	}
	lab.Read(t, s.client, "vr_lifecycle")
	for range 20 {
		lab.Read(t, s.client, "vr_completed")
	}
	if s.look(t, 0); s.worlds(t) != 1 || bytes() < 20<<10 {
		t.Errorf("at once %d worlds are left, and %v bytes of the journal", s.worlds(t), bytes())
	}
	if s.look(t, 66*time.Minute); s.worlds(t) != 0 || bytes() != 0 {
		t.Errorf("after an hour %d worlds are left, and %v bytes of the journal", s.worlds(t), bytes())
	}
	lab.PlayScript(t, s.client, `GET journal → 200 items.#=0`)
	lab.WantStates(t, s.client, "vr_lifecycle", "pending-approval")
	for _, ttl := range []time.Duration{-time.Hour, time.Millisecond} {
		if _, err := emulator.New(emulator.WithWorldTTL(ttl)); err == nil {
			t.Errorf("%s is accepted", ttl)
		}
	}
}

// Two new worlds answer the same requests with the same bytes, whatever the machine's clock shows. A reset makes a world new.
func TestWorldDeterminism(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(time.Date(2031, time.July, 1, 12, 0, 0, 0, time.UTC))
	skipping := emulator.Clock{Frozen: lab.Epoch, Wall: func() time.Time {
		m.Pass(37 * time.Hour)
		return *m.Instant.Load()
	}}
	url, client := lab.Serve(t), manyClients(t)
	want := travel(client, lab.Key, time.Minute, url)
	lab.WantParts(t, want, `{"times":{"exactly":34}} 200 {"count":34,"dropped":0,`)
	lab.PlayScript(t, apitest.New(t, url, lab.Key), `
		advance 36h
		POST reset → 200`)
	for name, got := range map[string]string{
		"the same world, reset":           travel(client, lab.Key, time.Minute, url),
		"another key of the same process": travel(client, "svc_sk_test_b", time.Minute, url),
		"another process":                 travel(client, lab.Key, time.Minute, lab.Serve(t)),
		"at another time of day":          travel(client, lab.Key, time.Minute, lab.Serve(t, emulator.WithClock(skipping))),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s answers otherwise:\n%s", name, diff)
		}
	}
	if travel(client, lab.Key, time.Minute, lab.Serve(t, emulator.WithSeed(2))) == want {
		t.Error("another seed answers with the same bytes")
	}
}

// Worlds that are used in parallel, each with its own clock, answer with the same bytes as alone.
func TestWorldParallel(t *testing.T) {
	t.Parallel()
	const clients, clocks = 32, 5
	late := func(world int) time.Duration { return time.Duration(1+world%clocks) * 7 * time.Minute }
	url, client := lab.Serve(t), manyClients(t)
	var alone []string
	for i := range clocks {
		alone = append(alone, travel(client, lab.Key, late(i), lab.Serve(t)))
	}
	worlds := make(chan int)
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for i := range worlds {
				if diff := cmp.Diff(alone[i%clocks], travel(client, fmt.Sprintf("svc_sk_test_suite_%04d", i), late(i), url)); diff != "" {
					t.Errorf("world %d:\n%s", i, diff)
				}
			}
		})
	}
	for i := range lab.Scaled(50, 500) {
		worlds <- i
	}
	close(worlds)
	running.Wait()
}

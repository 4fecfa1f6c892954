package world_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// withTTL is configure for the stepping scenario and a TTL of an hour.
func withTTL(t *testing.T) (world.Config, *wall) {
	t.Helper()
	config, machine := configure(t, stepping)
	config.TTL = time.Hour
	return config, machine
}

// wantSwept sweeps, and checks that the worlds of the keys that end in names are deleted, and no others.
func wantSwept(t *testing.T, worlds *world.Worlds, names ...string) {
	t.Helper()
	var want []string
	for _, name := range names {
		want = append(want, idOf(name))
	}
	slices.Sort(want)
	before := worlds.Deleted()
	deleted, err := worlds.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(deleted, want) {
		t.Errorf("deleted: %q, want %q", deleted, want)
	}
	if n := worlds.Deleted() - before; n != uint64(len(want)) {
		t.Errorf("%d are counted as deleted, want %d", n, len(want))
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, config world.Config, machine *wall){
		"unused world is deleted with all that it has stored": func(t *testing.T, config world.Config, machine *wall) {
			worlds := start(t, config)
			read(t, worlds, "idle", "vr_a")
			read(t, worlds, "used", "vr_a")
			wantSwept(t, worlds)
			for range 61 { // an hour and a minute: a last-used time may be a minute late
				machine.pass(time.Minute)
				read(t, worlds, "used", "vr_a")
			}
			wantSwept(t, worlds, "idle")
			if keys := collected(t, worlds); len(keys) != 2 { // the record and the request of the other
				t.Errorf("left: %q", keys)
			}
			if state := read(t, worlds, "used", "vr_a").State; state != api.StateProcessing {
				t.Errorf("the used one shows %s", state)
			}
			if state := read(t, worlds, "idle", "vr_a").State; state != api.StatePendingApproval {
				t.Errorf("the deleted one shows %s, not what a new one does", state)
			}
		},
		"world used within the hour stays": func(t *testing.T, config world.Config, machine *wall) {
			worlds := start(t, config)
			open(t, worlds, "a")
			machine.pass(time.Minute - 1)
			open(t, worlds, "a") // not written: less than a minute has passed
			wantSwept(t, worlds)
			machine.pass(time.Hour + time.Minute - 1)
			wantSwept(t, worlds)
			machine.pass(1)
			wantSwept(t, worlds, "a")
		},
		"world of an earlier release is used at the first sweep": func(t *testing.T, config world.Config, machine *wall) {
			worlds := start(t, config)
			open(t, worlds, "a")
			removeUse(t, config.Store, "a")
			machine.pass(1000 * time.Hour)
			wantSwept(t, worlds)
			machine.pass(61 * time.Minute)
			wantSwept(t, worlds, "a")
		},
		"steered world stays, also when it is read by its id": func(t *testing.T, config world.Config, machine *wall) {
			worlds := start(t, config)
			acts := map[string]func(context.Context, *world.World) error{
				"reset": func(ctx context.Context, w *world.World) error {
					_, err := w.Reset(ctx)
					return err
				},
				"fault": func(ctx context.Context, w *world.World) error {
					_, err := w.AddFault(ctx, `{on: any, fault: empty}`)
					return err
				},
				"clock": func(ctx context.Context, w *world.World) error {
					_, err := w.Advance(ctx, time.Minute)
					return err
				},
				"refused": func(ctx context.Context, w *world.World) error {
					if _, err := w.Advance(ctx, -time.Minute); err == nil {
						return errors.New("the clock goes back")
					}
					return nil
				},
				"look": func(ctx context.Context, w *world.World) error {
					_, err := w.Status(ctx)
					return err
				},
			}
			for name := range acts {
				open(t, worlds, name)
			}
			s := snapshot(t, worlds, "restore")
			wantSwept(t, worlds)
			machine.pass(time.Hour)
			for name, act := range acts {
				if err := act(t.Context(), worlds.ByID(idOf(name))); err != nil {
					t.Error(err)
				}
			}
			if err := restore(t, keyOf(worlds, "restore"), s.text()); err != nil {
				t.Error(err)
			}
			machine.pass(time.Hour)
			wantSwept(t, worlds)
		},
		"more worlds than a transaction takes are deleted": func(t *testing.T, config world.Config, machine *wall) {
			worlds := start(t, config)
			var idle []string
			for i := range 300 {
				name := fmt.Sprint(i)
				open(t, worlds, name)
				if i != 7 {
					idle = append(idle, name)
				}
			}
			wantSwept(t, worlds)
			machine.pass(2 * time.Hour)
			open(t, worlds, "7")
			wantSwept(t, worlds, idle...)
			if keys := collected(t, worlds); len(keys) != 1 {
				t.Errorf("left: %q", keys)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, machine := withTTL(t)
			test(t, config, machine)
		})
	}
}

func restore(t *testing.T, w *world.World, snapshot string) error {
	_, err := w.Restore(t.Context(), []byte(snapshot))
	return err
}

// removeUse takes the last-used time out of the record of a world, as an earlier release has stored it.
func removeUse(t *testing.T, s store.Store, name string) {
	t.Helper()
	used := regexp.MustCompile(`,"used":"[^"]*"`)
	err := s.Update(t.Context(), func(tx store.Tx) error {
		record, err := tx.Get(registry.RecordKey(idOf(name)))
		if !used.Match(record) {
			t.Errorf("no last-used time: %s %v", record, err)
		}
		return tx.Put(registry.RecordKey(idOf(name)), used.ReplaceAll(record, nil))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLastUsed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ttl  time.Duration
		want int64 // updates in ten minutes
	}{
		"is written once a minute":                      {0, 10},
		"is written once a minute, with a time to live": {time.Hour, 10},
		"is written ten times per short time to live":   {2 * time.Minute, 50},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, machine := configure(t, stepping)
			counted := &storetest.Counting{Store: config.Store}
			config.Store, config.TTL = counted, tt.ttl
			worlds := start(t, config)
			open(t, worlds, "a")
			made := counted.Updates.Load()
			for range 200 { // twenty uses a minute
				machine.pass(3 * time.Second)
				open(t, worlds, "a")
			}
			if n := counted.Updates.Load() - made; n != tt.want {
				t.Errorf("%d updates, want %d", n, tt.want)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	t.Run("world that is used again keeps what it then stores", func(t *testing.T) {
		t.Parallel()
		config, machine := configure(t, stepping)
		config.Store = uncollected{config.Store}
		worlds := start(t, config)
		read(t, worlds, "a", "vr_a")
		if err := worlds.ByID(idOf("a")).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		machine.pass(time.Millisecond)
		if state := read(t, worlds, "a", "vr_a").State; state != api.StatePendingApproval {
			t.Errorf("the first read of the new world finds %s", state)
		}
		if keys := collected(t, worlds); len(keys) != 2 {
			t.Errorf("left: %q", keys)
		}
		if state := read(t, worlds, "a", "vr_a").State; state != api.StateProcessing {
			t.Errorf("the second read of the new world finds %s", state)
		}
		if worlds.Created() != 2 || worlds.Deleted() != 1 {
			t.Errorf("%d worlds are counted as made and %d as deleted, want 2 and 1", worlds.Created(), worlds.Deleted())
		}
	})
	t.Run("unknown world is 404", func(t *testing.T) {
		t.Parallel()
		worlds := startFile(t, stepping)
		for _, id := range []string{idOf("a"), "no id"} {
			wantStatus(t, worlds.ByID(id).Delete(t.Context()), http.StatusNotFound)
		}
		if worlds.Deleted() != 0 {
			t.Errorf("%d worlds are counted as deleted", worlds.Deleted())
		}
	})
}

// fillGeneration stores more of a world than a transaction deletes, its journal too.
func fillGeneration(t *testing.T, worlds *world.Worlds, name string) {
	t.Helper()
	w := keyOf(worlds, name)
	for i := range 150 {
		if _, err := w.CreateTenantProperty(t.Context(), fmt.Sprintf("id: tp_%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	var at journal.Ref
	do(t, worlds, name, func(tx *world.Tx) error {
		at = tx.Journal()
		return nil
	})
	err := worlds.Config().Store.Update(t.Context(), func(tx store.Tx) error {
		return tx.Put(registry.JournalPrefix(at)+"1", nil)
	})
	if err != nil {
		t.Error(err)
	}
}

// generations returns in how many generations worlds have stored something, by the prefix of its keys.
func generations(keys []string) map[string]int {
	count := make(map[string]int)
	for _, key := range keys {
		if strings.HasPrefix(key, "w/") || strings.HasPrefix(key, "journal/") {
			count[strings.Join(strings.Split(key, "/")[1:3], "/")]++
		}
	}
	return count
}

// interrupted is a text after whose end something happens, once.
type interrupted struct {
	io.ReadSeeker
	then func()
}

func (r interrupted) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	if err == io.EOF {
		r.then()
	}
	return n, err
}

// A restore fills a later generation than another replica's that ends after it has checked its text, at the same instant.
func TestRestoreBesideAnother(t *testing.T) {
	t.Parallel()
	config, _ := configure(t, stepping)
	one, other := start(t, config), start(t, config)
	open(t, one, "a")
	text := snapshot(t, one, "a").text()
	generation := func(worlds *world.Worlds) (of int64) {
		do(t, worlds, "a", func(tx *world.Tx) error {
			of = tx.Journal().Generation
			return nil
		})
		return of
	}
	var first int64
	beside := sync.OnceFunc(func() {
		noError(t, restore(t, keyOf(other, "a"), text))
		first = generation(other)
	})
	_, err := keyOf(one, "a").RestoreFrom(t.Context(), interrupted{strings.NewReader(text), beside})
	noError(t, err)
	if last := generation(one); first == 0 || last <= first {
		t.Errorf("it fills %d after %d", last, first)
	}
}

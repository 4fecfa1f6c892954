package world_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// newSnapshot returns the snapshot of a new world with a fault, a scenario file and 150 tenant properties.
func newSnapshot(t *testing.T, worlds *world.Worlds, name string) taken {
	t.Helper()
	fillGeneration(t, worlds, name)
	w := keyOf(worlds, name)
	_, faultErr := w.AddFault(t.Context(), "{on: get, times: 3, respond: {status: 503}}")
	_, _, ownErr := w.PutScenario(t.Context(), "own", fmt.Sprintf("name: own\ntitle: %s\nmagic: {verification_request: vr_own}\n", name))
	if err := errors.Join(faultErr, ownErr); err != nil {
		t.Error(err)
	}
	do(t, worlds, name, func(tx *world.Tx) error {
		_, _, err := evaluateAndRead(tx, "vr_a")
		return err
	})
	return snapshot(t, worlds, name)
}

func TestRestore(t *testing.T) {
	t.Parallel()
	config, _ := configure(t, stepping)
	counted := &storetest.Counting{Store: config.Store}
	config.Store = uncollected{counted}
	worlds := start(t, config)
	s := newSnapshot(t, worlds, "from")
	read(t, worlds, "to", "vr_a")
	before := counted.Updates.Load()
	var filled journal.Ref
	err := keyOf(worlds, "to").RestoreWith(t.Context(), s.text(), func(at journal.Ref) error {
		filled = at
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := counted.Updates.Load() - before; n < 3 {
		t.Errorf("%d keys are stored in %d transactions, want several", len(s.Stored), n)
	}
	if diff := cmp.Diff(s, snapshot(t, worlds, "to")); diff != "" {
		t.Errorf("the snapshot (-) and the world that is restored from it (+):\n%s", diff)
	}
	do(t, worlds, "to", func(tx *world.Tx) error {
		if tx.Journal() != filled {
			t.Errorf("the journal is at %v, and the one that was filled at %v", tx.Journal(), filled)
		}
		return nil
	})
	if n := generations(collected(t, worlds)); len(n) != 2 {
		t.Errorf("stored by generation: %v", n)
	}
}

// A failed restore changes nothing, and leaves nothing in the store.
func TestRestoreError(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for name, tt := range map[string]struct {
		change func(*taken)
		also   func(cancel context.CancelFunc, tx store.Tx, at journal.Ref) error
		status int // of the refusal; 0: another error
	}{
		"other version": {change: func(s *taken) { s.Version++ }, status: http.StatusBadRequest},
		"unknown name":  {change: func(s *taken) { s.Stored["other"] = []byte("1") }, status: http.StatusBadRequest},
		"journal fails": {also: func(_ context.CancelFunc, tx store.Tx, at journal.Ref) error {
			return errors.Join(tx.Put(world.JournalPrefix(at)+"1", nil), failed)
		}},
		"client is gone": {also: func(cancel context.CancelFunc, tx store.Tx, at journal.Ref) error {
			cancel()
			return tx.Put(world.JournalPrefix(at)+"1", nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, _ := configure(t, stepping)
			config.Store = uncollected{config.Store}
			worlds := start(t, config)
			s := newSnapshot(t, worlds, "from")
			read(t, worlds, "to", "vr_a")
			if tt.change != nil {
				tt.change(&s)
			}
			before := entries(t, config.Store)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := keyOf(worlds, "to").RestoreWith(ctx, s.text(), func(at journal.Ref) error {
				var result error
				err := config.Store.Update(t.Context(), func(tx store.Tx) error {
					result = tt.also(cancel, tx, at)
					return nil
				})
				return errors.Join(err, result)
			})
			if tt.status != 0 {
				wantStatus(t, err, tt.status)
			} else if !errors.Is(err, failed) && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			collected(t, worlds)
			if diff := cmp.Diff(before, entries(t, config.Store)); diff != "" {
				t.Errorf("stored:\n%s", diff)
			}
		})
	}
}

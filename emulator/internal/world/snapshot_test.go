package world_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
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
	config.Journal = journal.New(journal.Config{Size: 10})
	counted := &storetest.Counting{Store: config.Store}
	config.Store = uncollected{counted}
	worlds := start(t, config)
	s := newSnapshot(t, worlds, "from")
	read(t, worlds, "to", "vr_a")
	before := counted.Updates.Load()
	const dropped = 7
	noError(t, restore(t, keyOf(worlds, "to"), strings.Replace(s.text(), `"journal_dropped":0`, fmt.Sprint(`"journal_dropped":`, dropped), 1)))
	if n := counted.Updates.Load() - before; n < 3 {
		t.Errorf("%d keys are stored in %d transactions, want several", len(s.Stored), n)
	}
	if diff := cmp.Diff(s, snapshot(t, worlds, "to")); diff != "" {
		t.Errorf("the snapshot (-) and the world that is restored from it (+):\n%s", diff)
	}
	do(t, worlds, "to", func(tx *world.Tx) error {
		if _, got, err := config.Journal.Read(t.Context(), tx.Journal()); got != dropped || err != nil {
			t.Errorf("%d entries are dropped of the restored journal, want %d (%v)", got, dropped, err)
		}
		return nil
	})
	if n := generations(collected(t, worlds)); len(n) != 2 {
		t.Errorf("stored by generation: %v", n)
	}
}

// spoiled is the store of a journal. It calls after once two of its transactions are written.
type spoiled struct {
	store.Store
	updates int
	after   func() error
}

func (s *spoiled) Update(_ context.Context, fn func(store.Tx) error) error {
	err := s.Store.Update(context.Background(), fn)
	if s.updates++; s.updates == 2 {
		err = errors.Join(err, s.after())
	}
	return err
}

// A failed restore changes nothing, and leaves nothing in the store.
func TestRestoreError(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for name, tt := range map[string]struct {
		change func(*taken)
		after  func(cancel context.CancelFunc) error // when the journal is written
		status int                                   // of the refusal; 0: another error
	}{
		"other version":  {change: func(s *taken) { s.Version++ }, status: http.StatusBadRequest},
		"unknown name":   {change: func(s *taken) { s.Stored["other"] = []byte("1") }, status: http.StatusBadRequest},
		"journal fails":  {after: func(context.CancelFunc) error { return failed }},
		"client is gone": {after: func(cancel context.CancelFunc) error { cancel(); return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			config, _ := configure(t, stepping)
			config.Store = uncollected{config.Store}
			s := newSnapshot(t, start(t, config), "from")
			journals := &spoiled{Store: config.Store, after: func() error { return tt.after(cancel) }}
			config.Journal = journal.New(journal.Config{Size: 10, Store: journals, Prefix: registry.JournalPrefix, Current: registry.Generation, RecordKey: registry.RecordKey})
			worlds := start(t, config)
			read(t, worlds, "to", "vr_a")
			if tt.change != nil {
				tt.change(&s)
			}
			before := entries(t, config.Store)
			_, err := keyOf(worlds, "to").Restore(ctx, []byte(s.text()))
			if tt.status != 0 {
				wantStatus(t, err, tt.status)
			} else if !errors.Is(err, failed) && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if written := journals.updates == 2; written != (tt.after != nil) {
				t.Errorf("%d transactions of the journal", journals.updates)
			}
			collected(t, worlds)
			if diff := cmp.Diff(before, entries(t, config.Store)); diff != "" {
				t.Errorf("stored:\n%s", diff)
			}
		})
	}
}

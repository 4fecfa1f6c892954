package registry_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// opened returns a temporary store.
func opened(t *testing.T) store.Store {
	t.Helper()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// update runs a transaction, and returns its result.
func update[T any](t *testing.T, s store.Store, do func(store.Tx) (T, error)) (result T) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) (err error) {
		result, err = do(tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var now = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

// fill begins a restore that fills a generation of world a after one.
func fill(t *testing.T, s store.Store, from int64) int64 {
	t.Helper()
	return update(t, s, func(tx store.Tx) (int64, error) { return registry.Fill(tx, "a", from, now) })
}

// A restore fills a generation that no world that begins meanwhile has, and that no other restore fills.
func TestFill(t *testing.T) {
	t.Parallel()
	s := opened(t)
	from := now.UnixMicro()
	first := fill(t, s, from)
	if latest := now.Add(registry.RestoreTime).UnixMicro(); first <= latest {
		t.Errorf("it fills %d, and %d may begin meanwhile", first, latest)
	}
	if second := fill(t, s, from); second <= first {
		t.Errorf("a second restore fills %d, beside %d", second, first)
	}
	storetest.Put(t, s, registry.RecordKey("a"), []byte(`{"generation":9007199254740991}`))
	if last := fill(t, s, from); last <= 9007199254740991 {
		t.Errorf("it fills %d, before the world's own generation", last)
	}
	if free := update(t, s, func(tx store.Tx) (int64, error) { return registry.Free(tx, "a", first) }); free != first+2 {
		t.Errorf("after %d, which restores fill, %d is free, want %d", first, free, first+2)
	}
}

// Collect deletes what ended generations have stored, their journals too, and nothing of another generation or world.
func TestCollect(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var elapsed time.Duration
	c := registry.NewCollector(s, func() time.Duration { return elapsed })
	collect := func() {
		t.Helper()
		if err := c.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keysOf := func(world string, generation int64) []string {
		return []string{registry.ValuesPrefix(world, generation) + "vr/vr_a", registry.JournalPrefix(journal.Ref{World: world, Generation: generation}) + "1"}
	}
	filled := fill(t, s, 1)
	stays := slices.Concat(keysOf("a", 11), keysOf("a", 36), keysOf("ab", 1), []string{registry.RecordKey("a")})
	for _, key := range slices.Concat(stays, keysOf("a", 1), keysOf("a", filled)) {
		storetest.Put(t, s, key, []byte("{}"))
	}
	update(t, s, func(tx store.Tx) (any, error) { return nil, registry.End(tx, "a", 1) })
	wantKeys := func(all ...[]string) {
		t.Helper()
		want := slices.Concat(all...)
		slices.Sort(want)
		got := slices.DeleteFunc(storeKeys(t, s), func(key string) bool { return strings.HasPrefix(key, "gone/") })
		if !slices.Equal(got, want) {
			t.Errorf("the keys are %q, want %q", got, want)
		}
	}
	collect()
	wantKeys(stays, keysOf("a", filled))
	elapsed = 2 * registry.RestoreTime // as long as a restore may take: the process has seen it since its first look
	collect()
	wantKeys(stays, keysOf("a", filled))
	elapsed++
	collect()
	wantKeys(stays)
	if left := len(storeKeys(t, s)) - len(stays); left != 0 {
		t.Errorf("%d marks are left", left)
	}
}

// A generation that a restore has filled stays.
func TestFilled(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var elapsed time.Duration
	c := registry.NewCollector(s, func() time.Duration { return elapsed })
	generation := fill(t, s, 1)
	key := registry.ValuesPrefix("a", generation) + "vr/vr_a"
	storetest.Put(t, s, key, []byte("{}"))
	update(t, s, func(tx store.Tx) (any, error) { return nil, registry.Filled(tx, "a", generation) })
	for range 2 {
		if err := c.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		elapsed += 3 * registry.RestoreTime
	}
	storetest.WantKeys(t, s, "", key)
}

// storeKeys lists all keys of a store.
func storeKeys(t *testing.T, s store.Store) (all []string) {
	t.Helper()
	err := s.View(t.Context(), func(tx store.Tx) error {
		all = nil
		for entry, err := range tx.Scan("", "") {
			if err != nil {
				return err
			}
			all = append(all, entry.Key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a world was before a reset is stored until its next reset, which ends the generation of the last.
func TestBefore(t *testing.T) {
	t.Parallel()
	s := opened(t)
	reset := func(generation int64) {
		update(t, s, func(tx store.Tx) (any, error) {
			return nil, registry.StoreBefore(tx, "a", registry.Before{At: now, Record: registry.Record{Generation: generation}})
		})
	}
	free := func(generation int64) int64 {
		return update(t, s, func(tx store.Tx) (int64, error) { return registry.Free(tx, "a", generation) })
	}
	reset(5)
	if free(5) != 5 {
		t.Error("the generation before the reset has ended")
	}
	reset(6)
	before := update(t, s, func(tx store.Tx) (registry.Before, error) { return registry.ReadBefore(tx, "a") })
	if before.Record.Generation != 6 || free(5) != 6 {
		t.Errorf("generation %d is stored, and %d is the first that is free from 5 on", before.Record.Generation, free(5))
	}
	for range 2 { // the second time there is nothing
		update(t, s, func(tx store.Tx) (any, error) { return nil, registry.EndBefore(tx, "a") })
	}
	if before := update(t, s, func(tx store.Tx) (registry.Before, error) { return registry.ReadBefore(tx, "a") }); !before.At.IsZero() || free(5) != 7 {
		t.Errorf("%+v is stored, and %d is free", before, free(5))
	}
}

// A frozen world stands, a running one is ahead of its wall, within the years of the clock.
func TestInstant(t *testing.T) {
	t.Parallel()
	last := time.Date(9990, time.December, 31, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		record     registry.Record
		wall, want time.Time
	}{
		"frozen, whatever it is ahead": {registry.Record{Frozen: &now, Ahead: time.Hour}, now.Add(time.Minute), now},
		"running":                      {registry.Record{Ahead: time.Hour}, now, now.Add(time.Hour)},
	} {
		if got := tt.record.Instant(tt.wall); !got.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if got := (registry.Record{Ahead: 250 * 365 * 24 * time.Hour}).Instant(last); got.Year() != 9990 {
		t.Errorf("beyond the last year it is %v", got)
	}
}

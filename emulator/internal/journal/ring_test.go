package journal_test

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

func refOf(world string) journal.Ref { return journal.Ref{World: world, Generation: 1} }

// add appends an entry with an answer of 500 bytes.
func add(t testing.TB, j *journal.Journal, ref journal.Ref) {
	t.Helper()
	if err := j.Append(t.Context(), ref, journal.NewEntry(journal.Request{Method: "GET"}, make([]byte, 500), nil)); err != nil {
		t.Error(err)
	}
}

func wantCounts(t *testing.T, j *journal.Journal, world string, entries int, dropped uint64) {
	t.Helper()
	if all, n, err := j.Read(t.Context(), refOf(world)); len(all) != entries || n != dropped || err != nil {
		t.Errorf("%s has %d entries, %d dropped, want %d, %d (%v)", world, len(all), n, entries, dropped, err)
	}
}

// wantBytes checks that the entries are within a budget, and that all bytes are given back once their worlds are deleted.
func wantBytes(t *testing.T, j *journal.Journal, budget int64, worlds ...string) {
	t.Helper()
	if n := j.Bytes(); n <= 0 || n > budget {
		t.Errorf("%d bytes, the budget is %d", n, budget)
	}
	for _, world := range worlds {
		j.Delete(world)
	}
	if n := j.Bytes(); len(worlds) > 0 && n != 0 {
		t.Errorf("%d bytes of deleted worlds", n)
	}
}

func TestEvictLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	const budget = 100 << 10
	j := journal.New(journal.Config{Size: 100, Budget: budget})
	worlds := []string{"busy"}
	for i := range 30 {
		worlds = append(worlds, fmt.Sprint("w", i))
		add(t, j, refOf(worlds[i+1]))
	}
	for range 50 {
		add(t, j, refOf("busy"))
	}
	wantCounts(t, j, "w0", 0, 1)
	wantCounts(t, j, "w29", 1, 0)
	wantCounts(t, j, "busy", 50, 0)
	add(t, j, refOf("w0"))
	if entries, _, _ := j.Read(t.Context(), refOf("w0")); len(entries) != 1 || entries[0].Sequence != 2 {
		t.Errorf("an evicted world has %v", entries)
	}
	if overrun, evicted := j.Dropped(); evicted == 0 || overrun != 0 {
		t.Errorf("%d evicted, %d overrun", evicted, overrun)
	}
	wantBytes(t, j, budget, worlds...)
}

func TestEvictWorldInUse(t *testing.T) {
	t.Parallel()
	const budget = 100 << 10
	j := journal.New(journal.Config{Size: 100_000, Budget: budget})
	for range 1000 {
		add(t, j, refOf("w"))
	}
	entries, dropped, err := j.Read(t.Context(), refOf("w"))
	if n := len(entries); n < 40 || dropped != uint64(1000-n) || entries[n-1].Sequence != 1000 || err != nil {
		t.Errorf("%d entries, %d dropped, %v", n, dropped, err)
	}
	if _, evicted := j.Dropped(); evicted != dropped {
		t.Errorf("%d evicted", evicted)
	}
	wantBytes(t, j, budget, "w")
}

// A world has the entries of its generation and of the one before.
func TestAppendNewGeneration(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{Size: 10})
	add(t, j, w1)
	before := j.Bytes()
	add(t, j, w2)
	add(t, j, w3)
	if n := j.Bytes(); n != 2*before {
		t.Errorf("%d bytes of two generations, one had %d", n, before)
	}
	for ref, want := range map[journal.Ref]int{w1: 0, w2: 1, w3: 1} {
		if entries, _, err := j.Read(t.Context(), ref); len(entries) != want || err != nil {
			t.Errorf("generation %d has %d entries, %v", ref.Generation, len(entries), err)
		}
	}
	wantBytes(t, j, 2*before, "w")
}

func TestEvictLargeEntry(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{Size: 10, Budget: 1000})
	add(t, j, refOf("w"))
	wantBytes(t, j, 1000, "w")
}

// Nothing is left of worlds that are evicted. Not parallel: it measures the heap.
func TestEvictManyWorlds(t *testing.T) {
	const budget = 1 << 20
	j := journal.New(journal.Config{Size: 10, Budget: budget})
	before := inUse()
	for i := range 50_000 {
		ref := refOf(fmt.Sprint("w", i))
		add(t, j, ref)
		if i%3 == 0 {
			if err := j.Clear(t.Context(), ref); err != nil {
				t.Error(err)
			}
		}
	}
	if held := inUse() - before; held > 2*budget {
		t.Errorf("%d bytes are held, the budget is %d", held, budget)
	}
	wantBytes(t, j, budget)
}

func TestEvictRestored(t *testing.T) {
	t.Parallel()
	const budget = 20 << 10
	j := journal.New(journal.Config{Size: 10, Budget: budget})
	restored := journal.Ref{World: "w", Generation: 7}
	if err := j.Restore(t.Context(), restored, restoredOf(2, entry("a"))); err != nil {
		t.Error(err)
	}
	for i := range 100 {
		add(t, j, refOf(fmt.Sprint(i)))
	}
	if entries, _, _ := j.Read(t.Context(), restored); len(entries) > 0 {
		t.Error("the restored generation is not evicted")
	}
	wantBytes(t, j, budget)
}

// restoredOf returns the journal of a snapshot.
func restoredOf(dropped uint64, entries ...*journal.Entry) journal.Restored {
	return journal.Restored{Count: len(entries), Dropped: dropped, Entries: func(yield func(*journal.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}}
}

func TestWatchStop(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{Size: 2})
	wake, stop := j.Watch("w")
	add(t, j, w1)
	add(t, j, w1)
	<-wake
	stop()
	add(t, j, w1)
	select {
	case <-wake:
		t.Error("received after stop, or twice")
	default:
	}
}

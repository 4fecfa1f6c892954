package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// wantLines wants each text to be in one line of a log, and that there are no others.
func wantLines(t *testing.T, log *storetest.Log, texts ...string) {
	t.Helper()
	all := log.String()
	for _, text := range texts {
		if strings.Count(all, text) != 1 {
			t.Errorf("%s is told %d times", text, strings.Count(all, text))
		}
	}
	if n := strings.Count(all, "\n"); n != len(texts) {
		t.Errorf("%d lines are logged, want %d:\n%s", n, len(texts), all)
	}
}

// What cannot be written is gathered, and dropped above a bound; nobody waits, and nothing has to be started anew.
func TestWhileTheStoreIsAwayEntriesAreGathered(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	a, worlds, log := loggedOnEtcd(t, cluster, "away", 100_000)
	worlds.set(t, "w", 1)
	a.Append("w", 1, entry("before"))
	wantEntries(t, a, "w", 1, 0, "1 before")
	cluster.Members[0].Kill()
	const more, bound = 10_000, 8192
	for i := range more {
		a.Append("w", 1, entry(fmt.Sprint(i)))
	}
	if w := a.Writes(); w.Gathered != bound || w.Dropped != more-bound || w.Written != 1 {
		t.Errorf("without the store: %+v", w)
	}
	if _, _, err := a.Read(t.Context(), "w", 1); err == nil || !strings.Contains(err.Error(), "the journal is not whole: ") {
		t.Errorf("the error of reading is %v", err)
	}
	cluster.Members[0].Start(t)
	entries, dropped, err := a.Read(t.Context(), "w", 1)
	for ; err != nil && t.Context().Err() == nil; entries, dropped, err = a.Read(t.Context(), "w", 1) {
	}
	if len(entries) != 1+bound || dropped != 0 || entries[bound].Sequence != 1+bound {
		t.Errorf("%d entries, %d dropped", len(entries), dropped)
	}
	for i, e := range entries[1:] {
		if e.ID != fmt.Sprint(i) {
			t.Fatalf("%s stands where %d was asked", e.ID, i)
		}
	}
	if w := a.Writes(); w.Gathered != 0 || w.Dropped != more-bound || w.Written != 1+bound {
		t.Errorf("with the store again: %+v", w)
	}
	if held := a.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
	wantLines(t, log,
		`level=WARN msg="the journal cannot be written: requests are gathered until it can" cause=`,
		`level=WARN msg="requests are missing in journals: the store could not take them, or not as fast as they came" dropped=`,
		`level=INFO msg="the journal is written again" after=`,
	)
}

// A log that a later release began is that one's. The journals of the other worlds go on.
func TestALogThatTakesNothingHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	a, worlds, log := loggedOnEtcd(t, cluster, "later", 10)
	for _, world := range []string{"v", "w", "x"} {
		worlds.set(t, world, 1)
	}
	head := "/later/data/" + worlds.JournalPlace("w", 1) + "head"
	if _, err := cluster.Client(t).Put(t.Context(), head, strings.Repeat("2", 12+24)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, world := range []string{"v", "w", "x"} {
			a.Append(world, 1, entry("of-"+world))
		}
		for _, world := range []string{"v", "x"} {
			if _, _, err := a.Read(t.Context(), world, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantEntries(t, a, "v", 1, 0, "1 of-v", "2 of-v")
	wantEntries(t, a, "x", 1, 0, "1 of-x", "2 of-x")
	if w := a.Writes(); w != (journal.Writes{Written: 4, Dropped: 2}) {
		t.Errorf("%+v", w)
	}
	if _, _, err := a.Read(t.Context(), "w", 1); err == nil || !strings.Contains(err.Error(), "it was written by a later release, use that, or reset the world") {
		t.Error(err)
	}
	if held := a.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
	wantLines(t, log, `level=WARN msg="the journal of a world takes nothing: its requests are dropped" cause="store etcd://`)
}

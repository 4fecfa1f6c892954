package journal_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// worlds are worlds of which only the generation is kept.
type worlds struct{ store.Store }

func (w worlds) RecordKey(id string) string { return "world/" + id }

func (w worlds) JournalPlace(id string, generation int64) string {
	return fmt.Sprintf("journal/%s/%d/", id, generation)
}

func (w worlds) Generation(ctx context.Context, id string) (int64, error) {
	text, err := w.Get(ctx, w.RecordKey(id))
	if err != nil || text == nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}

func (w worlds) set(t *testing.T, id string, generation int64) {
	t.Helper()
	err := w.Update(t.Context(), w.RecordKey(id), func([]byte) ([]byte, error) { return fmt.Append(nil, generation), nil })
	if err != nil {
		t.Fatal(err)
	}
}

// onEtcd returns a journal as a replica has it whose store has a name.
func onEtcd(t *testing.T, cluster *etcdtest.Cluster, name string, size int) (*journal.Journal, worlds) {
	t.Helper()
	j, worlds, _ := loggedOnEtcd(t, cluster, name, size)
	return j, worlds
}

// loggedOnEtcd is onEtcd with what is logged.
func loggedOnEtcd(t *testing.T, cluster *etcdtest.Cluster, name string, size int) (*journal.Journal, worlds, *storetest.Log) {
	t.Helper()
	log := &storetest.Log{}
	s, err := etcd.Open(t.Context(), "etcd://"+cluster.Endpoints()+"/"+name, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	j := journal.Shared(size, s, worlds{s}, slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(func() {
		if err := j.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return j, worlds{s}, log
}

// eachKind runs a test with journals of each kind, in a world w and a world v of whatever generation they are used in.
func eachKind(t *testing.T, test func(t *testing.T, make func(size int) *journal.Journal)) {
	t.Helper()
	t.Run("in memory", func(t *testing.T) {
		t.Parallel()
		test(t, journal.New)
	})
	t.Run("in etcd", func(t *testing.T) {
		t.Parallel()
		cluster := etcdtest.Run(t, 1)
		var stores atomic.Int32
		test(t, func(size int) *journal.Journal {
			j, worlds := onEtcd(t, cluster, fmt.Sprint(stores.Add(1)), size)
			for world, generation := range map[string]int64{"w": 1, "other": 1, "v": 8} {
				worlds.set(t, world, generation)
			}
			return j
		})
	})
}

func TestReplicasHaveOneJournal(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, test := range map[string]func(t *testing.T, a, b *journal.Journal, worlds worlds){
		"whose order is one, without a gap or an entry twice":       testOneOrder,
		"of which each reads what another has added just before":    testReadElsewhere,
		"whose entries come out as they went in":                    testEntriesWhole,
		"that wakes who watches, and tells of a reset":              testWatchElsewhere,
		"to which nothing of a world comes that has been forgotten": testLateEntries,
		"that has the place of an entry that is too large":          testTooLarge,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := strings.ReplaceAll(name, " ", "-")
			a, worlds := onEtcd(t, cluster, prefix, 5000)
			b, _ := onEtcd(t, cluster, prefix, 5000)
			worlds.set(t, "w", 1)
			test(t, a, b, worlds)
		})
	}
}

func testOneOrder(t *testing.T, a, b *journal.Journal, _ worlds) {
	var running sync.WaitGroup
	for who, j := range map[string]*journal.Journal{"a": a, "b": b} {
		running.Go(func() {
			for i := range 1000 {
				j.Append("w", 1, entry(fmt.Sprint(who, i)))
			}
		})
	}
	running.Wait()
	of, dropped, err := a.Read(t.Context(), "w", 1)
	if err != nil || len(of) != 2000 || dropped != 0 {
		t.Fatalf("%d entries, %d dropped, %v", len(of), dropped, err)
	}
	others, _, err := b.Read(t.Context(), "w", 1)
	if err != nil || !slices.Equal(ids(of), ids(others)) {
		t.Errorf("the replicas read two orders: %v", err)
	}
	next := map[byte]int{}
	for i, e := range of {
		if e.Sequence != uint64(i+1) || e.ID[1:] != fmt.Sprint(next[e.ID[0]]) {
			t.Fatalf("%s has the number %d where %d is due, and %d of its replica", e.ID, e.Sequence, i+1, next[e.ID[0]])
		}
		next[e.ID[0]]++
	}
	if written := a.Writes().Written + b.Writes().Written; written != 2000 {
		t.Errorf("%d are said to be written", written)
	}
}

func testReadElsewhere(t *testing.T, a, b *journal.Journal, _ worlds) {
	var want []string
	for i := range 20 {
		on, other := a, b
		if i%2 == 1 {
			on, other = b, a
		}
		on.Append("w", 1, entry(fmt.Sprint(i)))
		want = append(want, fmt.Sprint(i+1, " ", i))
		wantEntries(t, other, "w", 1, 0, want...)
	}
	if err := a.Clear(t.Context(), "w", 1); err != nil {
		t.Fatal(err)
	}
	wantEntries(t, b, "w", 1, 0)
	b.Append("w", 1, entry("next"))
	wantEntries(t, a, "w", 1, 0, "21 next")
}

func testEntriesWhole(t *testing.T, a, b *journal.Journal, _ worlds) {
	var want []string
	for i := range 3 {
		e := entry(fmt.Sprint(i))
		e.Fault, e.Scenario, e.Rule, e.Diagnosis = "dribble", "slow", "slow.yaml:7:3", []string{"one", "two"}
		e.Time = time.Date(9989, 12, 31, 23, 59, 59, 999999999, time.UTC)
		e.Sequence = uint64(i + 1)
		text, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(text))
		a.Append("w", 1, e)
	}
	read, _, err := b.Read(t.Context(), "w", 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range read {
		text, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func testWatchElsewhere(t *testing.T, a, b *journal.Journal, worlds worlds) {
	a.Append("w", 1, entry("before"))
	wake, stop := b.Watch("w")
	defer stop()
	place, err := b.End(t.Context(), "w", 1)
	if err != nil {
		t.Fatal(err)
	}
	await := func(want string) {
		t.Helper()
		var got []string
		for {
			news, err := b.Since(t.Context(), "w", place)
			if err != nil {
				t.Fatal(err)
			}
			if place = news.Next; news.Anew {
				got = append(got, "anew")
			}
			if got = append(got, ids(news.Entries)...); strings.Join(got, ", ") == want {
				return
			}
			if len(got) > 0 && !strings.HasPrefix(want, strings.Join(got, ", ")) {
				t.Fatalf("came %v, want %s", got, want)
			}
			<-wake
		}
	}
	a.Append("w", 1, entry("x"))
	await("2 x")
	a.Append("w", 1, entry("y"))
	a.Append("w", 1, entry("z"))
	await("3 y, 4 z")
	worlds.set(t, "w", 2)
	await("anew")
	a.Append("w", 2, entry("first"))
	await("1 first")
	if err := a.Clear(t.Context(), "w", 2); err != nil {
		t.Fatal(err)
	}
	a.Append("w", 2, entry("second"))
	await("2 second")
}

func testLateEntries(t *testing.T, a, b *journal.Journal, worlds worlds) {
	a.Append("w", 1, entry("early"))
	wantEntries(t, b, "w", 1, 0, "1 early")
	worlds.set(t, "w", 2)
	if err := worlds.DeletePrefix(t.Context(), worlds.JournalPlace("w", 1)); err != nil {
		t.Fatal(err)
	}
	for _, j := range []*journal.Journal{a, b} {
		j.Append("w", 1, entry("late"))
		j.Append("w", 2, entry("new"))
		wantEntries(t, j, "w", 1, 0)
	}
	wantEntries(t, a, "w", 2, 0, "1 new", "2 new")
	err := worlds.Scan(t.Context(), worlds.JournalPlace("w", 1), "", func(key string, _ []byte) error {
		return fmt.Errorf("%s is left of a generation that has ended", key)
	})
	if err != nil {
		t.Error(err)
	}
}

func testTooLarge(t *testing.T, a, b *journal.Journal, _ worlds) {
	large := entry("large")
	for range 100 {
		large.Headers = append(large.Headers, journal.Header{Name: "Accept", Value: strings.Repeat("x", 2<<10)})
	}
	a.Append("w", 1, entry("before"))
	a.Append("w", 1, large)
	a.Append("w", 1, entry("behind"))
	wantEntries(t, b, "w", 1, 0, "1 before", "2 large", "3 behind")
	entries, _, err := b.Read(t.Context(), "w", 1)
	if err != nil {
		t.Fatal(err)
	}
	if e := entries[1]; len(e.Headers) != 0 || len(e.Diagnosis) != 1 || !e.Response().Truncated || e.Response().Size == 0 || e.Status != 200 {
		t.Errorf("of the large one is left %+v", e)
	}
}

package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// two opens a store twice, as two processes would.
func two(t *testing.T, cluster *etcdtest.Cluster) (a, b *etcd.Store) {
	t.Helper()
	spec := fmt.Sprintf("etcd://%s/%s", cluster.Endpoints(), strings.ReplaceAll(t.Name(), "/", "-"))
	return open(t, spec), open(t, spec)
}

// batch is one with an entry for each word.
func batch(log, words string, keep uint64) store.Batch {
	return store.Batch{Log: log, Entries: uint64(len(strings.Fields(words))), Value: []byte(words), Keep: keep}
}

func add(t *testing.T, s store.Logs, id string, batches ...store.Batch) (begun []string) {
	t.Helper()
	begun, err := s.AppendLogs(t.Context(), id, batches)
	if err != nil {
		t.Fatal(err)
	}
	return begun
}

// batches returns what is behind a number in a log, as "last words", and the head.
func batches(t *testing.T, s store.Logs, log string, behind uint64) (all []string, head store.LogHead) {
	t.Helper()
	head, err := s.ReadLog(t.Context(), log, behind, func(last uint64, value []byte) error {
		all = append(all, fmt.Sprintf("%d %s", last, value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, head
}

func wantLog(t *testing.T, s store.Logs, log string, head store.LogHead, want ...string) {
	t.Helper()
	all, found := batches(t, s, log, 0)
	if diff := cmp.Diff(want, all); diff != "" || found != head {
		t.Errorf("the log %s has the head %v, want %v; %s", log, found, head, diff)
	}
}

func TestTheLogsOfReplicas(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, test := range map[string]func(t *testing.T, a, b *etcd.Store){
		"are numbered in one order for all":                               testOneOrder,
		"take an append once, however often it is sent":                   testAppendOnce,
		"have no more batches than are of use":                            testKeep,
		"tell which of them an append began":                              testBegun,
		"are numbered on once they were cleared":                          testClearLog,
		"have what came meanwhile behind what they are replaced by":       testReplaceLog,
		"wake who watches them":                                           testWatchLog,
		"are written by all before somebody has settled":                  testSettle,
		"are waited for until what failed to be written is written":       testSettleAgain,
		"do not hold up an amendment":                                     testSettleAside,
		"are not waited for when their replica has gone":                  testSettleAlone,
		"are settled within a time, or with an error that says who lacks": testSettleLate,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := two(t, cluster)
			test(t, a, b)
		})
	}
}

func testOneOrder(t *testing.T, a, b *etcd.Store) {
	const appends, each = 50, 20
	var running sync.WaitGroup
	for who, s := range map[string]store.Logs{"a": a, "b": b} {
		running.Go(func() {
			for i := range appends {
				var words []string
				for n := range each {
					words = append(words, fmt.Sprintf("%s%d", who, i*each+n))
				}
				text := strings.Join(words, " ")
				if _, err := s.AppendLogs(t.Context(), fmt.Sprint(who, i), []store.Batch{batch("l/", text, 0), batch("m/"+who+"/", text, 0)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	of, head := batches(t, a, "l/", 0)
	if others, _ := batches(t, b, "l/", 0); !slices.Equal(of, others) {
		t.Error("the two replicas read two orders")
	}
	if head.Last != 2*appends*each || len(of) != 2*appends {
		t.Errorf("%d entries in %d batches", head.Last, len(of))
	}
	next := map[byte]int{}
	for i, found := range of {
		number, words, _ := strings.Cut(found, " ")
		if number != fmt.Sprint((i+1)*each) {
			t.Errorf("batch %d ends with the number %s", i+1, number)
		}
		for word := range strings.FieldsSeq(words) {
			if word[1:] != fmt.Sprint(next[word[0]]) {
				t.Fatalf("%s stands where %d of its replica is next", word, next[word[0]])
			}
			next[word[0]]++
		}
	}
	if _, head := batches(t, a, "m/b/", 0); head.Last != appends*each {
		t.Errorf("a log of one replica has %d entries", head.Last)
	}
}

func testAppendOnce(t *testing.T, a, b *etcd.Store) {
	for range 3 {
		add(t, a, "first", batch("l/", "x y", 0))
	}
	add(t, b, "first", batch("l/", "z", 0)) // an id is one of its process
	add(t, a, "second", batch("l/", "x y", 0))
	wantLog(t, b, "l/", store.LogHead{Last: 5}, "2 x y", "3 z", "5 x y")
}

func testKeep(t *testing.T, a, b *etcd.Store) {
	for i, words := range []string{"1", "2 3", "4", "5 6 7"} {
		add(t, a, fmt.Sprint(i), batch("l/", words, 4))
	}
	wantLog(t, b, "l/", store.LogHead{Last: 7}, "4 4", "7 5 6 7")
	add(t, b, "last", batch("l/", "8 9 10 11 12", 4))
	wantLog(t, a, "l/", store.LogHead{Last: 12}, "12 8 9 10 11 12")
	if all, _ := batches(t, a, "l/", 12); all != nil {
		t.Errorf("behind the last is %v", all)
	}
}

func testBegun(t *testing.T, a, b *etcd.Store) {
	if begun := add(t, a, "1", batch("l/", "x", 0), batch("m/", "y", 0)); !slices.Equal(begun, []string{"l/", "m/"}) {
		t.Errorf("begun are %v", begun)
	}
	if begun := add(t, b, "1", batch("l/", "x", 0), batch("n/", "y", 0)); !slices.Equal(begun, []string{"n/"}) {
		t.Errorf("begun are %v", begun)
	}
	if err := b.DeletePrefix(t.Context(), "l/"); err != nil {
		t.Fatal(err)
	}
	if begun := add(t, a, "2", batch("l/", "z", 0)); !slices.Equal(begun, []string{"l/"}) {
		t.Errorf("begun are %v", begun)
	}
	wantLog(t, a, "l/", store.LogHead{Last: 1}, "1 z")
}

func testClearLog(t *testing.T, a, b *etcd.Store) {
	if err := a.ClearLog(t.Context(), "l/"); err != nil {
		t.Fatal(err)
	}
	wantLog(t, b, "l/", store.LogHead{})
	add(t, a, "1", batch("l/", "x y", 0))
	if err := b.ClearLog(t.Context(), "l/"); err != nil {
		t.Fatal(err)
	}
	wantLog(t, a, "l/", store.LogHead{Last: 2, Base: 2})
	add(t, a, "2", batch("l/", "z", 0))
	wantLog(t, b, "l/", store.LogHead{Last: 3, Base: 2}, "3 z")
}

func testReplaceLog(t *testing.T, a, b *etcd.Store) {
	restored := []store.Batch{batch("l/", "s t", 0), batch("l/", "u", 0)}
	for _, log := range []string{"l/", "m/"} {
		if log == "m/" {
			add(t, a, "1", batch(log, "x y", 0))
			add(t, a, "2", batch(log, "z", 0))
		}
		if err := b.ReplaceLog(t.Context(), log, store.LogHead{Last: 9, Base: 4}, restored); err != nil {
			t.Fatal(err)
		}
	}
	wantLog(t, a, "l/", store.LogHead{Last: 9, Base: 4}, "8 s t", "9 u")
	wantLog(t, a, "m/", store.LogHead{Last: 12, Base: 4}, "8 s t", "9 u", "11 x y", "12 z")
	add(t, a, "3", batch("m/", "next", 0))
	wantLog(t, b, "m/", store.LogHead{Last: 13, Base: 4}, "8 s t", "9 u", "11 x y", "12 z", "13 next")
}

func testWatchLog(t *testing.T, a, b *etcd.Store) {
	changed, err := b.WatchLog(t.Context(), "l/")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	key, err := b.Watch(ctx, "key")
	if err != nil {
		t.Fatal(err)
	}
	add(t, a, "1", batch("l/", "x", 0))
	<-changed
	if err := a.DeletePrefix(t.Context(), "l/"); err != nil {
		t.Fatal(err)
	}
	<-changed
	if err := a.Update(t.Context(), "key", func([]byte) ([]byte, error) { return []byte("x"), nil }); err != nil {
		t.Fatal(err)
	}
	<-key
	cancel()
	if _, open := <-key; open {
		t.Error("a watch goes on behind its end")
	}
}

func settle(t *testing.T, s store.Logs) {
	t.Helper()
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testSettle(t *testing.T, a, b *etcd.Store) {
	var gathered atomic.Int32
	for who, s := range map[string]store.Logs{"a": a, "b": b} {
		s.OnSettle(func(ctx context.Context) error {
			_, err := s.AppendLogs(ctx, fmt.Sprint(who, gathered.Add(1)), []store.Batch{batch("l/", who, 0)})
			return err
		})
	}
	for i := range 5 {
		settle(t, a)
		all, head := batches(t, a, "l/", 0)
		var from [2]int
		for _, found := range all {
			from[found[len(found)-1]-'a']++
		}
		if from[0] != i+1 || from[1] < i+1 {
			t.Fatalf("%d: the head is %v: %v", i, head, all)
		}
	}
}

func testSettleAgain(t *testing.T, a, b *etcd.Store) {
	var tries atomic.Int32
	b.OnSettle(func(context.Context) error {
		if tries.Add(1) < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	settle(t, a)
	if n := tries.Load(); n != 3 {
		t.Errorf("settled after %d tries", n)
	}
}

func testSettleAside(t *testing.T, a, b *etcd.Store) {
	asked, let := make(chan bool), make(chan bool)
	b.OnSettle(func(context.Context) error { asked <- true; <-let; return nil })
	settled := make(chan error)
	go func() { settled <- a.Settle(t.Context()) }()
	<-asked
	if err := a.Amend(t.Context(), "key", func([]byte) ([]byte, error) { return []byte("x"), nil }); err != nil {
		t.Error(err)
	}
	select {
	case <-settled:
		t.Error("it is settled before the other replica has")
	case let <- true:
	}
	if err := <-settled; err != nil {
		t.Error(err)
	}
}

func testSettleAlone(t *testing.T, a, b *etcd.Store) {
	b.OnSettle(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	settled := make(chan error)
	go func() { settled <- a.Settle(t.Context()) }()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-settled; err != nil {
		t.Error(err)
	}
}

func testSettleLate(t *testing.T, a, b *etcd.Store) {
	b.OnSettle(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // in which the notice is written, on a busy machine too
	defer cancel()
	err := a.Settle(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "replica") {
		t.Errorf("the error is %v", err)
	}
}

// No append is lost and none is there twice when members of etcd fail while it is under way.
func TestAnAppendIsWrittenOnceWhenMembersFail(t *testing.T) {
	t.Parallel()
	const appends = 50 // of each replica, while a member fails
	cluster := etcdtest.Run(t, 3)
	a, b := two(t, cluster)
	appended := 0
	while := func(fails func()) {
		t.Helper()
		var running sync.WaitGroup
		for who, s := range []store.Logs{a, b} {
			running.Go(func() {
				for i := appended; i < appended+appends; {
					_, err := s.AppendLogs(t.Context(), fmt.Sprint(i), []store.Batch{batch("l/", fmt.Sprint(who, ":", i), 0)})
					switch {
					case err == nil:
						i++
					case t.Context().Err() != nil:
						return
					}
				}
			})
		}
		fails()
		running.Wait()
		appended += appends
	}
	for range 2 {
		leader := cluster.Leader(t)
		while(leader.Kill)
		while(func() { leader.Start(t) })
	}
	all, head := batches(t, a, "l/", 0)
	var next [2]int
	for i, found := range all {
		var number, who, of int
		if _, err := fmt.Sscanf(found, "%d %d:%d", &number, &who, &of); err != nil {
			t.Fatalf("%q: %v", found, err)
		}
		if number != i+1 || of != next[who] {
			t.Fatalf("%s stands at %d, where %d of its replica is next", found, i+1, next[who])
		}
		next[who]++
	}
	if next != [2]int{appended, appended} || head.Last != uint64(2*appended) {
		t.Errorf("each has added %d, and there are %v; the head is %v", appended, next, head)
	}
}

package journal_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// replicaTests test the journals a and b of two replicas.
var replicaTests = map[string]func(t *testing.T, w worlds, a, b *journal.Journal){
	"entries are read whole":         testWholeEntries,
	"largest entries are accepted":   testLargeEntries,
	"deleted world accepts no entry": testDeletedWorld,
	"ended context stops no entry":   testEndedContext,
	"unknown format is an error":     testUnknownFormat,
}

func TestReplicasTemp(t *testing.T) {
	t.Parallel()
	for name, test := range replicaTests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorlds(t, w1)
			test(t, w, w.journal(5000), w.journal(5000))
		})
	}
}

func TestReplicasEtcd(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, test := range replicaTests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := "etcd://" + cluster.Endpoints() + "/" + strings.ReplaceAll(name, " ", "-")
			a, b := openEtcd(t, spec), openEtcd(t, spec)
			a.set(t, w1)
			test(t, a, a.journal(5000), b.journal(5000))
		})
	}
}

func openEtcd(t *testing.T, spec string) worlds {
	t.Helper()
	s, err := etcd.Open(t.Context(), spec, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return worlds{s}
}

func testWholeEntries(t *testing.T, _ worlds, a, b *journal.Journal) {
	texts := func(entries ...*journal.Entry) (texts []string) {
		for _, e := range entries {
			text, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		return texts
	}
	var want []string
	for i := range 3 {
		e := entry(fmt.Sprint(i))
		e.Fault, e.Scenario, e.Rule, e.Diagnosis = "dribble", "slow", "slow.yaml:7:3", []string{"one", "two"}
		e.Time = time.Date(9989, 12, 31, 23, 59, 59, 999999999, time.UTC)
		e.Sequence = uint64(i + 1)
		want = append(want, texts(e)...)
		if err := a.Append(t.Context(), w1, e); err != nil {
			t.Fatal(err)
		}
	}
	entries, _, err := b.Read(t.Context(), w1)
	if diff := cmp.Diff(want, texts(entries...)); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func testLargeEntries(t *testing.T, _ worlds, a, b *journal.Journal) {
	var lines []string
	for range 100 {
		random := make([]byte, 2<<10) // incompressible
		rand.Read(random)
		lines = append(lines, base64.StdEncoding.EncodeToString(random))
	}
	letters := strings.Join(lines, "")
	for i := range 8 { // more than one transaction takes
		body := []byte(letters[:1<<16])
		large := journal.NewEntry(journal.Request{
			Method: "PUT", Path: letters, Query: letters, Header: http.Header{"Accept": lines, "User-Agent": lines}, Body: body, Size: 1 << 20,
		}, body, http.Header{"Understudy-Diagnosis": lines})
		large.ID = fmt.Sprint(i)
		if err := a.Append(t.Context(), w1, large); err != nil {
			t.Fatal(err)
		}
	}
	taken, _, err := b.Read(t.Context(), w1)
	if err = errors.Join(err, a.Restore(t.Context(), w2, restoredOf(0, taken...))); err != nil {
		t.Fatal(err)
	}
	entries, _, err := b.Read(t.Context(), w2)
	if err != nil || len(entries) != 8 {
		t.Fatal(len(entries), err)
	}
	if e := entries[7]; len(e.Headers) != 32 || len(e.ResponseHeaders) != 32 || len(*e.Response().Text) != journal.MaxBody || e.Response().Size != 1<<16 || e.ID != "7" {
		t.Errorf("the last entry is %+v", e)
	}
}

func keysOf(t *testing.T, w worlds, prefix string) (keys []string) {
	t.Helper()
	err := w.View(t.Context(), func(tx store.Tx) error {
		keys = nil
		for e, err := range tx.Scan(prefix, "") {
			if err != nil {
				return err
			}
			keys = append(keys, e.Key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func testDeletedWorld(t *testing.T, w worlds, a, _ *journal.Journal) {
	record(t, a, w1, "a")
	err := w.Update(t.Context(), func(tx store.Tx) error { return tx.Delete(recordKey("w")) })
	if err = errors.Join(err, store.DeletePrefix(t.Context(), w, prefix(w1))); err != nil {
		t.Fatal(err)
	}
	record(t, a, w1, "late")
	if err := a.Clear(t.Context(), w1); err != nil {
		t.Error(err)
	}
	if keys := keysOf(t, w, prefix(w1)); len(keys) > 0 {
		t.Errorf("the deleted world has %v", keys)
	}
	if page, err := a.Since(t.Context(), "w", journal.Cursor{Generation: 1}); err != nil || page.Reset || len(page.Entries) > 0 {
		t.Errorf("after the deletion: %+v %v", page, err)
	}
}

func testEndedContext(t *testing.T, _ worlds, a, b *journal.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Append(ctx, w1, entry("a")); err != nil {
		t.Error(err)
	}
	wantEntries(t, b, w1, 0, "1 a")
	if _, _, err := b.Read(ctx, w1); !errors.Is(err, context.Canceled) {
		t.Errorf("Read returned %v", err)
	}
}

func testUnknownFormat(t *testing.T, w worlds, a, b *journal.Journal) {
	record(t, a, w1, "a", "b")
	key := keysOf(t, w, prefix(w1))[2]
	for value, want := range map[string]string{
		"\x01": "unknown format: use the release that wrote the entry, or clear the journal",
		"":     "unknown format", "\x02xx": key,
	} {
		if err := w.Update(t.Context(), func(tx store.Tx) error { return tx.Put(key, []byte(value)) }); err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Read(t.Context(), w1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", value, err)
		}
	}
	if err := b.Clear(t.Context(), w1); err != nil {
		t.Fatal(err)
	}
	record(t, b, w1, "c")
	wantEntries(t, a, w1, 0, "3 c")
}

func TestStoreTrim(t *testing.T) {
	t.Parallel()
	w := newWorlds(t, w1)
	large, small := w.journal(400), w.journal(3)
	for i := range 300 {
		record(t, large, w1, fmt.Sprint(i))
	}
	wantEntries(t, small, w1, 297, "298 297", "299 298", "300 299") // another replica may have a smaller size
	for i := range 10 {
		record(t, small, w1, fmt.Sprint("s", i))
	}
	if keys := keysOf(t, w, prefix(w1)); len(keys) != 1+3 {
		t.Errorf("%d keys remain: %v", len(keys), keys)
	}
	wantEntries(t, large, w1, 307, "308 s7", "309 s8", "310 s9")
}

// gated is a store whose writes wait for a token each.
type gated struct {
	store.Store
	tokens chan struct{}
}

func (g gated) Update(ctx context.Context, fn func(store.Tx) error) error {
	<-g.tokens
	return g.Store.Update(ctx, fn)
}

// A world with most of the entries of each batch does not exceed its size either.
func TestStoreTrimBusyWorld(t *testing.T) {
	t.Parallel()
	refs := []journal.Ref{w1}
	for _, other := range "abcdef" {
		refs = append(refs, refOf(string(other)))
	}
	w := newWorlds(t, refs...)
	synctest.Test(t, func(t *testing.T) {
		g := gated{w.Store, make(chan struct{}, 2)}
		j := worlds{g}.journal(2)
		for range 10 {
			go record(t, j, w1, "first")
			synctest.Wait() // it is written alone, and the next 25, which is a batch, together
			for n := range 25 {
				go record(t, j, refs[max(0, n-18)], "a")
			}
			synctest.Wait()
			g.tokens <- struct{}{}
			g.tokens <- struct{}{}
			synctest.Wait()
		}
	})
	wantEntries(t, w.journal(2), w1, 198, "199 a", "200 a")
	if keys := keysOf(t, w, prefix(w1)); len(keys) != 1+2 {
		t.Errorf("%d keys remain: %v", len(keys), keys)
	}
}

func TestStoreClear(t *testing.T) {
	t.Parallel()
	w := newWorlds(t, w1)
	j := w.journal(1000)
	entries := make([]*journal.Entry, 500)
	for i := range entries {
		entries[i] = entry(fmt.Sprint(i))
		entries[i].Sequence = uint64(i + 11)
	}
	if err := j.Restore(t.Context(), w1, restoredOf(4, entries...)); err != nil {
		t.Fatal(err)
	}
	got, dropped, err := j.Read(t.Context(), w1)
	if diff := cmp.Diff(ids(entries), ids(got)); diff != "" || dropped != 4 || err != nil {
		t.Errorf("%d dropped, %v %s", dropped, err, diff)
	}
	if err := j.Clear(t.Context(), w1); err != nil {
		t.Fatal(err)
	}
	if keys := keysOf(t, w, prefix(w1)); len(keys) != 1 {
		t.Errorf("%d keys remain", len(keys))
	}
	record(t, j, w1, "next")
	wantEntries(t, j, w1, 0, "511 next")
}

// failing is a store whose writes fail.
type failing struct{ store.Store }

var errFull = errors.New("no space left on device")

func (failing) Update(context.Context, func(store.Tx) error) error { return errFull }

func TestStoreError(t *testing.T) {
	t.Parallel()
	w := newWorlds(t, w1)
	j := worlds{failing(w)}.journal(10)
	var running sync.WaitGroup
	for range 16 {
		running.Go(func() {
			if err := j.Append(t.Context(), w1, entry("a")); !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "the journal was not written: ") {
				t.Errorf("the error is %v", err)
			}
		})
	}
	running.Wait()
	if err := j.Clear(t.Context(), w1); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
	if err := j.Restore(t.Context(), w2, restoredOf(0, entry("a"))); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
	wantEntries(t, j, w1, 0)
}

// held is a store whose first write waits.
type held struct {
	store.Store
	started, release chan struct{}
	once             *sync.Once
	updates          chan struct{}
}

func (h held) Update(ctx context.Context, fn func(store.Tx) error) error {
	h.updates <- struct{}{}
	h.once.Do(func() {
		close(h.started)
		<-h.release
	})
	return h.Store.Update(ctx, fn)
}

// Entries that arrive during the commit of a batch share the next batches.
func TestStoreBatch(t *testing.T) {
	t.Parallel()
	w := newWorlds(t, w1)
	h := held{w.Store, make(chan struct{}), make(chan struct{}), new(sync.Once), make(chan struct{}, 1000)}
	j := worlds{h}.journal(1000)
	var running, begun sync.WaitGroup
	running.Go(func() { record(t, j, w1, "first") })
	<-h.started
	const entries = 100
	begun.Add(entries)
	for range entries {
		running.Go(func() {
			begun.Done()
			record(t, j, w1, "a")
		})
	}
	begun.Wait()
	close(h.release)
	running.Wait()
	if got, _, err := w.journal(1000).Read(t.Context(), w1); err != nil || len(got) != entries+1 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	if n := len(h.updates); n > entries {
		t.Errorf("%d entries did not share transactions", n)
	}
}

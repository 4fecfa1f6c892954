package journal_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/store"
)

var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

func entry(id string) *journal.Entry {
	e := journal.NewEntry(journal.Request{
		Method: "PUT", Path: "/verification-requests/" + id + "/cancel", Query: "a=b",
		Header: http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer svc_sk_test_a"}, "X-Other": {"x"}},
		Body:   []byte(`{"cancellation_reason":"other"}`), Size: 31,
	}, []byte(`{"id":"`+id+`"}`), http.Header{"Content-Type": {"application/json"}, "Understudy-Diagnosis": {"no svc_sk_test_a"}})
	e.ID, e.Operation, e.Status, e.Time, e.Wall, e.Duration = id, "cancelVerificationRequest", 200, epoch, epoch, 1500*time.Microsecond
	return e
}

func ids(entries []*journal.Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, fmt.Sprintf("%d %s", e.Sequence, e.ID))
	}
	return ids
}

func record(t *testing.T, j *journal.Journal, ref journal.Ref, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := j.Append(t.Context(), ref, entry(id)); err != nil {
			t.Error(err)
		}
	}
}

func wantEntries(t *testing.T, j *journal.Journal, ref journal.Ref, dropped uint64, want ...string) {
	t.Helper()
	entries, got, err := j.Read(t.Context(), ref)
	if diff := cmp.Diff(want, ids(entries)); diff != "" || got != dropped || err != nil {
		t.Errorf("%v: %d dropped, want %d; %v %s", ref, got, dropped, err, diff)
	}
}

// worlds is a store of worlds that have nothing but a generation.
type worlds struct{ store.Store }

func recordKey(world string) string { return "world/" + world }

func prefix(p journal.Ref) string {
	if p.World == "" {
		return "journal/"
	}
	if p.Generation == 0 {
		return "journal/" + p.World + "/"
	}
	return fmt.Sprintf("journal/%s/%d/", p.World, p.Generation)
}

func (w worlds) set(t *testing.T, p journal.Ref) {
	t.Helper()
	err := w.Update(t.Context(), func(tx store.Tx) error { return tx.Put(recordKey(p.World), fmt.Append(nil, p.Generation)) })
	if err != nil {
		t.Fatal(err)
	}
}

// journal returns a journal in the store, as of one replica.
func (w worlds) journal(size int) *journal.Journal {
	return journal.New(journal.Config{
		Size: size, Store: w, RecordKey: recordKey, Prefix: prefix,
		Current: func(tx store.Tx, world string) (generation int64, err error) {
			value, err := tx.Get(recordKey(world))
			if value != nil {
				_, err = fmt.Sscan(string(value), &generation)
			}
			return generation, err
		},
	})
}

func newWorlds(t *testing.T, refs ...journal.Ref) worlds {
	t.Helper()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, ref := range refs {
		worlds{s}.set(t, ref)
	}
	return worlds{s}
}

var w1, w2, w3 = journal.Ref{World: "w", Generation: 1}, journal.Ref{World: "w", Generation: 2}, journal.Ref{World: "w", Generation: 3}

// each runs a test with journals in memory and in a store. The test calls set before it uses a new generation.
func each(t *testing.T, test func(t *testing.T, j func(size int) *journal.Journal, set func(journal.Ref))) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		var all []*journal.Journal
		test(t, func(size int) *journal.Journal {
			all = append(all, journal.New(journal.Config{Size: size}))
			return all[len(all)-1]
		}, func(p journal.Ref) {
			for _, j := range all {
				j.Begin(p)
			}
		})
	})
	t.Run("store", func(t *testing.T) {
		t.Parallel()
		var all []worlds
		test(t, func(size int) *journal.Journal {
			w := newWorlds(t, w1)
			all = append(all, w)
			return w.journal(size)
		}, func(p journal.Ref) {
			for _, w := range all {
				w.set(t, p)
			}
		})
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j, other := make(3), journal.Ref{World: "other", Generation: 1}
		set(other)
		wantEntries(t, j, w1, 0)
		record(t, j, w1, "a", "b")
		wantEntries(t, j, w1, 0, "1 a", "2 b")
		record(t, j, w1, "c", "d", "e")
		wantEntries(t, j, w1, 2, "3 c", "4 d", "5 e")
		record(t, j, other, "x")
		wantEntries(t, j, other, 0, "1 x")
		if err := j.Clear(t.Context(), w1); err != nil {
			t.Error(err)
		}
		wantEntries(t, j, w1, 0)
		record(t, j, w1, "f")
		wantEntries(t, j, w1, 0, "6 f")
	})
}

func TestGeneration(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j := make(3)
		record(t, j, w1, "a")
		wantEntries(t, j, w2, 0)
		set(w2)
		record(t, j, w1, "late")
		wantEntries(t, j, w2, 0)
		record(t, j, w2, "b")
		record(t, j, w1, "later")
		wantEntries(t, j, w2, 0, "1 b")
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{Size: 3})
	record(t, j, journal.Ref{World: "v", Generation: 1}, "c")
	before := j.Bytes()
	record(t, j, w2, "a", "b")
	j.Delete("w")
	j.Delete("unknown")
	wantEntries(t, j, w2, 0)
	if got := j.Bytes(); got != before {
		t.Errorf("%d bytes, want %d as without the world", got, before)
	}
	from := journal.Cursor{Generation: 2}
	page, err := j.Since(t.Context(), "w", from)
	if err != nil || page.Reset || page.Next != from {
		t.Errorf("after the deletion: %+v %v", page, err)
	}
	record(t, j, w3, "b")
	if page, err = j.Since(t.Context(), "w", page.Next); err != nil || !page.Reset || len(page.Entries) != 1 {
		t.Errorf("in a new generation: %+v %v", page, err)
	}
}

func TestOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j := make(0)
		record(t, j, w1, "a")
		if err := j.Restore(t.Context(), w2, restoredOf(1, entry("a"))); err != nil {
			t.Error(err)
		}
		wantEntries(t, j, w1, 0)
		wantEntries(t, j, w2, 0)
		if j.Begin(w2); j.Bytes() != 0 {
			t.Errorf("%d bytes", j.Bytes())
		}
	})
}

func TestEntryJSON(t *testing.T) {
	t.Parallel()
	e := entry("a")
	e.Fault, e.Scenario, e.Rule, e.Diagnosis = "dribble", "slow", "slow.yaml:7:3", []string{"one", "two"}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	const answered = `"response_headers":[{"name":"Content-Type","value":"application/json"},{"name":"Understudy-Diagnosis","value":"no svc###"}],`
	const want = `{"id":"a","sequence":0,"time":"2025-01-15T09:30:00Z","wall_time":"2025-01-15T09:30:00Z","duration_ms":1.5,` +
		`"kind":"request","method":"PUT","path":"/verification-requests/a/cancel","query":"a=b","operation":"cancelVerificationRequest","status":200,` +
		`"fault":"dribble","scenario":"slow","rule":"slow.yaml:7:3","diagnosis":["one","two"],"headers":[{"name":"Accept","value":"application/json"}],` + answered +
		`"request":{"json":{"cancellation_reason":"other"},"text":null,"size":31,"truncated":false},` +
		`"response":{"json":{"id":"a"},"text":null,"size":10,"truncated":false}}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	var read journal.Entry
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(&read)
	if err != nil || string(second) != string(text) {
		t.Errorf("%v: %s", err, second)
	}
	earlier := journal.Entry{}
	if err := json.Unmarshal([]byte(strings.Replace(want, answered, "", 1)), &earlier); err != nil || earlier.ResponseHeaders != nil {
		t.Errorf("of an earlier release: %v, %v", earlier.ResponseHeaders, err)
	}
}

func TestEntryBodies(t *testing.T) {
	t.Parallel()
	if e := journal.NewEntry(journal.Request{Method: "GET"}, nil, nil); e.Request() != nil || e.Response() != nil {
		t.Errorf("%v %v", e.Request(), e.Response())
	}
	long := `"` + strings.Repeat("x", 20_000) + `"`
	e := journal.NewEntry(journal.Request{Method: "PUT", Body: []byte(long), Size: int64(len(long))}, []byte(long), nil)
	for _, body := range []*journal.Body{e.Request(), e.Response()} {
		if !body.Truncated || body.Size != 20_002 || body.JSON != nil || len(*body.Text) != journal.MaxBody {
			t.Errorf("truncated %t, size %d, %d bytes", body.Truncated, body.Size, len(*body.Text))
		}
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		from, to, small := make(3), make(3), make(1)
		record(t, from, w1, "a", "b", "c", "d")
		taken, dropped, err := from.Read(t.Context(), w1)
		if err != nil {
			t.Fatal(err)
		}
		record(t, to, w1, "old")
		for _, j := range []*journal.Journal{to, small} {
			if err := j.Restore(t.Context(), w2, restoredOf(dropped, taken...)); err != nil {
				t.Error(err)
			}
		}
		record(t, to, w1, "late")
		wantEntries(t, to, w1, 0, "1 old", "2 late")
		set(w2)
		wantEntries(t, to, w2, 1, "2 b", "3 c", "4 d")
		wantEntries(t, small, w2, 3, "4 d")
		record(t, to, w2, "e")
		wantEntries(t, to, w2, 2, "3 c", "4 d", "5 e")
		if err := to.Restore(t.Context(), w3, restoredOf(7)); err != nil {
			t.Error(err)
		}
		set(w3)
		wantEntries(t, to, w3, 7)
		record(t, to, w3, "first")
		wantEntries(t, to, w3, 7, "8 first")
	})
}

// scaled returns the long form of a number in CI, but not under the race detector, which runs short.
func scaled(short, long int) int {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return long
	}
	return short
}

func TestAppendConcurrent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j, v1 := make(1000), journal.Ref{World: "v", Generation: 1}
		set(v1)
		var running sync.WaitGroup
		for i := range 8 {
			running.Go(func() {
				for range 100 {
					record(t, j, []journal.Ref{v1, w1}[i%2], "a")
				}
			})
		}
		running.Go(func() {
			for range scaled(25, 100) {
				j.Read(t.Context(), v1)
				j.Since(t.Context(), "w", journal.Cursor{})
			}
		})
		running.Wait()
		for _, ref := range []journal.Ref{v1, w1} {
			entries, _, _ := j.Read(t.Context(), ref)
			if len(entries) != 400 {
				t.Errorf("%v has %d entries", ref, len(entries))
			}
			for i, e := range entries {
				if e.Sequence != uint64(i+1) {
					t.Fatalf("%v: entry %d has the sequence %d", ref, i, e.Sequence)
				}
			}
		}
	})
}

func TestSince(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j := make(2)
		record(t, j, w1, "a")
		cursor, err := j.End(t.Context(), w1)
		if err != nil {
			t.Fatal(err)
		}
		wantPage := func(want string) {
			t.Helper()
			page, err := j.Since(t.Context(), "w", cursor)
			if err != nil {
				t.Fatal(err)
			}
			cursor = page.Next
			if got := fmt.Sprint(ids(page.Entries), page.Missed, page.Reset); got != want {
				t.Errorf("the page is %s, want %s", got, want)
			}
		}
		wantPage("[] 0 false")
		record(t, j, w1, "b", "c")
		wantPage("[2 b 3 c] 0 false")
		record(t, j, w1, "d", "e", "f")
		wantPage("[5 e 6 f] 1 false")
		set(w2)
		record(t, j, w2, "g")
		wantPage("[1 g] 0 true")
		wantPage("[] 0 false")
		cursor.Sequence = 9 // as after a reset that another replica has not seen
		wantPage("[] 0 false")
		record(t, j, w2, "h")
		wantPage("[2 h] 0 false")
		if err := j.Clear(t.Context(), w2); err != nil {
			t.Fatal(err)
		}
		wantPage("[] 0 false")
		record(t, j, w2, "i")
		wantPage("[3 i] 0 false")
		w3 := journal.Ref{World: "w", Generation: 3}
		set(w3)
		record(t, j, w3, "k", "l", "m", "n", "o")
		wantPage("[4 n 5 o] 3 true") // of the new generation, not from where the old one was
	})
}

func TestWatch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j := make(10)
		record(t, j, w1, "before")
		wake, stop := j.Watch("w")
		defer stop()
		cursor, err := j.End(t.Context(), w1)
		if err != nil {
			t.Fatal(err)
		}
		await := func(want string) {
			t.Helper()
			var got []string
			for {
				page, err := j.Since(t.Context(), "w", cursor)
				if err != nil {
					t.Fatal(err)
				}
				if cursor = page.Next; page.Reset {
					got = append(got, "reset")
				}
				if got = append(got, ids(page.Entries)...); strings.Join(got, ", ") == want {
					return
				}
				if len(got) > 0 && !strings.HasPrefix(want, strings.Join(got, ", ")) {
					t.Fatalf("received %v, want %s", got, want)
				}
				<-wake
			}
		}
		go j.Append(t.Context(), w1, entry("x"))
		await("2 x")
		record(t, j, w1, "y", "z")
		await("3 y, 4 z")
		go set(w2)
		await("reset")
		go j.Append(t.Context(), w2, entry("first"))
		await("1 first")
		if err := j.Clear(t.Context(), w2); err != nil {
			t.Fatal(err)
		}
		record(t, j, w2, "second")
		await("2 second")
	})
}

func TestFollow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j, arrivals := make(10), journal.NewArrivals()
		record(t, j, w1, "before")
		stop := j.Follow(arrivals)
		next := func(after func()) (first []journal.Arrival, more bool) {
			t.Helper()
			after()
			<-arrivals.Wake()
			return arrivals.Take()
		}
		first, more := next(func() { record(t, j, w1, "a"); record(t, j, journal.Ref{World: "v", Generation: 1}, "b") })
		if j.Bytes() == 0 { // it is in a store that replicas share
			if !more {
				t.Error("the requests of replicas are not reported")
			}
			stop()
			return
		}
		if diff := cmp.Diff([]journal.Arrival{{"w", "a", 200}, {"v", "b", 200}}, first); diff != "" || more {
			t.Error(more, diff)
		}
		if first, more = next(func() { j.Clear(t.Context(), w1) }); len(first) != 1 || first[0] != (journal.Arrival{World: "w"}) || more {
			t.Error(first, more)
		}
		if first, more = next(func() { j.Begin(w2) }); len(first) != 1 || first[0] != (journal.Arrival{World: "w"}) || more {
			t.Error(first, more)
		}
		first, more = next(func() {
			for range 30 {
				record(t, j, w2, "c")
			}
		})
		if len(first) != 20 || !more {
			t.Error(len(first), more)
		}
		stop()
		record(t, j, w2, "d")
		if first, more = arrivals.Take(); first != nil || more {
			t.Error(first, more)
		}
	})
}

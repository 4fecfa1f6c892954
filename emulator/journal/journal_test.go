package journal_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/journal"
)

var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

func entry(id string) *journal.Entry {
	e := journal.NewEntry(journal.Asked{
		Method: "PUT", Path: "/verification-requests/" + id + "/cancel", Query: "a=b",
		Header: http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer svc_sk_test_a"}, "X-Other": {"x"}},
		Body:   []byte(`{"cancellation_reason":"other"}`), Size: 31,
	}, []byte(`{"id":"`+id+`"}`))
	e.ID, e.Operation, e.Status, e.Time, e.Wall, e.Duration = id, "cancelVerificationRequest", 200, epoch, epoch, 1500*time.Microsecond
	return e
}

func ids(entries []*journal.Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, fmt.Sprintf("%d %s", e.Sequence, e.ID))
	}
	return ids
}

func wantEntries(t *testing.T, j *journal.Journal, world string, generation int64, dropped uint64, want ...string) {
	t.Helper()
	entries, gone, err := j.Read(t.Context(), world, generation)
	if diff := cmp.Diff(want, ids(entries)); diff != "" || gone != dropped || err != nil {
		t.Errorf("%s %d: %d dropped, want %d; %v %s", world, generation, gone, dropped, err, diff)
	}
}

// Contract 2: --journal-size requests are kept a world.
func TestAWorldKeepsItsLastRequests(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, make func(size int) *journal.Journal) {
		j := make(3)
		for _, id := range []string{"a", "b"} {
			j.Append("w", 1, entry(id))
		}
		wantEntries(t, j, "w", 1, 0, "1 a", "2 b")
		for _, id := range []string{"c", "d", "e"} {
			j.Append("w", 1, entry(id))
		}
		wantEntries(t, j, "w", 1, 2, "3 c", "4 d", "5 e")
		j.Append("other", 1, entry("x"))
		wantEntries(t, j, "other", 1, 0, "1 x")
		if err := j.Clear(t.Context(), "w", 1); err != nil {
			t.Error(err)
		}
		wantEntries(t, j, "w", 1, 0)
		j.Append("w", 1, entry("f"))
		wantEntries(t, j, "w", 1, 0, "6 f")
	})
}

func TestANewGenerationOfAWorldBeginsWithNothing(t *testing.T) {
	t.Parallel()
	j := journal.New(3)
	j.Append("w", 1, entry("a"))
	wantEntries(t, j, "w", 2, 0)
	j.Append("w", 2, entry("b"))
	j.Append("w", 1, entry("late"))
	wantEntries(t, j, "w", 1, 0)
	wantEntries(t, j, "w", 2, 0, "1 b")
	j.Forget("w")
	wantEntries(t, j, "w", 2, 0)
}

func TestAJournalOfNothingKeepsNothing(t *testing.T) {
	t.Parallel()
	j := journal.New(0)
	j.Append("w", 1, entry("a"))
	wantEntries(t, j, "w", 1, 0)
}

func TestAnEntryComesBackFromItsJSON(t *testing.T) {
	t.Parallel()
	e := entry("a")
	e.Fault, e.Scenario, e.Rule, e.Diagnosis = "dribble", "slow", "slow.yaml:7:3", []string{"one", "two"}
	written, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"a","sequence":0,"time":"2025-01-15T09:30:00Z","wall_time":"2025-01-15T09:30:00Z","duration_ms":1.5,` +
		`"method":"PUT","path":"/verification-requests/a/cancel","query":"a=b","operation":"cancelVerificationRequest","status":200,` +
		`"fault":"dribble","scenario":"slow","rule":"slow.yaml:7:3","diagnosis":["one","two"],"headers":[{"name":"Accept","value":"application/json"}],` +
		`"request":{"json":{"cancellation_reason":"other"},"text":null,"size":31,"truncated":false},` +
		`"response":{"json":{"id":"a"},"text":null,"size":10,"truncated":false}}`
	if diff := cmp.Diff(want, string(written)); diff != "" {
		t.Error(diff)
	}
	var read journal.Entry
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&read)
	if err != nil || string(again) != string(written) {
		t.Errorf("%v: %s", err, again)
	}
}

func TestALongBodyIsCutAndMarked(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 20_000) + `"`
	e := journal.NewEntry(journal.Asked{Method: "PUT", Body: []byte(long), Size: int64(len(long))}, []byte(long))
	for _, body := range []*journal.Body{e.Request(), e.Response()} {
		if !body.Truncated || body.Size != 20_002 || body.JSON != nil || len(*body.Text) != journal.MaxBody {
			t.Errorf("truncated %t, size %d, %d bytes", body.Truncated, body.Size, len(*body.Text))
		}
	}
}

func TestARequestWithoutABodyHasNone(t *testing.T) {
	t.Parallel()
	e := journal.NewEntry(journal.Asked{Method: "GET"}, nil)
	if e.Request() != nil || e.Response() != nil {
		t.Errorf("%v %v", e.Request(), e.Response())
	}
}

func TestAJournalIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, make func(size int) *journal.Journal) {
		from, to := make(3), make(3)
		for _, id := range []string{"a", "b", "c", "d"} {
			from.Append("w", 1, entry(id))
		}
		entries, dropped, err := from.Read(t.Context(), "w", 1)
		if err != nil {
			t.Fatal(err)
		}
		restore := func(to *journal.Journal, generation int64) {
			t.Helper()
			if err := to.Restore(t.Context(), "v", generation, entries, dropped); err != nil {
				t.Error(err)
			}
		}
		to.Append("v", 7, entry("gone"))
		restore(to, 8)
		wantEntries(t, to, "v", 8, 1, "2 b", "3 c", "4 d")
		to.Append("v", 8, entry("e"))
		wantEntries(t, to, "v", 8, 2, "3 c", "4 d", "5 e")
		early := make(3)
		early.Append("v", 8, entry("x")) // between the world's restoring and its journal's
		restore(early, 8)
		wantEntries(t, early, "v", 8, 2, "3 c", "4 d", "5 x")
		small := make(1)
		restore(small, 8)
		wantEntries(t, small, "v", 8, 3, "4 d")
	})
}

// A reader and many writers at once: each world's entries are numbered in a row and nobody waits.
func TestEntriesAreAddedWhileOthersRead(t *testing.T) {
	t.Parallel()
	j := journal.New(1000)
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for range 100 {
				j.Append(fmt.Sprint("w", i%2), 1, entry("a"))
			}
		})
	}
	running.Go(func() {
		for range 100 {
			j.Read(t.Context(), "w0", 1)
			j.Since(t.Context(), "w1", journal.Cursor{})
		}
	})
	running.Wait()
	for _, world := range []string{"w0", "w1"} {
		entries, _, _ := j.Read(t.Context(), world, 1)
		if len(entries) != 400 {
			t.Errorf("%s has %d entries", world, len(entries))
		}
		for i, e := range entries {
			if e.Sequence != uint64(i+1) {
				t.Fatalf("%s: entry %d has the number %d", world, i, e.Sequence)
			}
		}
	}
}

func TestWhoWatchesIsToldOfNewEntriesAndOfWhatWasMissed(t *testing.T) {
	t.Parallel()
	j := journal.New(2)
	j.Append("w", 1, entry("a"))
	wake, stop := j.Watch("w")
	place, err := j.End(t.Context(), "w", 1)
	if err != nil {
		t.Fatal(err)
	}
	news := func(want string) {
		t.Helper()
		n, err := j.Since(t.Context(), "w", place)
		if err != nil {
			t.Fatal(err)
		}
		place = n.Next
		if got := fmt.Sprint(ids(n.Entries), n.Missed, n.Anew); got != want {
			t.Errorf("news %s, want %s", got, want)
		}
	}
	news("[] 0 false")
	j.Append("w", 1, entry("b"))
	j.Append("w", 1, entry("c"))
	<-wake
	select {
	case <-wake:
		t.Error("woken twice")
	default:
	}
	news("[2 b 3 c] 0 false")
	for _, id := range []string{"d", "e", "f"} {
		j.Append("w", 1, entry(id))
	}
	news("[5 e 6 f] 1 false")
	j.Append("w", 2, entry("g"))
	news("[1 g] 0 true")
	j.Forget("w")
	news("[] 0 false")
	j.Append("w", 3, entry("h"))
	news("[1 h] 0 true")
	stop()
	<-wake // of before
	j.Append("w", 3, entry("i"))
	select {
	case <-wake:
		t.Error("woken after the end")
	default:
	}
}

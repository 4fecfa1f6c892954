package journal_test

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/replicas"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// The replicas of a cluster have one journal.
func TestReplicasJournal(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, test := range map[string]func(t *testing.T, cluster *etcdtest.Cluster){
		"is_one":                  testJournalElsewhere,
		"is_streamed_as_it_comes": testStreamElsewhere,
		"goes_with_the_snapshot":  testSnapshotElsewhere,
		"goes_with_its_world":     testJournalGone,
		"has_no_secret":           testNothingSecretStored,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, cluster)
		})
	}
}

// While etcd is down, a call that needs it is answered with 500, not with an empty journal. Everything recovers without a
// restart.
func TestReplicaUnreadableJournal(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	urls := replicas.Serve(t, 2, cluster)
	a, b := apitest.New(t, urls[0], lab.Key), apitest.New(t, urls[1], lab.Key)
	id := lab.IDOf(a.Get("/verification-requests/vr_completed"))
	live := lab.Follow(t, urls[1], "?status=200&since=2025-01-01T00:00:00Z", "") // the filter drops failed requests
	lab.WantEvent(t, live, "request", id)
	restart := cluster.Members[0].Kill()
	lab.WantStatus(t, b.Get(lab.Control+"journal"), 500, "Internal server error")
	lab.WantStatus(t, b.Get(lab.Control+"health"), 200, "")
	restart(t)
	var next string
	lab.Until(t, "etcd is back", func() bool {
		r := a.Get("/verification-requests/vr_completed")
		next = lab.IDOf(r)
		return r.Status == 200
	})
	lab.WantEvent(t, live, "request", next)
}

func journalOf(t *testing.T, c *apitest.Client) (all []string) {
	t.Helper()
	items, _ := lab.Listed(t, c, "")
	for _, e := range items {
		all = append(all, fmt.Sprint(e.Sequence, " ", e.ID))
	}
	return all
}

func testJournalElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	a, b := replicas.Clients(t, cluster)
	var want []string
	for i := range 5 {
		for _, c := range []*apitest.Client{a, b} {
			id := lab.IDOf(c.Get("/verification-requests/vr_completed"))
			want = append([]string{fmt.Sprint(len(want)+1, " ", id)}, want...)
			if diff := cmp.Diff(want, journalOf(t, map[int]*apitest.Client{0: a, 1: b}[i%2])); diff != "" {
				t.Fatal(diff)
			}
			lab.EntryOf(t, a, id)
			lab.EntryOf(t, b, id)
		}
	}
	lab.PlayScript(t, a, `POST journal/verify {"operation":"getVerificationRequest","times":{"exactly":10}} → 200`)
	lab.PlayScript(t, b, `
		POST journal/verify {"operation":"getVerificationRequest","times":{"exactly":9}} → 409
		DELETE journal → 204`)
	lab.PlayScript(t, a, `
		GET journal → 200 items.#=0
		GET /verification-requests/vr_completed → 200`)
	lab.PlayScript(t, b, `POST journal/verify {"operation":"getVerificationRequest","times":{"exactly":1}} → 200`)
}

func testStreamElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	urls := replicas.Serve(t, 2, cluster, lab.Pausing(func(ctx context.Context, span time.Duration) error {
		if span >= 15*time.Second { // the interval of heartbeats
			<-ctx.Done()
		}
		return context.Cause(ctx)
	})) // only a request wakes the stream
	a := apitest.New(t, urls[0], lab.Key)
	lab.WantStatus(t, a.Post(lab.Control+"reset", nil), 200, "")
	live := lab.Follow(t, urls[1], "", "")
	lab.WantStatus(t, a.Post(lab.Control+"reset", nil), 200, "") // works also in a world without requests
	lab.WantEvent(t, live, "reset", "")
	first := lab.IDOf(a.Get("/verification-requests/vr_completed"))
	lab.WantEvent(t, live, "request", first)
	second := lab.IDOf(a.Get("/verification-requests/vr_none"))
	lab.WantEvent(t, live, "request", second)
	resumed := lab.Follow(t, urls[1], "", first)
	lab.WantEvent(t, resumed, "request", second)
	lab.WantStatus(t, a.Post(lab.Control+"reset", nil), 200, "")
	lab.WantEvent(t, live, "reset", "")
	lab.WantEvent(t, live, "request", lab.IDOf(a.Get("/verification-requests/vr_completed")))
}

func testSnapshotElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	a, b := replicas.Clients(t, cluster)
	for range 3 {
		a.Get("/verification-requests/vr_lifecycle")
	}
	want := journalOf(t, b)
	taken := b.Get(lab.Control + "snapshot")
	lab.WantStatus(t, taken, 200, "")
	a.Get("/verification-requests/vr_none")
	lab.WantStatus(t, a.Put(lab.Control+"snapshot", string(taken.Body)), 200, "")
	if diff := cmp.Diff(want, journalOf(t, b)); diff != "" || len(want) != 3 {
		t.Error(diff)
	}
	if second := b.Get(lab.Control + "snapshot"); string(second.Body) != string(taken.Body) {
		t.Errorf("the snapshot was\n%s\nand is\n%s", taken.Body, second.Body)
	}
	next := lab.IDOf(b.Get("/verification-requests/vr_lifecycle"))
	if all := journalOf(t, a); len(all) != 4 || all[0] != "4 "+next {
		t.Errorf("the journal goes on with %v", all)
	}
}

// stored returns the entries of a test's store whose keys begin with a name.
func stored(t *testing.T, cluster *etcdtest.Cluster, below string) map[string][]byte {
	t.Helper()
	prefix := "/" + strings.ReplaceAll(t.Name(), "/", "-") + "/data/" + below
	found, err := cluster.Client(t).Get(t.Context(), prefix, clientv3.WithPrefix())
	lab.NoError(t, err)
	all := make(map[string][]byte)
	for _, kv := range found.Kvs {
		all[string(kv.Key)] = kv.Value
	}
	return all
}

func testJournalGone(t *testing.T, cluster *etcdtest.Cluster) {
	a, b := replicas.Clients(t, cluster)
	for range 2 {
		id := a.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
		b.Get("/verification-requests/vr_completed")
		if len(stored(t, cluster, "journal/")) < 2 {
			t.Fatal("the journal is not in the store")
		}
		lab.WantStatus(t, b.Send("DELETE", lab.Control+"worlds/"+id, nil), 204, "")
		lab.Until(t, "the journal of a world that was deleted is collected", func() bool { return len(stored(t, cluster, "journal/")) == 0 })
		if entries := journalOf(t, a); entries != nil {
			t.Errorf("the new world has %v", entries)
		}
	}
}

func testNothingSecretStored(t *testing.T, cluster *etcdtest.Cluster) {
	a, _ := replicas.Clients(t, cluster)
	const number, other = "000-00-1001", "svc_sk_test_verysecret"
	r := a.With("X-Request-Id", other).Post("/credentials/session?key="+other, strings.Replace(lab.Session(number), "{", `{"note":"`+other+`",`, 1))
	lab.WantStatus(t, r, 201, "")
	a.Get("/verification-requests/" + other + "?ssn=" + number)
	entries := 0
	for name, value := range stored(t, cluster, "") {
		text := string(value)
		if strings.Contains(name, "/data/journal/") && !strings.HasSuffix(name, "#") {
			text = inflated(t, value)
			entries++
		}
		for _, secret := range []string{number, "verysecret", lab.Key} {
			if strings.Contains(text, secret) || strings.Contains(name, secret) {
				t.Errorf("%s stands in %s: %s", secret, name, text)
			}
		}
	}
	if entries != 2 {
		t.Errorf("the store has %d entries of 2 requests", entries)
	}
}

// inflated decompresses an entry; its first byte is its format.
func inflated(t *testing.T, value []byte) string {
	t.Helper()
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(value[1:])))
	if err != nil || !strings.Contains(string(text), "/credentials/session") && !strings.Contains(string(text), "/verification-requests/") {
		t.Fatalf("%q: %v", text, err)
	}
	return string(text)
}

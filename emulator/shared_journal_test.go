package emulator_test

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// sharing starts n replicas on the store of a test, and returns their addresses.
func sharing(t *testing.T, n int, cluster *etcdtest.Cluster, options ...emulator.Option) (urls []string) {
	t.Helper()
	for range n {
		urls = append(urls, serve(t, append(options, emulator.WithStore(inCluster(t, cluster)))...))
	}
	return urls
}

// clients returns clients of two replicas.
func clients(t *testing.T, cluster *etcdtest.Cluster, options ...emulator.Option) (a, b *apitest.Client) {
	t.Helper()
	urls := sharing(t, 2, cluster, options...)
	return apitest.New(t, urls[0], key), apitest.New(t, urls[1], key)
}

// While etcd is down, a call that needs it is answered with 500, not with an empty journal. Everything recovers without a
// restart.
func TestReplicaUnreadableJournal(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	urls := sharing(t, 2, cluster)
	a, b := apitest.New(t, urls[0], key), apitest.New(t, urls[1], key)
	id := idOf(a.Get("/verification-requests/vr_completed"))
	live := follow(t, urls[1], "?status=200&since=2025-01-01T00:00:00Z", "") // the filter drops failed requests
	wantEvent(t, live, "request", id)
	restart := cluster.Members[0].Kill()
	wantStatus(t, b.Get(control+"journal"), 500, "Internal server error")
	wantStatus(t, b.Get(control+"health"), 200, "")
	restart(t)
	var next string
	for next == "" {
		if r := a.Get("/verification-requests/vr_completed"); r.Status == 200 {
			next = idOf(r)
		}
	}
	wantEvent(t, live, "request", next)
}

func journalOf(t *testing.T, c *apitest.Client) (all []string) {
	t.Helper()
	items, _ := listed(t, c, "")
	for _, e := range items {
		all = append(all, fmt.Sprint(e.Sequence, " ", e.ID))
	}
	return all
}

func testJournalElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	a, b := clients(t, cluster)
	var want []string
	for i := range 5 {
		for _, c := range []*apitest.Client{a, b} {
			id := idOf(c.Get("/verification-requests/vr_completed"))
			want = append([]string{fmt.Sprint(len(want)+1, " ", id)}, want...)
			if diff := cmp.Diff(want, journalOf(t, map[int]*apitest.Client{0: a, 1: b}[i%2])); diff != "" {
				t.Fatal(diff)
			}
			entryOf(t, a, id)
			entryOf(t, b, id)
		}
	}
	playScript(t, a, `POST journal/verify {"operation":"getVerificationRequest","times":{"exactly":10}} → 200`)
	playScript(t, b, `
		POST journal/verify {"operation":"getVerificationRequest","times":{"exactly":9}} → 409
		DELETE journal → 204`)
	playScript(t, a, `
		GET journal → 200 items.#=0
		GET /verification-requests/vr_completed → 200`)
	playScript(t, b, `POST journal/verify {"operation":"getVerificationRequest","times":{"exactly":1}} → 200`)
}

func testStreamElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	urls := sharing(t, 2, cluster, pausing(func(ctx context.Context, span time.Duration) error {
		if span >= 15*time.Second { // the interval of heartbeats
			<-ctx.Done()
		}
		return context.Cause(ctx)
	})) // only a request wakes the stream
	a := apitest.New(t, urls[0], key)
	wantStatus(t, a.Post(control+"reset", nil), 200, "")
	live := follow(t, urls[1], "", "")
	wantStatus(t, a.Post(control+"reset", nil), 200, "") // works also in a world without requests
	wantEvent(t, live, "reset", "")
	first := idOf(a.Get("/verification-requests/vr_completed"))
	wantEvent(t, live, "request", first)
	second := idOf(a.Get("/verification-requests/vr_none"))
	wantEvent(t, live, "request", second)
	resumed := follow(t, urls[1], "", first)
	wantEvent(t, resumed, "request", second)
	wantStatus(t, a.Post(control+"reset", nil), 200, "")
	wantEvent(t, live, "reset", "")
	wantEvent(t, live, "request", idOf(a.Get("/verification-requests/vr_completed")))
}

func testSnapshotElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	a, b := clients(t, cluster)
	for range 3 {
		a.Get("/verification-requests/vr_lifecycle")
	}
	want := journalOf(t, b)
	taken := b.Get(control + "snapshot")
	wantStatus(t, taken, 200, "")
	a.Get("/verification-requests/vr_none")
	wantStatus(t, a.Put(control+"snapshot", string(taken.Body)), 200, "")
	if diff := cmp.Diff(want, journalOf(t, b)); diff != "" || len(want) != 3 {
		t.Error(diff)
	}
	if second := b.Get(control + "snapshot"); string(second.Body) != string(taken.Body) {
		t.Errorf("the snapshot was\n%s\nand is\n%s", taken.Body, second.Body)
	}
	next := idOf(b.Get("/verification-requests/vr_lifecycle"))
	if all := journalOf(t, a); len(all) != 4 || all[0] != "4 "+next {
		t.Errorf("the journal goes on with %v", all)
	}
}

// stored returns the entries of a test's store whose keys begin with a name.
func stored(t *testing.T, cluster *etcdtest.Cluster, below string) map[string][]byte {
	t.Helper()
	prefix := "/" + strings.ReplaceAll(t.Name(), "/", "-") + "/data/" + below
	found, err := cluster.Client(t).Get(t.Context(), prefix, clientv3.WithPrefix())
	noError(t, err)
	all := make(map[string][]byte)
	for _, kv := range found.Kvs {
		all[string(kv.Key)] = kv.Value
	}
	return all
}

func testJournalGone(t *testing.T, cluster *etcdtest.Cluster) {
	a, b := clients(t, cluster)
	for range 2 {
		id := a.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
		b.Get("/verification-requests/vr_completed")
		if len(stored(t, cluster, "journal/")) < 2 {
			t.Fatal("the journal is not in the store")
		}
		wantStatus(t, b.Send("DELETE", control+"worlds/"+id, nil), 204, "")
		until(t, "the journal of a world that was deleted is collected", func() bool { return len(stored(t, cluster, "journal/")) == 0 })
		if entries := journalOf(t, a); entries != nil {
			t.Errorf("the new world has %v", entries)
		}
	}
}

func testNothingSecretStored(t *testing.T, cluster *etcdtest.Cluster) {
	a, _ := clients(t, cluster)
	const number, other = "000-00-1001", "svc_sk_test_verysecret"
	r := a.With("X-Request-Id", other).Post("/credentials/session?key="+other, strings.Replace(session(number), "{", `{"note":"`+other+`",`, 1))
	wantStatus(t, r, 201, "")
	a.Get("/verification-requests/" + other + "?ssn=" + number)
	entries := 0
	for name, value := range stored(t, cluster, "") {
		text := string(value)
		if strings.Contains(name, "/data/journal/") && !strings.HasSuffix(name, "#") {
			text = inflated(t, value)
			entries++
		}
		for _, secret := range []string{number, "verysecret", key} {
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

// With a full etcd, ready is 503 and a request whose journal entry cannot be written fails. Without a journal, reads are
// still served. Everything recovers without a restart.
func TestReplicaFullEtcd(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	log, option := logged(slog.LevelInfo)
	c, _ := clients(t, cluster, option)
	unrecorded, _ := clients(t, cluster, emulator.WithJournalSize(0))
	read(t, c, "vr_completed")
	makeRoom := cluster.Fill(t)
	wantStatus(t, c.Post(control+"reset", ""), 500, "Internal server error: the store cannot be written, because its volume is full: free some space; the log names the store")
	const fix = "compact and defragment etcd, or raise its quota, and disarm the alarm"
	wantParts(t, log.String(), fix)
	playScript(t, c, `
		GET ready → 503 …`+fix+`
		GET /verification-requests/vr_completed → 500 Internal server error | the store cannot be written`)
	read(t, unrecorded, "vr_completed")
	makeRoom()
	playScript(t, c, `
		GET ready → 200
		POST reset → 200
		GET /verification-requests/vr_completed → 200`)
}

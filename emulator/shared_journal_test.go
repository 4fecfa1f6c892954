package emulator_test

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

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// pair serves two replicas on a store in a cluster, and returns their addresses.
func pair(t *testing.T, cluster *etcdtest.Cluster, options ...emulator.Option) (a, b string) {
	t.Helper()
	spec := "etcd://" + cluster.Endpoints() + "/" + strings.ReplaceAll(t.Name(), "/", "-")
	var urls []string
	for range 2 {
		s, err := etcd.Open(t.Context(), spec, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, serve(t, append(options, emulator.WithStore(s))...))
	}
	return urls[0], urls[1]
}

// Contract 6: the journal, from whatever replica.
func TestReplicasShareTheJournal(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, test := range map[string]func(t *testing.T, cluster *etcdtest.Cluster){
		"which each reads, verifies and clears": testJournalElsewhere,
		"which each streams as it comes":        testStreamElsewhere,
		"which has the last requests":           testJournalSizeElsewhere,
		"which a snapshot takes along":          testSnapshotElsewhere,
		"which goes with its world":             testJournalGone,
		"in which nothing is secret":            testNothingSecretStored,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, cluster)
		})
	}
}

// Issue: requests that cannot be served get 500 with the envelope, and all heals without a restart.
func TestAJournalThatCannotBeReadIsNoEmptyOne(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	urlA, urlB := pair(t, cluster)
	a, b := apitest.New(t, urlA, key), apitest.New(t, urlB, key)
	id := idOf(a.Get("/verification-requests/vr_completed"))
	live := follow(t, urlB, "?status=200&since=2025-01-01T00:00:00Z", "") // of those that fail some are told, too
	wantEvent(t, live, "request", id)
	cluster.Members[0].Kill()
	wantStatus(t, b.Get(control+"journal"), 500, "Internal server error")
	wantStatus(t, b.Get(control+"health"), 200, "")
	cluster.Members[0].Start(t)
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
	urlA, urlB := pair(t, cluster)
	a, b := apitest.New(t, urlA, key), apitest.New(t, urlB, key)
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
	verify := func(c *apitest.Client, n int, status int) {
		t.Helper()
		if r := c.Post(control+"journal/verify", fmt.Sprintf(`{"operation":"getVerificationRequest","times":{"exactly":%d}}`, n)); r.Status != status {
			t.Errorf("verify %d: %d %s", n, r.Status, r.Body)
		}
	}
	verify(a, 10, 200)
	verify(b, 9, 409)
	wantStatus(t, b.Send("DELETE", control+"journal", nil), 204, "")
	if left := journalOf(t, a); left != nil {
		t.Errorf("a journal that was cleared has %v", left)
	}
	a.Get("/verification-requests/vr_completed")
	verify(b, 1, 200)
}

func testStreamElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	noSigns := emulator.Clock{Frozen: epoch, Pause: func(ctx context.Context, span time.Duration) error {
		if span >= 15*time.Second { // what is between two signs of life
			<-ctx.Done()
		}
		return context.Cause(ctx)
	}}
	urlA, urlB := pair(t, cluster, emulator.WithClock(noSigns)) // so that nothing but a request has the stream look for more
	a := apitest.New(t, urlA, key)
	wantStatus(t, a.Post(control+"reset", nil), 200, "")
	live := follow(t, urlB, "", "")
	wantStatus(t, a.Post(control+"reset", nil), 200, "") // also of a world of which nothing was asked
	wantEvent(t, live, "reset", "")
	first := idOf(a.Get("/verification-requests/vr_completed"))
	wantEvent(t, live, "request", first)
	second := idOf(a.Get("/verification-requests/vr_none"))
	wantEvent(t, live, "request", second)
	resumed := follow(t, urlB, "", first)
	wantEvent(t, resumed, "request", second)
	wantStatus(t, a.Post(control+"reset", nil), 200, "")
	wantEvent(t, live, "reset", "")
	wantEvent(t, live, "request", idOf(a.Get("/verification-requests/vr_completed")))
}

func testJournalSizeElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	urlA, urlB := pair(t, cluster, emulator.WithJournalSize(3))
	a, b := apitest.New(t, urlA, key), apitest.New(t, urlB, key)
	var want []string
	for i := range 4 {
		for j, c := range []*apitest.Client{a, b} {
			want = append([]string{fmt.Sprint(2*i+j+1, " ", idOf(c.Get("/verification-requests/vr_completed")))}, want...)
		}
	}
	if diff := cmp.Diff(want[:3], journalOf(t, a)); diff != "" {
		t.Error(diff)
	}
	var verdict struct {
		Count   int `json:"count"`
		Dropped int `json:"dropped"`
	}
	b.Post(control+"journal/verify", `{"times":{"at_least":3}}`).JSON(&verdict)
	if verdict.Count != 3 || verdict.Dropped != 5 {
		t.Errorf("%+v", verdict)
	}
}

func testSnapshotElsewhere(t *testing.T, cluster *etcdtest.Cluster) {
	urlA, urlB := pair(t, cluster)
	a, b := apitest.New(t, urlA, key), apitest.New(t, urlB, key)
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
	if again := b.Get(control + "snapshot"); string(again.Body) != string(taken.Body) {
		t.Errorf("the snapshot was\n%s\nand is\n%s", taken.Body, again.Body)
	}
	next := idOf(b.Get("/verification-requests/vr_lifecycle"))
	if all := journalOf(t, a); len(all) != 4 || all[0] != "4 "+next {
		t.Errorf("the journal goes on with %v", all)
	}
}

// stored returns the keys of a test's store that are below a name.
func stored(t *testing.T, cluster *etcdtest.Cluster, below string) map[string][]byte {
	t.Helper()
	prefix := "/" + strings.ReplaceAll(t.Name(), "/", "-") + "/data/" + below
	found, err := cluster.Client(t).Get(t.Context(), prefix, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, kv := range found.Kvs {
		all[string(kv.Key)] = kv.Value
	}
	return all
}

func testJournalGone(t *testing.T, cluster *etcdtest.Cluster) {
	urlA, urlB := pair(t, cluster)
	a, b := apitest.New(t, urlA, key), apitest.New(t, urlB, key)
	for range 2 {
		id := a.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
		b.Get("/verification-requests/vr_completed")
		if len(stored(t, cluster, "journal/")) < 2 {
			t.Fatal("the journal is not in the store")
		}
		wantStatus(t, b.Send("DELETE", control+"worlds/"+id, nil), 204, "")
		until(t, "the journal of a world that was deleted is collected", func() bool { return len(stored(t, cluster, "journal/")) == 0 })
		if left := journalOf(t, a); left != nil {
			t.Errorf("the world that was made again has %v", left)
		}
	}
}

func testNothingSecretStored(t *testing.T, cluster *etcdtest.Cluster) {
	urlA, _ := pair(t, cluster)
	a := apitest.New(t, urlA, key)
	const number, other = "000-00-1001", "svc_sk_test_verysecret"
	r := a.With("X-Request-Id", other).Post("/credentials/session?key="+other, `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",
		"target":{"first_name":"Ada","last_name":"Example","social_security_number":"`+number+`","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}},"note":"`+other+`"}`)
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

// inflated returns what is compressed in an entry, behind its form.
func inflated(t *testing.T, value []byte) string {
	t.Helper()
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(value[1:])))
	if err != nil || !strings.Contains(string(text), "/credentials/session") && !strings.Contains(string(text), "/verification-requests/") {
		t.Fatalf("%q: %v", text, err)
	}
	return string(text)
}

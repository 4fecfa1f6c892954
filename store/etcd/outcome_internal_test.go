package etcd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// A write whose answer is lost after etcd has carried it out, or before, is done once and reported as what it was.
func TestAWriteWhoseAnswerIsLostIsDoneOnce(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, tt := range map[string]struct {
		before string // the value is; "" for none
		fail   func(*etcdtest.Link)
		change store.Change
		meet   func(t *testing.T, other *replica) // comes between the failure and its end
		want   string
		says   string // of the error; "" for none
	}{
		"a value is changed, and the answer is lost": {before: "1", fail: (*etcdtest.Link).HoldAnswers, change: storetest.Increment, want: "2",
			meet: func(t *testing.T, other *replica) { other.awaits(t, "a", "2") }},
		"a value is made, and the answer is lost": {fail: (*etcdtest.Link).HoldAnswers, change: storetest.Increment, want: "1",
			meet: func(t *testing.T, other *replica) { other.awaits(t, "a", "1") }},
		"a value is deleted, and the answer is lost": {before: "1", fail: (*etcdtest.Link).HoldAnswers,
			change: func([]byte) ([]byte, error) { return nil, nil },
			meet:   func(t *testing.T, other *replica) { other.awaits(t, "a", "") }},
		"it does not reach etcd":                       {before: "1", fail: (*etcdtest.Link).Hold, change: storetest.Increment, want: "2"},
		"it does not reach etcd, and another one does": {before: "1", fail: (*etcdtest.Link).Hold, change: storetest.Increment, want: "3", meet: increment},
		"it is done, and another one behind it": {before: "1", fail: (*etcdtest.Link).HoldAnswers, change: storetest.Increment, want: "3",
			meet: func(t *testing.T, other *replica) { other.awaits(t, "a", "2"); increment(t, other) }, says: "it is not known whether it was written"},
		"it does not reach etcd, and two others do": {before: "1", fail: (*etcdtest.Link).Hold, change: storetest.Increment, want: "3",
			meet: func(t *testing.T, other *replica) { increment(t, other); increment(t, other) }, says: "it is not known whether it was written"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := "/outcome-" + strings.ReplaceAll(name, " ", "-")
			link := etcdtest.NewLink(t, cluster.Endpoints())
			one, other := newReplica(t, link.Endpoint, prefix), newReplica(t, cluster.Endpoints(), prefix)
			if tt.before != "" {
				storetest.Put(t, one, "a", []byte(tt.before))
			}
			if _, err := one.Get(t.Context(), "a"); err != nil { // so that it is known what is there
				t.Fatal(err)
			}
			tt.fail(link)
			before := one.txns.Load()
			changed := make(chan error)
			go func() { changed <- one.Update(t.Context(), "a", tt.change) }()
			poll(t, "it is sent", func() bool { return one.txns.Load() > before })
			if tt.meet != nil {
				tt.meet(t, other)
			}
			link.Cut() // and what is held back is lost
			link.Heal()
			err := <-changed
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("%v, want %q", err, tt.says)
			}
			other.awaits(t, "a", tt.want)
		})
	}
}

func increment(t *testing.T, other *replica) {
	t.Helper()
	if err := other.Update(t.Context(), "a", storetest.Increment); err != nil {
		t.Error(err)
	}
}

// awaits waits until a key has a value, "" for none.
func (r *replica) awaits(t *testing.T, key, want string) {
	t.Helper()
	poll(t, key+" is "+want, func() bool {
		value, err := r.Get(t.Context(), key)
		return err == nil && string(value) == want
	})
}

// Issue, faults survived: what cannot be served fails within a bounded time.
func TestACallThatEtcdDoesNotAnswerFailsInItsTime(t *testing.T) {
	t.Parallel()
	link := etcdtest.NewLink(t, etcdtest.Run(t, 1).Endpoints())
	r := newReplica(t, link.Endpoint, "/bound")
	link.Hold()
	var calling sync.WaitGroup // all at once, on however few cores
	for name, call := range map[string]func(context.Context) error{
		"Get":                    func(ctx context.Context) error { _, err := r.Get(ctx, "a"); return err },
		"Recall":                 func(ctx context.Context) error { _, err := r.Recall(ctx, "a", still); return err },
		"Update":                 func(ctx context.Context) error { return r.Update(ctx, "a", storetest.Increment) },
		"Amend":                  func(ctx context.Context) error { return r.Amend(ctx, "b", storetest.Increment) },
		"Scan":                   func(ctx context.Context) error { return r.Scan(ctx, "", "", func(string, []byte) error { return nil }) },
		"Update of the same key": func(ctx context.Context) error { return r.Update(ctx, "a", storetest.Increment) },
		"DeletePrefix":           func(ctx context.Context) error { return r.DeletePrefix(ctx, "a") },
		"AppendLogs":             func(ctx context.Context) error { return appendOne(ctx, r, "l/") },
		"ReadLog":                func(ctx context.Context) error { return readAll(ctx, r, "l/") },
		"ClearLog":               func(ctx context.Context) error { return r.ClearLog(ctx, "l/") },
		"ReplaceLog":             func(ctx context.Context) error { return replaceOne(ctx, r, "l/") },
		"Settle":                 func(ctx context.Context) error { return r.Settle(ctx) },
	} {
		calling.Go(func() {
			began := time.Now()
			err := call(t.Context())
			most := callTime
			if strings.HasPrefix(name, "Update") { // one of them waits for the other's end before
				most *= 2
			}
			if took := time.Since(began); err == nil || took > most+callTime/2 {
				t.Errorf("%s returned %v after %s, and has %s", name, err, took, most)
			}
		})
	}
	calling.Wait()
}

func appendOne(ctx context.Context, r *replica, log string) error {
	_, err := r.AppendLogs(ctx, rand.Text(), []store.Batch{{Log: log, Entries: 1, Value: []byte("x")}})
	return err
}

func readAll(ctx context.Context, r *replica, log string) error {
	_, err := r.ReadLog(ctx, log, 0, func(uint64, []byte) error { return nil })
	return err
}

func replaceOne(ctx context.Context, r *replica, log string) error {
	return r.ReplaceLog(ctx, log, store.LogHead{Last: 1}, []store.Batch{{Log: log, Entries: 1, Value: []byte("y")}})
}

// A member that hangs costs a call a second, and no error.
func TestACallThatMeetsAMemberThatHangsGoesToAnother(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 3)
	var endpoints []string
	var links []*etcdtest.Link
	for _, m := range cluster.Members {
		links = append(links, etcdtest.NewLink(t, m.Endpoint))
		endpoints = append(endpoints, links[len(links)-1].Endpoint)
	}
	one, other := newReplica(t, strings.Join(endpoints, ","), "/hang"), newReplica(t, cluster.Endpoints(), "/hang")
	links[0].Hold()
	for range 60 {
		if _, err := one.Get(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	if late := one.late.Load(); late > 2 {
		t.Errorf("60 calls have met the member that hangs %d times: one that has is a sign for the others", late)
	}
	for n := range 3 {
		if _, err := one.Get(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		one.amend(t, "b", n)
		if got := other.number(t, "b"); got != n {
			t.Errorf("%d was amended, and the other replica recalls %d", n, got)
		}
	}
	for name, call := range map[string]func(context.Context) error{
		"AppendLogs": func(ctx context.Context) error { return appendOne(ctx, one, "append/") },
		"ReadLog":    func(ctx context.Context) error { return readAll(ctx, one, "append/") },
		"ClearLog": func(ctx context.Context) error {
			return cmp.Or(appendOne(ctx, one, "clear/"), one.ClearLog(ctx, "clear/"))
		},
		"ReplaceLog": func(ctx context.Context) error {
			return cmp.Or(appendOne(ctx, one, "replace/"), replaceOne(ctx, one, "replace/"))
		},
		"Settle": one.Settle,
	} {
		for range 3 {
			if err := call(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	other.amend(t, "b", 7) // which the replica hears of, whichever member told it what is amended
	if got := one.number(t, "b"); got != 7 {
		t.Errorf("7 was amended, and the replica recalls %d", got)
	}
}

// A transaction that etcd refuses is an error at once.
func TestAValueThatEtcdDoesNotTakeIsRefused(t *testing.T) {
	t.Parallel()
	r := newReplica(t, etcdtest.Run(t, 1).Endpoints(), "/large")
	err := r.Update(t.Context(), "a", func([]byte) ([]byte, error) { return make([]byte, 3<<20), nil })
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a value of 3 MiB: %v", err)
	}
	if value, err := r.Get(t.Context(), "a"); err != nil || value != nil {
		t.Errorf("%d bytes, %v", len(value), err)
	}
}

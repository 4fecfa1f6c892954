package etcd

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

func TestTheHeadsOfLogsAreNotPushedOutByWhatElseIsWritten(t *testing.T) {
	t.Parallel()
	r := newReplica(t, etcdtest.Run(t, 1).Endpoints(), "/heads")
	if err := appendOne(t.Context(), r, "l/"); err != nil {
		t.Fatal(err)
	}
	for i := range hintKeys {
		r.hints.add(fmt.Sprint(i), found{value: []byte("x"), revision: 1})
	}
	before := r.asks.Load()
	if err := appendOne(t.Context(), r, "l/"); err != nil {
		t.Fatal(err)
	}
	if asks := r.asks.Load() - before; asks != 1 {
		t.Errorf("an append asks %d times, and nobody else adds", asks)
	}
}

// Replicas that add to the same logs in turn send what they add once: they look at the heads before, which is little.
func TestAnAppendToLogsOfOthersLooksAtTheirHeadsFirst(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	both := []*replica{newReplica(t, cluster.Endpoints(), "/turns"), newReplica(t, cluster.Endpoints(), "/turns")}
	append40 := func(r *replica, id int) {
		t.Helper()
		var batches []store.Batch
		for i := range 40 {
			batches = append(batches, store.Batch{Log: fmt.Sprintf("%d/", i), Entries: 1, Value: make([]byte, 1<<10)})
		}
		if _, err := r.AppendLogs(t.Context(), fmt.Sprint(id), batches); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 6 {
		append40(both[n%2], n)
	}
	sent := both[0].sent.Load() + both[1].sent.Load()
	for n := range 20 {
		append40(both[n%2], 6+n)
	}
	if again := both[0].sent.Load() + both[1].sent.Load() - sent; again > 20*48<<10 {
		t.Errorf("20 appends of 40 KiB send %d KiB", again>>10)
	}
	append40(both[0], 100)
	append40(both[0], 101)
	before := both[0].asks.Load()
	append40(both[0], 102)
	if asks := both[0].asks.Load() - before; asks != 1 {
		t.Errorf("where others have stopped, an append asks %d times", asks)
	}
}

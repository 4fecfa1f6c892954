package etcd

import (
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// An operator has etcd compact what it was, every hour or so.
func TestWhatIsReadInPagesIsReadToItsEndWhenEtcdCompacts(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	client := cluster.Client(t)
	r := newReplica(t, cluster.Endpoints(), "/compacted")
	compact := func() {
		t.Helper()
		put, err := client.Put(t.Context(), "something", "else") // so that what is read is a revision behind
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Compact(t.Context(), put.Header.Revision); err != nil {
			t.Fatal(err)
		}
	}
	const keys, chunks = 2*pageKeys + 10, 2*chunkPage + 10
	var all []clientv3.Op
	for i := range keys {
		if all = append(all, clientv3.OpPut(fmt.Sprintf("%sk/%04d", r.data, i), string(found{value: []byte("x")}.pack()))); len(all) == 100 || i == keys-1 {
			if _, err := client.Txn(t.Context()).Then(all...).Commit(); err != nil {
				t.Fatal(err)
			}
			all = nil
		}
	}
	next := 0
	err := r.Scan(t.Context(), "k/", "", func(key string, _ []byte) error {
		if want := fmt.Sprintf("k/%04d", next); key != want {
			t.Fatalf("%s is visited where %s is next", key, want)
		}
		if next++; next%pageKeys == 1 {
			compact()
		}
		return nil
	})
	if err != nil || next != keys {
		t.Errorf("%d keys of %d: %v", next, keys, err)
	}
	for range chunks {
		if err := appendOne(t.Context(), r, "l/"); err != nil {
			t.Fatal(err)
		}
	}
	var numbers []uint64
	head, err := r.ReadLog(t.Context(), "l/", 0, func(last uint64, _ []byte) error {
		if numbers = append(numbers, last); len(numbers)%chunkPage == 1 {
			compact()
		}
		return nil
	})
	if err != nil || head.Last != chunks || len(numbers) != chunks || numbers[chunks-1] != chunks {
		t.Errorf("the head is %v, %v; the numbers are %v", head, err, numbers)
	}
	compact()
	if err := replaceOne(t.Context(), r, "l/"); err != nil {
		t.Errorf("a log of which nothing was written since: %v", err)
	}
	if head, err := r.ReadLog(t.Context(), "l/", 0, func(uint64, []byte) error { return nil }); err != nil || head != (store.LogHead{Last: chunks + 1}) {
		t.Errorf("the head is %v, %v", head, err)
	}
}

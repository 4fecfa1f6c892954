package etcd

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

func TestOfAReplicaThatIsGoneNoAppendIsRemembered(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	client := cluster.Client(t)
	r := newReplica(t, cluster.Endpoints(), "/wrote")
	appended := func(id string, last uint64) {
		t.Helper()
		if _, err := r.AppendLogs(t.Context(), id, []store.Batch{{Log: "l/", Entries: 1, Value: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
		if head, err := r.ReadLog(t.Context(), "l/", 0, func(uint64, []byte) error { return nil }); err != nil || head.Last != last {
			t.Fatalf("the log ends with %d, want %d; %v", head.Last, last, err)
		}
	}
	lease := func() clientv3.LeaseID {
		t.Helper()
		got, err := client.Get(t.Context(), r.wroteKey())
		if err != nil || len(got.Kvs) != 1 {
			t.Fatal(got, err)
		}
		return clientv3.LeaseID(got.Kvs[0].Lease)
	}
	left := func() time.Duration {
		t.Helper()
		got, err := client.TimeToLive(t.Context(), lease())
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(got.TTL) * time.Second
	}
	appended("1", 1)
	if span := left(); span < wroteTime-time.Minute || span > wroteTime {
		t.Errorf("it is remembered for %s, want %s", span, wroteTime)
	}
	r.stop()
	first := lease()
	r.goOn(wroteTime / 2)
	appended("2", 2)
	appended("2", 2)
	if lease() != first {
		t.Error("a lease that holds is not renewed")
	}
	for name, later := range map[string]time.Duration{"at once": 0, "when it is to be renewed": wroteTime / 2} {
		before, head := lease(), r.lastOf(t, "l/")
		if _, err := client.Revoke(t.Context(), before); err != nil { // as if its time were over
			t.Fatal(err)
		}
		r.goOn(later)
		appended(name, head+1)
		appended(name, head+1)
		if lease() == before {
			t.Errorf("%s: the lease is one that is gone", name)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Get(t.Context(), "/wrote/wrote/", clientv3.WithPrefix()); err != nil || len(got.Kvs) != 0 {
		t.Errorf("behind its end there is %v, %v", got, err)
	}
}

func (r *replica) lastOf(t *testing.T, log string) uint64 {
	t.Helper()
	head, err := r.ReadLog(t.Context(), log, 0, func(uint64, []byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return head.Last
}

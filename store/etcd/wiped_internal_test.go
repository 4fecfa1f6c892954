package etcd

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// Where etcd has lost its data its revisions begin anew, and what the replicas knew of older ones is not taken for these.
func TestReplicasGoOnWhenTheRevisionsOfEtcdHaveGoneBack(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	one, other := newReplica(t, cluster.Endpoints(), "/wiped"), newReplica(t, cluster.Endpoints(), "/wiped")
	var settled atomic.Int32
	other.OnSettle(func(context.Context) error { settled.Add(1); return nil })
	for n := range 20 {
		one.amend(t, "a", n)
	}
	if err := one.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	client := cluster.Client(t)
	member := cluster.Members[0]
	member.Kill()
	member.Wipe(t)
	member.Start(t)
	poll(t, "both have joined again", func() bool {
		got, err := client.Get(t.Context(), one.group.membersPrefix(), clientv3.WithPrefix())
		if err != nil || len(got.Kvs) != 2 {
			return false
		}
		for _, kv := range got.Kvs {
			name := strings.TrimPrefix(string(kv.Key), one.group.membersPrefix())
			if one.knows(name) == other.knows(name) { // it is one of them, and the other one knows it
				return false
			}
		}
		return true
	})
	if f := one.hints.get("a"); f.value != nil {
		t.Errorf("the key is known to be %q of revision %d", f.value, f.revision)
	}
	if err := one.Update(t.Context(), "a", storetest.Increment); err != nil {
		t.Error(err)
	}
	one.awaits(t, "a", "1")
	poll(t, "it has settled at its join", func() bool { return other.group.hasSettled() })
	before := settled.Load()
	if err := one.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	if settled.Load() == before {
		t.Error("it is settled, and the other replica was not waited for")
	}
	one.amend(t, "a", 2)
	if got := other.number(t, "a"); got != 2 {
		t.Errorf("2 was amended, and the other replica recalls %d", got)
	}
}

func (r *replica) knows(member string) bool {
	r.group.mu.Lock()
	defer r.group.mu.Unlock()
	_, ok := r.group.others[member]
	return ok
}

// hasSettled reports whether the replica has settled since it joined, and said so.
func (g *group) hasSettled() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.said.settled > 0 && g.said.settled >= g.settling.owed
}

package etcd

import (
	"errors"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Store: once Amend has returned, no Recall returns what was before what it saw, whoever wrote that.
func TestAnAmendThatWritesNothingWaitsForTheAmendmentThatItSaw(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	refusal := errors.New("it is so already")
	put := func([]byte) ([]byte, error) { return []byte("2"), nil }
	drop := func([]byte) ([]byte, error) { return nil, nil }
	for name, tt := range map[string]struct {
		amend, same store.Change
		want        error
	}{
		"the same value":          {amend: put, same: put},
		"the same deletion":       {amend: drop, same: drop},
		"an error of the change":  {amend: put, same: func([]byte) ([]byte, error) { return nil, refusal }, want: refusal},
		"an error on its absence": {amend: drop, same: func([]byte) ([]byte, error) { return nil, refusal }, want: refusal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := "/seen/" + t.Name()
			link := etcdtest.NewLink(t, cluster.Endpoints())
			one, two := newReplica(t, cluster.Endpoints(), prefix), newReplica(t, cluster.Endpoints(), prefix)
			late := newReplica(t, link.Endpoint, prefix)
			one.amend(t, "a", 1)
			late.keep(t, "a")
			link.Hold()
			first := make(chan error, 1)
			go func() { first <- one.Amend(t.Context(), "a", tt.amend) }()
			want := "2"
			if next, _ := tt.amend(nil); next == nil {
				want = ""
			}
			two.awaits(t, "a", want)
			select {
			case <-first:
				t.Fatal("the first amendment is over, and a replica has not heard of it")
			default:
			}
			second := make(chan error, 1)
			go func() { second <- two.Amend(t.Context(), "a", tt.same) }()
			select {
			case err := <-first: // etcd has found the late one's lease to have run out
				if err != nil {
					t.Error(err)
				}
				if err := <-second; !errors.Is(err, tt.want) {
					t.Errorf("%v, want %v", err, tt.want)
				}
			case <-second:
				if two.hasMember(late) {
					t.Error("it is over while a replica that holds a lease has not heard")
				}
				<-first
			}
			link.Heal()
		})
	}
}

func (r *replica) hasMember(other *replica) bool {
	r.group.mu.Lock()
	defer r.group.mu.Unlock()
	for name := range r.group.others {
		if strings.HasPrefix(name, other.group.self+"/") {
			return true
		}
	}
	return false
}

// An amendment that is over, and that all are known to have heard of, is seen without a write and without a wait; one of
// which its own replica has not said so costs one write, and the next none.
func TestAnAmendThatWritesNothingAsksTheReplicasOnceAtMost(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	one, two := newReplica(t, cluster.Endpoints(), "/once"), newReplica(t, cluster.Endpoints(), "/once")
	client := cluster.Client(t)
	notice := func() int64 {
		got, err := client.Get(t.Context(), one.group.noticeKey())
		if err != nil || len(got.Kvs) != 1 {
			t.Fatal(got, err)
		}
		return got.Kvs[0].Version
	}
	one.amend(t, "a", 1)
	one.amend(t, "a", 1)
	if n := notice(); n != 1 {
		t.Errorf("%d notices, where the other replica has said that it heard of the first", n)
	}
	for range 5 {
		two.amend(t, "a", 1)
		two.amend(t, "a", 1)
	}
	if n := notice(); n > 2 {
		t.Errorf("%d notices, want 2 at most", n)
	}
	if err := one.Update(t.Context(), "b", func([]byte) ([]byte, error) { return []byte("1"), nil }); err != nil {
		t.Fatal(err)
	}
	two.amend(t, "b", 1) // nobody is told of what was only updated
	if n := notice(); n > 2 {
		t.Errorf("%d notices for a value that was never amended", n)
	}
}

package etcd

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// Contract 6: ready is 200 when it can serve. One who reads it learns what to do, and that it was done.
func TestAStoreThatIsFullSaysSoUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	r := newReplica(t, cluster.Endpoints(), "/full")
	storetest.Put(t, r, "a", []byte("1"))
	cluster.Fill(t)
	if err := r.Ready(); err != nil {
		t.Errorf("nothing was refused yet: %v", err)
	}
	const says = "database space exceeded: compact and defragment etcd, or raise its quota, and disarm the alarm"
	for name, write := range map[string]func(context.Context) error{
		"Update": func(ctx context.Context) error { return r.Update(ctx, "a", storetest.Increment) },
		"Amend":  func(ctx context.Context) error { return r.Amend(ctx, "a", storetest.Increment) },
		"Settle": r.Settle,
		"an append": func(ctx context.Context) error {
			_, err := r.AppendLogs(ctx, "1", []store.Batch{{Log: "l/", Entries: 1}})
			return err
		},
	} {
		if err := write(t.Context()); !errors.Is(err, rpctypes.ErrNoSpace) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", name, err, says)
		}
	}
	if err := r.Ready(); !errors.Is(err, rpctypes.ErrNoSpace) || !strings.Contains(err.Error(), says) {
		t.Errorf("it says that it is ready: %v", err)
	}
	storetest.WantValue(t, r, "a", []byte("1"))
	if err := r.DeletePrefix(t.Context(), "b"); err != nil {
		t.Errorf("what makes room is refused: %v", err)
	}
	cluster.MakeRoom(t)
	if err := r.Ready(); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	if err := r.Update(t.Context(), "a", storetest.Increment); err != nil {
		t.Error(err)
	}
}

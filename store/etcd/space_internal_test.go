package etcd

import (
	"context"
	"errors"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

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
	client := cluster.Client(t)
	alarm(t, client)
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
		t.Errorf("what is told: %v, want %s", err, says)
	}
	storetest.WantValue(t, r, "a", []byte("1"))
	if err := r.DeletePrefix(t.Context(), "b"); err != nil {
		t.Errorf("what makes room is refused: %v", err)
	}
	if _, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
	if err := r.Ready(); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	if err := r.Update(t.Context(), "a", storetest.Increment); err != nil {
		t.Error(err)
	}
}

// alarm has etcd take no writes, as it does by itself when it is full.
func alarm(t *testing.T, client *clientv3.Client) {
	t.Helper()
	status, err := client.Status(t.Context(), client.Endpoints()[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = pb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), &pb.AlarmRequest{
		MemberID: status.Header.MemberId, Action: pb.AlarmRequest_ACTIVATE, Alarm: pb.AlarmType_NOSPACE,
	})
	if err != nil {
		t.Fatal(err)
	}
}

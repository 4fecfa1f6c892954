package etcdtest

import (
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Fill has the cluster take no more writes, as it does when it has come to its quota.
func (c *Cluster) Fill(t testing.TB) {
	t.Helper()
	client := c.Client(t)
	status, err := client.Status(t.Context(), c.Members[0].Endpoint)
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

// MakeRoom has the cluster take writes again.
func (c *Cluster) MakeRoom(t testing.TB) {
	t.Helper()
	if _, err := c.Client(t).AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
}

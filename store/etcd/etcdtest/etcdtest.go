// Package etcdtest runs members of etcd for tests, and has them fail.
package etcdtest

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Cluster is a cluster of etcd on loopback.
type Cluster struct {
	Members []*Member

	secured *tls.Config // of a client; nil where the cluster has no TLS
}

// Member is one process of a cluster.
type Member struct {
	Endpoint string // HOST:PORT for clients

	args    []string
	process *exec.Cmd
	said    *bytes.Buffer
}

// Run starts a cluster of so many members in a temporary folder, and ends it with the test. Where etcd is not installed, and
// on other systems than Linux, the test is skipped; with CI=true it fails without etcd.
func Run(t testing.TB, members int) *Cluster {
	t.Helper()
	return run(t, members, newAddress(), "http", nil)
}

// run starts a cluster on an address, whose clients come by a scheme, with more flags.
func run(t testing.TB, members int, address net.IP, scheme string, secured *tls.Config, flags ...string) *Cluster {
	t.Helper()
	program, err := exec.LookPath("etcd")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("etcd is not installed: install Debian's etcd-server")
	}
	if err != nil || runtime.GOOS != "linux" { // elsewhere there is one loopback address
		t.Skip("etcd is not installed, or this is not Linux: install Debian's etcd-server to run this test")
	}
	folder := newFolder(t)
	c := &Cluster{secured: secured}
	var peers []string
	for i := range members {
		peers = append(peers, fmt.Sprintf("m%d=http://%s:%d", i, address, 23800+i))
	}
	for i, peer := range peers {
		name, peer, _ := strings.Cut(peer, "=")
		endpoint := fmt.Sprintf("%s:%d", address, 23790+i)
		m := &Member{Endpoint: endpoint, args: append([]string{
			program, "--name", name, "--data-dir", filepath.Join(folder, name),
			"--listen-client-urls", scheme + "://" + endpoint, "--advertise-client-urls", scheme + "://" + endpoint,
			"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
			"--initial-cluster", strings.Join(peers, ","), "--logger", "zap", "--log-level", "error",
		}, flags...)}
		c.Members = append(c.Members, m)
		m.Start(t)
		t.Cleanup(m.Kill)
	}
	c.await(t)
	return c
}

// newAddress returns a loopback address of a cluster's own, so that nobody else is given its ports.
func newAddress() net.IP {
	n := rand.Uint32()
	return net.IPv4(127, 1+byte(n>>16)%250, byte(n>>8), byte(n))
}

// newFolder returns a folder in memory where there is one: etcd waits for the disk at each write, and tests run side by side.
func newFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "etcd")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// await waits until the cluster takes writes.
func (c *Cluster) await(t testing.TB) {
	t.Helper()
	var err error
	client := c.Client(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		try, end := context.WithTimeout(ctx, time.Second)
		_, err = client.Put(try, "etcdtest", "ready")
		if end(); err == nil {
			return
		}
	}
	t.Fatalf("etcd does not take writes: %v\n%s", err, c.Members[0].said)
}

// Endpoints returns HOST:PORT of all members, with commas between them.
func (c *Cluster) Endpoints() string {
	var all []string
	for _, m := range c.Members {
		all = append(all, m.Endpoint)
	}
	return strings.Join(all, ",")
}

// Client returns a client of all members, which the end of the test closes.
func (c *Cluster) Client(t testing.TB) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(c.Endpoints(), ","), TLS: c.secured, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// Leader returns the member that leads, and waits for one where there is an election.
func (c *Cluster) Leader(t testing.TB) *Member {
	t.Helper()
	client := c.Client(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		for _, m := range c.Members {
			try, end := context.WithTimeout(ctx, 5*time.Second)
			status, err := client.Status(try, m.Endpoint)
			end()
			if err == nil && status.Leader == status.Header.MemberId {
				return m
			}
		}
	}
	t.Fatal("no member of etcd leads")
	return nil
}

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

// Start starts the process, anew after Kill.
func (m *Member) Start(t testing.TB) {
	t.Helper()
	m.said = new(bytes.Buffer)
	m.process = exec.Command(m.args[0], m.args[1:]...)
	m.process.Stdout, m.process.Stderr = m.said, m.said
	if err := m.process.Start(); err != nil {
		t.Fatal(err)
	}
}

// Kill ends the process at once, and returns when it has ended. What it had written stays.
func (m *Member) Kill() {
	_ = m.process.Process.Kill() // it may have ended
	_ = m.process.Wait()
}

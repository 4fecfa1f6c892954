// Package etcdtest runs etcd clusters for tests, and makes them fail.
//
//	cluster := etcdtest.Run(t, 3)
//	s, err := etcd.Open(ctx, "etcd://"+cluster.Endpoints(), os.Getenv)
//	restart := cluster.Leader(t).Kill() // kill -9
//	restart(t)
//
// A cluster is real etcd processes on a loopback address of its own, with data in memory. A [Member] fails as a process does:
// Kill, Pause. A [Link] is a proxy in front of a member and fails as a network does: Disconnect, Hold, HoldAnswers, then Heal. etcd
// itself must be installed; see [Run] for what happens otherwise. Begin with [Run].
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

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// Cluster is a cluster of etcd on loopback.
type Cluster struct {
	Members []*Member

	// The files (PEM) of a client's certificate and key, if the cluster has TLS. The certificate is also the authority's.
	CertFile, KeyFile string

	tls *tls.Config // of a client; nil without TLS
}

// Member is one process of a cluster.
type Member struct {
	Endpoint string // HOST:PORT for clients

	args    []string
	process *exec.Cmd
	output  *bytes.Buffer
}

// Run starts a cluster and ends it with the test. Without etcd it skips the test, or fails it if CI=true.
func Run(t testing.TB, members int) *Cluster {
	t.Helper()
	c := &Cluster{}
	c.start(t, members, newAddress(), "http")
	return c
}

// start starts the members on an address, with an URL scheme for clients and additional flags.
func (c *Cluster) start(t testing.TB, members int, address net.IP, scheme string, flags ...string) {
	t.Helper()
	program := lookUp(t)
	folder := newFolder(t)
	var peers []string
	for i := range members {
		peers = append(peers, fmt.Sprintf("m%d=http://%s:%d", i, address, 23800+i))
	}
	if members == 1 { // it elects itself: the shorter, the sooner the cluster is ready
		flags = append(flags, "--heartbeat-interval", "10", "--election-timeout", "100")
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
		m.start(t)
		t.Cleanup(func() { m.Kill() })
	}
	c.await(t)
}

// lookUp returns the path of etcd.
func lookUp(t testing.TB) (program string) {
	t.Helper()
	program, err := exec.LookPath("etcd")
	switch {
	case runtime.GOOS != "linux": // elsewhere there is only one loopback address
		t.Skipf("the tests of etcd run on Linux only; left out: %s", t.Name())
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("etcd is not installed: apt-get install etcd-server; CI=true requires it for %s", t.Name())
	case err != nil:
		t.Skipf("etcd is not installed: apt-get install etcd-server; left out: %s", t.Name())
	}
	return program
}

// newAddress returns a random loopback address, so that no other process uses its ports.
func newAddress() net.IP {
	n := rand.Uint32()
	return net.IPv4(127, 1+byte(n>>16)%250, byte(n>>8), byte(n))
}

// newFolder returns a folder, if possible in memory: etcd syncs each write to the disk, and tests run in parallel.
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

// await waits until the cluster accepts writes.
func (c *Cluster) await(t testing.TB) {
	t.Helper()
	var err error
	client := c.Client(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		attempt, end := context.WithTimeout(ctx, time.Second)
		_, err = client.Put(attempt, "etcdtest", "ready")
		if end(); err == nil {
			return
		}
	}
	t.Fatalf("etcd does not accept writes: %v\n%s", err, c.Members[0].output)
}

// Endpoints returns HOST:PORT of all members, separated by commas.
func (c *Cluster) Endpoints() string {
	var all []string
	for _, m := range c.Members {
		all = append(all, m.Endpoint)
	}
	return strings.Join(all, ",")
}

// Client returns a client of all members. It is closed at the end of the test.
func (c *Cluster) Client(t testing.TB) *clientv3.Client {
	t.Helper()
	soon := grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.5, MaxDelay: time.Second}}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: strings.Split(c.Endpoints(), ","), TLS: c.tls, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(soon)}, // etcd may have just started
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// Leader returns the leader of the cluster. It waits for the end of an election.
func (c *Cluster) Leader(t testing.TB) *Member {
	t.Helper()
	client := c.Client(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		for _, m := range c.Members {
			attempt, end := context.WithTimeout(ctx, 5*time.Second)
			status, err := client.Status(attempt, m.Endpoint)
			end()
			if err == nil && status.Leader == status.Header.MemberId {
				return m
			}
		}
	}
	t.Fatal("etcd has no leader")
	return nil
}

// start starts the process.
func (m *Member) start(t testing.TB) {
	t.Helper()
	m.output = new(bytes.Buffer)
	m.process = exec.Command(m.args[0], m.args[1:]...)
	m.process.Stdout, m.process.Stderr = m.output, m.output
	if err := m.process.Start(); err != nil {
		t.Fatal(err)
	}
}

// Kill ends the process by kill -9, and returns a function that starts it again on the same data.
func (m *Member) Kill() (restart func(t testing.TB)) {
	_ = m.process.Process.Kill() // it may have ended
	_ = m.process.Wait()
	return m.start
}

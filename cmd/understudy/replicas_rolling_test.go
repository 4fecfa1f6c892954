//go:build unix

package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Each of three replicas, without CI=true one of them, is stopped by SIGTERM and started again, while clients send up to 200 requests a
// second to the proxy of compose.replicas.yaml. None fails, even though the proxy may not retry here.
func TestReplicasRollingRestart(t *testing.T) {
	t.Parallel()
	commandtest.Need(t, "haproxy")
	cluster := etcdtest.Run(t, 3)
	host, _, err := net.SplitHostPort(cluster.Members[0].Endpoint)
	commandtest.NoError(t, err)
	start := func(addr string) commandtest.Server {
		return commandtest.StartProcess(t, "--addr", addr, "--store", "etcd://"+cluster.Endpoints())
	}
	var replicas [3]commandtest.Server
	for i := range replicas {
		replicas[i] = start(host + ":0")
	}
	l := &load{url: startProxy(t, replicas[:]), client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	defer l.client.CloseIdleConnections()
	stop := l.start(t)
	restarts := 1
	if commandtest.Thorough() {
		restarts = len(replicas)
	}
	for i, r := range replicas[:restarts] {
		awaitRequests(r, t)
		r.End(t)
		replicas[i] = start(r.Host())
		awaitRequests(replicas[i], t)
	}
	stop()
	t.Logf("%d requests were sent, %d failed, the slowest took %s", l.sent, l.failed, l.slowest.Round(time.Millisecond))
}

// startProxy starts the proxy of compose.replicas.yaml in front of replicas, and returns its URL.
func startProxy(t *testing.T, replicas []commandtest.Server) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	commandtest.NoError(t, err)
	defer listener.Close()
	inherited, err := listener.(*net.TCPListener).File()
	commandtest.NoError(t, err)
	defer inherited.Close()
	changes := []string{"bind :8080", "bind fd@3", "option redispatch", "retries 0"}
	for i, r := range replicas {
		changes = append(changes, fmt.Sprintf("replica%d:8080", i+1), r.Host())
	}
	text := strings.NewReplacer(changes...).Replace(readComposition(t, "compose.replicas.yaml").Configs["proxy"].Content)
	c := exec.CommandContext(t.Context(), commandtest.Need(t, "haproxy"), "-db", "-f", commandtest.NewFile(t, "haproxy.cfg", text))
	c.ExtraFiles = []*os.File{inherited} // descriptor 3
	commandtest.Begin(t, c)
	return "http://" + listener.Addr().String()
}

// awaitRequests waits until the proxy has sent a request to a server.
func awaitRequests(s commandtest.Server, t *testing.T) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(time.Minute)
	for {
		_, metrics, err := commandtest.Send(http.DefaultClient, commandtest.NewRequest(commandtest.Key, "GET", s.URL+"/_understudy/metrics", ""))
		commandtest.NoError(t, err)
		if strings.Contains(string(metrics), "\nunderstudy_requests_total{") {
			return
		}
		if <-tick.C; time.Now().After(deadline) {
			t.Fatalf("the proxy sends nothing to %s", s.URL)
		}
	}
}

// load is clients that read and write.
type load struct {
	url    string
	client *http.Client

	mu           sync.Mutex
	sent, failed int
	slowest      time.Duration
}

// start sends up to 200 requests a second until stop is called.
func (l *load) start(t *testing.T) (stop func()) {
	ended, tick := make(chan struct{}), time.NewTicker(time.Second/200)
	var clients sync.WaitGroup
	for i := range 16 {
		clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				case <-tick.C:
					l.send(t, fmt.Sprintf("svc_sk_test_client-%d", i), n)
				}
			}
		})
	}
	stop = sync.OnceFunc(func() {
		close(ended)
		clients.Wait()
		tick.Stop()
	})
	t.Cleanup(stop)
	return stop
}

// send sends the n-th request of a client.
func (l *load) send(t *testing.T, key string, n int) {
	requests := []struct{ method, path, body string }{
		{"GET", "/verification-requests/vr_completed", ""},
		{"PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`},
		{"GET", "/verification-requests/vr_lifecycle", ""},
		{"POST", "/credentials/session", commandtest.NewSession},
	}
	r := requests[n%len(requests)]
	began := time.Now()
	answer, body, err := commandtest.Send(l.client, commandtest.NewRequest(key, r.method, l.url+r.path, r.body))
	took := time.Since(began)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", answer.Status, body)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	l.slowest = max(l.slowest, took)
	if err != nil {
		l.failed++
		t.Errorf("%s %s: %v", r.method, r.path, err)
	}
}

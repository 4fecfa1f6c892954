//go:build unix

package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// cluster is three emulator processes on three members of etcd. Each emulator has its own link to each member.
type cluster struct {
	t        *testing.T
	members  *etcdtest.Cluster
	replicas [3]*replica
	client   *http.Client
	turn     atomic.Int64
}

// replica is one emulator of a cluster. After a kill another process takes its place.
type replica struct {
	links  []*etcdtest.Link
	server atomic.Pointer[commandtest.Server]
	lives  atomic.Int64 // odd while no process serves
	served atomic.Int64 // answers with a known outcome
}

// newCluster starts a cluster, and stops it when the test ends.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, members: etcdtest.Run(t, 3)}
	c.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	t.Cleanup(c.client.CloseIdleConnections)
	for i := range c.replicas {
		r := &replica{}
		r.lives.Store(1)
		for _, m := range c.members.Members {
			r.links = append(r.links, etcdtest.NewLink(t, m.Endpoint))
		}
		c.replicas[i] = r
		r.start(t)
	}
	return c
}

// start starts a process.
func (r *replica) start(t *testing.T) {
	t.Helper()
	var endpoints []string
	for _, l := range r.links {
		endpoints = append(endpoints, l.Endpoint)
	}
	r.server.Store(new(commandtest.StartProcess(t, "--clock", "2025-01-15T09:00:00Z", "--store", "etcd://"+strings.Join(endpoints, ","))))
	r.lives.Add(1)
}

// kill kills the process.
func (r *replica) kill() {
	r.lives.Add(1)
	r.server.Load().Kill()
}

func (r *replica) eachLink(do func(*etcdtest.Link)) {
	for _, l := range r.links {
		do(l)
	}
}

// reply is the result of a request.
type reply struct {
	unknown      bool // the outcome: the emulator answered 500 without a rule, or the replica was killed meanwhile
	text         string
	began, ended time.Time
}

// is reports whether the outcome is known, and the status and body begin with a text.
func (r reply) is(text string) bool { return !r.unknown && strings.HasPrefix(r.text, text) }

// ask sends a request to the replicas in turn.
func (c *cluster) ask(key, method, path, body string) reply {
	return c.askOf(c.replicas[c.turn.Add(1)%int64(len(c.replicas))], key, method, path, body)
}

// askOf sends a request to a replica. It checks what holds for every answer: a listed status, the envelope.
func (c *cluster) askOf(r *replica, key, method, path, body string) reply {
	lives, url := r.lives.Load(), r.server.Load().URL
	request, got := commandtest.NewRequest(key, method, url+path, body), reply{began: time.Now()}
	answer, whole, err := commandtest.Send(c.client, request)
	got.ended = time.Now()
	if err != nil {
		got.unknown = true
		if lives%2 == 0 && r.lives.Load() == lives {
			c.t.Errorf("%s %s: a replica that serves does not answer: %v", method, path, err)
		}
		return got
	}
	apitest.New(c.t, url, key).Via(recorded{answer, whole}).Do(request)
	got.text = fmt.Sprintf("%d %s", answer.StatusCode, whole)
	why := answer.Header.Get("Understudy-Diagnosis")
	got.unknown = answer.StatusCode == http.StatusInternalServerError &&
		(!strings.Contains(why, "by its rule") || strings.Contains(why, "the outcome is unknown"))
	if !got.unknown {
		r.served.Add(1)
	}
	return got
}

// recorded sends no request, and returns a recorded answer.
type recorded struct {
	answer *http.Response
	whole  []byte
}

func (r recorded) Do(*http.Request) (*http.Response, error) {
	r.answer.Body = io.NopCloser(bytes.NewReader(r.whole))
	return r.answer, nil
}

// ready returns the status of a replica's readiness check.
func (c *cluster) ready(r *replica) int {
	answer, err := c.client.Get(r.server.Load().URL + "/_understudy/v1/ready")
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// until waits for a condition.
func (c *cluster) until(what string, is func() bool) {
	c.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(90 * time.Second)
	for !is() {
		<-tick.C
		if c.t.Failed() {
			c.t.FailNow() // a workload has failed
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("never true: %s", what)
		}
	}
}

// awaitServed waits until each of some replicas has served a number of requests of the workloads.
func (c *cluster) awaitServed(requests int64, replicas ...*replica) {
	c.t.Helper()
	least := make(map[*replica]int64)
	for _, r := range replicas {
		least[r] = r.served.Load() + requests
	}
	for r, n := range least {
		c.until("a replica serves", func() bool { return r.served.Load() >= n })
	}
}

// others returns all replicas but one.
func (c *cluster) others(but *replica) (all []*replica) {
	for _, r := range c.replicas {
		if r != but {
			all = append(all, r)
		}
	}
	return all
}

//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// crew is three emulators in processes of their own, on three members of etcd. Each has a way of its own to each member.
type crew struct {
	t        *testing.T
	members  *etcdtest.Cluster
	replicas [3]*replica
	client   *http.Client
	turn     atomic.Int64

	mu      sync.Mutex
	slowest map[bool]time.Duration // answer; true: of the control plane
}

// replica is a place in a crew. Whoever is killed is followed by another.
type replica struct {
	links  []*etcdtest.Link
	server atomic.Pointer[server]
	lives  atomic.Int64 // odd while nobody serves
	served atomic.Int64 // answers of which the outcome is known
}

// How long an answer takes at most where members or replicas fail, and what a machine may take on which much else runs.
const (
	apiBound   = 15 * time.Second // a call of the store that fails, 5s, and the same of the journal and of its batch before
	steerBound = 10 * time.Second // a call of the store that fails, and one of the control plane's before it
	busy       = 15 * time.Second
)

// newCrew starts a crew, which ends with the test.
func newCrew(t *testing.T) *crew {
	t.Helper()
	c := &crew{t: t, members: etcdtest.Run(t, 3), slowest: make(map[bool]time.Duration)}
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

// start has another process serve.
func (r *replica) start(t *testing.T) {
	t.Helper()
	var endpoints []string
	for _, l := range r.links {
		endpoints = append(endpoints, l.Endpoint)
	}
	r.server.Store(new(startProcess(t, "--clock", "2025-01-15T09:00:00Z", "--store", "etcd://"+strings.Join(endpoints, ","))))
	r.lives.Add(1)
}

// kill ends the process at once.
func (r *replica) kill() {
	r.lives.Add(1)
	r.server.Load().kill()
}

func (r *replica) eachLink(do func(*etcdtest.Link)) {
	for _, l := range r.links {
		do(l)
	}
}

// reply is what came of a request.
type reply struct {
	unknown      bool // whether it was done: 500 of the emulator's own, or the replica was killed meanwhile
	text         string
	began, ended time.Time
}

// is reports whether the reply begins with a status and a body.
func (r reply) is(text string) bool { return !r.unknown && strings.HasPrefix(r.text, text) }

// ask asks the replica whose turn it is.
func (c *crew) ask(key, method, path, body string) reply {
	return c.askOf(c.replicas[c.turn.Add(1)%int64(len(c.replicas))], key, method, path, body)
}

// askOf asks one of the replicas, and holds its answer against all that is true of every answer: a status that is listed,
// the envelope, within the time that is stated.
func (c *crew) askOf(r *replica, key, method, path, body string) reply {
	lives, url := r.lives.Load(), r.server.Load().url
	request, got := newRequest(key, method, url+path, body), reply{began: time.Now()}
	answer, whole, err := send(c.client, request)
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
	c.time(got, method, path)
	return got
}

// time checks how long an answer took.
func (c *crew) time(got reply, method, path string) {
	steers := strings.HasPrefix(path, "/_understudy/")
	took, bound := got.ended.Sub(got.began), apiBound
	if steers {
		bound = steerBound
	}
	if took > bound+busy {
		c.t.Errorf("%s %s took %s, and the bound is %s: %s", method, path, took, bound, got.text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slowest[steers] = max(c.slowest[steers], took)
}

// recorded is the sender of a request that was answered.
type recorded struct {
	answer *http.Response
	whole  []byte
}

func (r recorded) Do(*http.Request) (*http.Response, error) {
	r.answer.Body = io.NopCloser(bytes.NewReader(r.whole))
	return r.answer, nil
}

// ready returns the status by which a replica says whether it can serve.
func (c *crew) ready(r *replica) int {
	answer, err := c.client.Get(r.server.Load().url + "/_understudy/v1/ready")
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// until waits for a state of things.
func (c *crew) until(what string, is func() bool) {
	c.t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	deadline := time.Now().Add(90 * time.Second)
	for !is() {
		<-again.C
		if c.t.Failed() {
			c.t.FailNow() // the players have said why
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("it did not come to it that %s", what)
		}
	}
}

// serveOn waits until each of some replicas has served so many requests more, of those that the players send.
func (c *crew) serveOn(requests int64, replicas ...*replica) {
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
func (c *crew) others(but *replica) (all []*replica) {
	for _, r := range c.replicas {
		if r != but {
			all = append(all, r)
		}
	}
	return all
}

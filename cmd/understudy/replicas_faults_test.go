//go:build unix

package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// player sends requests to all replicas in turn until there are enough, checks what can be checked of the answers by
// themselves, and returns how many there were, and of how many the outcome is unknown.
type player interface {
	play(c *crew, enough <-chan struct{}) (answers, unknown int)
}

// fault is what becomes of a crew for a while. strikes has it happen, and returns what mends it and the replica that cannot
// serve meanwhile, nil when all can.
type fault struct {
	name    string
	short   bool // also where CI=true is not set
	strikes func(c *crew) (mend func(), out *replica)
}

var faults = []fault{
	{"kill -9 of a follower", false, killed((*crew).follower)},
	{"kill -9 of the leader", true, killed((*crew).leader)},
	{"a follower hangs", false, paused((*crew).follower)},
	{"the leader hangs", true, paused((*crew).leader)},
	{"kill -9 of a replica", true, func(c *crew) (func(), *replica) {
		r := c.replicas[1]
		r.kill()
		return func() { r.start(c.t) }, r
	}},
	{"a replica is cut off from etcd", true, func(c *crew) (func(), *replica) {
		r := c.replicas[2]
		r.eachLink((*etcdtest.Link).Cut)
		return func() { r.eachLink((*etcdtest.Link).Heal) }, r
	}},
	{"a replica's way to etcd swallows everything", false, func(c *crew) (func(), *replica) {
		r := c.replicas[0]
		r.eachLink((*etcdtest.Link).Hold)
		return func() { r.eachLink((*etcdtest.Link).Heal) }, r
	}},
	{"a replica hears no answers of one member", false, func(c *crew) (func(), *replica) {
		l := c.replicas[1].links[0]
		l.HoldAnswers()
		return l.Heal, nil
	}},
}

func killed(pick func(*crew) *etcdtest.Member) func(*crew) (func(), *replica) {
	return func(c *crew) (func(), *replica) {
		m := pick(c)
		m.Kill()
		return func() { m.Start(c.t) }, nil
	}
}

func paused(pick func(*crew) *etcdtest.Member) func(*crew) (func(), *replica) {
	return func(c *crew) (func(), *replica) {
		m := pick(c)
		m.Pause(c.t)
		return func() { m.Resume(c.t) }, nil
	}
}

func (c *crew) leader() *etcdtest.Member { return c.members.Leader(c.t) }

func (c *crew) follower() *etcdtest.Member {
	leader := c.leader()
	return c.members.Members[slices.IndexFunc(c.members.Members, func(m *etcdtest.Member) bool { return m != leader })]
}

// Whatever fails of three members of etcd and three replicas, no write that was acknowledged is lost, no step is taken
// twice, the others serve on, and all heals without a restart. All faults where CI=true, else the shorter half.
func TestReplicas(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	clock, made := &clockwork{}, &sessions{}
	players := []player{clock, made, &resets{}}
	for _, course := range courses {
		players = append(players, course)
	}
	for _, g := range registers() {
		players = append(players, g)
	}
	stop := c.play(players)
	c.serveOn(20, c.replicas[:]...)
	for _, f := range faults {
		if f.short || thorough() {
			c.meet(f)
		}
	}
	stop()
	clock.check(c)
	made.check(c)
	t.Logf("the slowest answer of the API took %s, of the control plane %s", c.slowest[false], c.slowest[true])
}

// play has the players begin, and returns what ends them. They end with the test, too.
func (c *crew) play(players []player) (stop func()) {
	enough := make(chan struct{})
	var playing sync.WaitGroup
	var answers, unknown atomic.Int64
	for _, p := range players {
		playing.Go(func() {
			all, lost := p.play(c, enough)
			answers.Add(int64(all))
			unknown.Add(int64(lost))
		})
	}
	stop = sync.OnceFunc(func() {
		close(enough)
		playing.Wait()
		c.t.Logf("%d answers were checked, of %d the outcome is unknown", answers.Load(), unknown.Load())
	})
	c.t.Cleanup(stop)
	return stop
}

// meet has a fault strike while the players play, and mends it: who can serve serves on, who cannot says so, and nobody shows
// what has been changed at another replica since.
func (c *crew) meet(f fault) {
	c.t.Helper()
	c.tell(c.replicas[0], "before "+f.name)
	for _, r := range c.replicas {
		c.knows(r, "before "+f.name)
	}
	began := time.Now()
	mend, out := f.strikes(c)
	serving := c.others(out)
	c.tell(serving[0], "during "+f.name)
	for _, r := range c.replicas {
		c.knows(r, "during "+f.name)
	}
	if out != nil && out.lives.Load()%2 == 0 {
		c.until(f.name+": the replica says that it is not ready", func() bool { return c.ready(out) == http.StatusServiceUnavailable })
	}
	c.serveOn(10, serving...)
	for _, r := range serving {
		c.until(f.name+": the others are ready", func() bool { return c.ready(r) == http.StatusOK })
	}
	struck := time.Since(began)
	mend()
	for _, r := range c.replicas {
		c.until(f.name+": all are ready again", func() bool { return c.ready(r) == http.StatusOK })
	}
	c.serveOn(100, c.replicas[:]...)
	c.t.Logf("%s: survived in %s, healed in %s", f.name, struck.Round(time.Millisecond), (time.Since(began) - struck).Round(time.Millisecond))
}

const (
	toldKey  = "svc_sk_test_told"
	toldPath = "/verification-requests/vr_completed?fields=loan_id"
)

// tell has a replica set a field of a request that is over.
func (c *crew) tell(r *replica, what string) {
	c.t.Helper()
	c.until(what+": it can be told", func() bool {
		return c.askOf(r, toldKey, "PATCH", "/_understudy/v1/verification-requests/vr_completed", fmt.Sprintf(`{"set":{"loan_id":%q}}`, what)).is("200 ")
	})
}

// knows has a replica show what was told last, or nothing.
func (c *crew) knows(r *replica, what string) {
	c.t.Helper()
	if got := c.askOf(r, toldKey, "GET", toldPath, ""); !got.unknown && !got.is(fmt.Sprintf("200 {%q:%q}", "loan_id", what)) {
		c.t.Errorf("a replica shows %s, and was told %q", got.text, what)
	}
}

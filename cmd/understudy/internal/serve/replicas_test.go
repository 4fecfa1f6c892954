//go:build unix

package serve

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// workload sends requests to all replicas until stop is closed, and checks the answers. It returns the number of answers, and
// how many of them have an unknown outcome.
type workload interface {
	run(c *cluster, stop <-chan struct{}) (answers, unknown int)
}

// fault breaks a part of a cluster for a while. inject returns a function that repairs it, and the replica that cannot serve
// until then, nil when all can.
type fault struct {
	name   string
	short  bool // also without CI=true
	inject func(c *cluster) (heal func(), out *replica)
}

var faults = []fault{
	{"kill -9 of a follower", false, killed((*cluster).follower)},
	{"kill -9 of the leader", true, killed((*cluster).leader)},
	{"pause of a follower", false, paused((*cluster).follower)},
	{"pause of the leader", false, paused((*cluster).leader)},
	{"kill -9 of a replica", false, func(c *cluster) (func(), *replica) {
		r := c.replicas[1]
		r.kill()
		return func() { r.start(c.t) }, r
	}},
	{"partition of a replica from etcd", true, func(c *cluster) (func(), *replica) {
		r := c.replicas[2]
		r.eachLink((*etcdtest.Link).Disconnect)
		return func() { r.eachLink((*etcdtest.Link).Heal) }, r
	}},
	{"links of a replica to etcd lose everything", false, func(c *cluster) (func(), *replica) {
		r := c.replicas[0]
		r.eachLink((*etcdtest.Link).Hold)
		return func() { r.eachLink((*etcdtest.Link).Heal) }, r
	}},
	{"link of a replica to a member loses answers", false, func(c *cluster) (func(), *replica) {
		l := c.replicas[1].links[0]
		l.HoldAnswers()
		return l.Heal, nil
	}},
}

func killed(pick func(*cluster) *etcdtest.Member) func(*cluster) (func(), *replica) {
	return func(c *cluster) (func(), *replica) {
		restart := pick(c).Kill()
		return func() { restart(c.t) }, nil
	}
}

func paused(pick func(*cluster) *etcdtest.Member) func(*cluster) (func(), *replica) {
	return func(c *cluster) (func(), *replica) {
		return pick(c).Pause(c.t), nil
	}
}

func (c *cluster) leader() *etcdtest.Member { return c.members.Leader(c.t) }

func (c *cluster) follower() *etcdtest.Member {
	leader := c.leader()
	return c.members.Members[slices.IndexFunc(c.members.Members, func(m *etcdtest.Member) bool { return m != leader })]
}

// When members of etcd or replicas fail, no acknowledged write is lost, no step happens twice, the other replicas continue to
// serve, and all recover without a restart. All faults run with CI=true, else two.
func TestReplicas(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	made := &sessions{}
	workloads := []workload{made}
	for _, s := range sequences {
		workloads = append(workloads, s)
	}
	stop := c.start(workloads)
	c.awaitServed(20, c.replicas[:]...)
	for _, f := range faults {
		if f.short || commandtest.Thorough() {
			c.survive(f)
		}
	}
	stop()
	made.check(c)
}

// start starts workloads. The returned function stops them, and so does the end of the test.
func (c *cluster) start(workloads []workload) (stop func()) {
	stopping := make(chan struct{})
	var running sync.WaitGroup
	var answers, unknown atomic.Int64
	for _, p := range workloads {
		running.Go(func() {
			all, lost := p.run(c, stopping)
			answers.Add(int64(all))
			unknown.Add(int64(lost))
		})
	}
	stop = sync.OnceFunc(func() {
		close(stopping)
		running.Wait()
		c.t.Logf("%d answers were checked, %d outcomes are unknown", answers.Load(), unknown.Load())
	})
	c.t.Cleanup(stop)
	return stop
}

// survive injects a fault while the workloads run, and heals it. The replicas that can serve continue, the one that cannot is
// not ready, and none shows a value that was changed through another replica.
func (c *cluster) survive(f fault) {
	c.t.Helper()
	c.writeNote(c.replicas[0], "before "+f.name)
	for _, r := range c.replicas {
		c.wantNote(r, "before "+f.name)
	}
	heal, out := f.inject(c)
	serving := c.others(out)
	c.writeNote(serving[0], "during "+f.name)
	for _, r := range c.replicas {
		c.wantNote(r, "during "+f.name)
	}
	if out != nil && out.lives.Load()%2 == 0 {
		c.until(f.name+": the replica is not ready", func() bool { return c.ready(out) == http.StatusServiceUnavailable })
	}
	c.awaitServed(10, serving...)
	for _, r := range serving {
		c.until(f.name+": the others are ready", func() bool { return c.ready(r) == http.StatusOK })
	}
	heal()
	for _, r := range c.replicas {
		c.until(f.name+": all are ready again", func() bool { return c.ready(r) == http.StatusOK })
	}
	c.awaitServed(100, c.replicas[:]...)
}

const (
	noteKey  = "svc_sk_test_note"
	notePath = "/verification-requests/vr_completed?fields=loan_id"
)

// writeNote sets a field of a completed request through a replica.
func (c *cluster) writeNote(r *replica, what string) {
	c.t.Helper()
	c.until(what+": a write succeeds", func() bool {
		return c.askOf(r, noteKey, "PATCH", "/_understudy/v1/verification-requests/vr_completed", fmt.Sprintf(`{"set":{"loan_id":%q}}`, what)).is("200 ")
	})
}

// wantNote wants a replica to show the last note, or to fail.
func (c *cluster) wantNote(r *replica, what string) {
	c.t.Helper()
	if got := c.askOf(r, noteKey, "GET", notePath, ""); !got.unknown && !got.is(fmt.Sprintf("200 {%q:%q}", "loan_id", what)) {
		c.t.Errorf("a replica shows %s, want %q", got.text, what)
	}
}

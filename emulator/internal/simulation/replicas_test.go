//go:build unix

package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// cluster is three emulators on three members of etcd. Each emulator has its own link to each member.
type cluster struct {
	t         *testing.T
	members   *etcdtest.Cluster
	links     [3][]*etcdtest.Link
	emulators [3]*emulator.Emulator
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{t: t, members: etcdtest.Run(t, 3)}
	for i := range c.emulators {
		var endpoints []string
		for _, m := range c.members.Members {
			l := etcdtest.NewLink(t, m.Endpoint)
			c.links[i], endpoints = append(c.links[i], l), append(endpoints, l.Endpoint)
		}
		s, err := etcd.Open(t.Context(), "etcd://"+strings.Join(endpoints, ","), os.Getenv)
		lab.NoError(t, err)
		c.emulators[i] = lab.Launch(t, emulator.WithStore(s), (&lab.Pauses{}).Option())
	}
	return c
}

func (c *cluster) leader() *etcdtest.Member { return c.members.Leader(c.t) }

func (c *cluster) follower() *etcdtest.Member {
	leader := c.leader()
	return c.members.Members[slices.IndexFunc(c.members.Members, func(m *etcdtest.Member) bool { return m != leader })]
}

func (c *cluster) eachLink(replica int, do func(*etcdtest.Link)) func() {
	for _, l := range c.links[replica] {
		do(l)
	}
	return func() { c.eachLink(replica, (*etcdtest.Link).Heal) }
}

func (c *cluster) killed(m *etcdtest.Member) func() {
	restart := m.Kill()
	return func() { restart(c.t) }
}

// Three replicas on three members of etcd have histories that the model has, whatever fails; the replicas that can serve do, one that
// cannot is not ready, and all recover without a restart. All faults run with CI=true, else three.
func TestReplicas(t *testing.T) {
	c := newCluster(t)
	const nobody = -1
	for i, fault := range []struct {
		name   string
		out    int // the replica that cannot serve meanwhile
		inject func() (heal func())
	}{
		{"link of a replica to a member loses answers", nobody, func() func() {
			c.links[1][0].HoldAnswers()
			return c.links[1][0].Heal
		}},
		{"kill -9 of the leader", nobody, func() func() { return c.killed(c.leader()) }},
		{"partition of a replica from etcd", 2, func() func() { return c.eachLink(2, (*etcdtest.Link).Disconnect) }},
		{"kill -9 of a follower", nobody, func() func() { return c.killed(c.follower()) }},
		{"pause of the leader", nobody, func() func() { return c.leader().Pause(t) }},
		{"pause of a follower", nobody, func() func() { return c.follower().Pause(t) }},
		{"links of a replica to etcd lose everything", 0, func() func() { return c.eachLink(0, (*etcdtest.Link).Hold) }},
	} {
		if i >= lab.Scaled(3, 99) {
			break
		}
		t.Run(fault.name, func(t *testing.T) {
			h := c.newHistory(t, uint64(i))
			h.play(5, 0, 1, 2)
			heal := fault.inject()
			others := slices.DeleteFunc([]int{0, 1, 2}, func(replica int) bool { return replica == fault.out })
			var out sync.WaitGroup
			if fault.out != nobody {
				out.Go(func() {
					h.ask(fault.out, rand.New(rand.NewPCG(0, 0)))
					h.await("the replica is not ready", fault.out, http.StatusServiceUnavailable)
				})
			}
			h.play(12, others...)
			out.Wait()
			for _, replica := range others {
				h.await("the others are ready", replica, http.StatusOK)
			}
			heal()
			for replica := range c.emulators {
				h.await("all are ready again", replica, http.StatusOK)
			}
			h.play(12, 0, 1, 2)
			if h.sim.checkModel(h.of); len(h.sim.broken) > 0 {
				t.Error(h.sim.broken)
			}
			t.Logf("%d operations", len(h.of.operations))
		})
	}
}

// history is what the clients of a world see at the replicas, whose operations the model orders by the real time.
type history struct {
	*cluster
	t    *testing.T
	sim  *simulation
	of   *seen
	seed uint64
}

func (c *cluster) newHistory(t *testing.T, seed uint64) *history {
	key := fmt.Sprint(modelKey, "-", seed)
	return &history{c, t, &simulation{free: true, began: time.Now()}, &seen{key: key, id: world.IDOf(key)}, seed}
}

// play lets a client of each replica send requests at once until some have a certain outcome.
func (h *history) play(some int, replicas ...int) {
	h.seed++
	var playing sync.WaitGroup
	for _, replica := range replicas {
		playing.Go(func() {
			r := rand.New(rand.NewPCG(h.seed, uint64(replica)))
			deadline := time.Now().Add(2 * time.Minute)
			for certain := 0; certain < some; {
				if h.ask(replica, r) {
					certain++
				}
				if time.Now().After(deadline) {
					h.t.Errorf("replica %d: only %d of %d requests have a certain outcome", replica, certain, some)
					return
				}
			}
		})
	}
	playing.Wait()
}

// ask sends a random request to a replica, and reports whether its outcome is certain.
func (h *history) ask(replica int, r *rand.Rand) bool {
	op := modelOperation(r.Uint64())
	op.path = strings.ReplaceAll(op.path, world.IDOf(modelKey), h.of.id)
	x := exchange{operation: op, called: int(time.Since(h.sim.began)), machine: new(machine)}
	x.answer = lab.Direct(h.emulators[replica], h.of.key, op.method, op.path, op.body)
	x.ended = int(time.Since(h.sim.began))
	certain := x.answer.Code != http.StatusInternalServerError || x.answer.Header().Get("Understudy-Scenario") == "flaky"
	if !certain {
		x.ended = math.MaxInt / 4 // it may still be carried out
	}
	h.sim.record(&client{lost: true}, h.of, x)
	return certain
}

// await waits until a replica answers its readiness check with a status.
func (h *history) await(what string, replica, status int) {
	for deadline := time.Now().Add(2 * time.Minute); ; {
		answer := lab.Direct(h.emulators[replica], h.of.key, "GET", lab.Control+"ready", "")
		if answer.Code == status {
			return
		}
		if time.Now().After(deadline) {
			h.t.Errorf("never true: %s: replica %d: %d %s", what, replica, answer.Code, answer.Body)
			return
		}
	}
}

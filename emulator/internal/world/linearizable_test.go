package world_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Requests in a world are linearizable: each takes effect at one instant between its arrival and its answer. A failed
// request has no effect, unless its outcome is unknown.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"temp", "file:"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			unsteady := &unsteadyStore{Store: lab.Opened(t, spec), fails: true}
			checkHistories(t, trials()/40, 10, 20, []*unsteadyStore{unsteady})
		})
	}
	for name, n := range map[string]int{"etcd": 1, "etcd_three_replicas": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := etcdtest.Run(t, n)
			var stores []*unsteadyStore
			var down sync.Mutex
			for range n {
				stores = append(stores, onLinks(t, cluster, &down))
			}
			checkHistories(t, trials()/80, 8, 12, stores)
		})
	}
}

// unsteadyStore is a store that disturbs Update before the commit.
type unsteadyStore struct {
	store.Store
	fails bool // injects failures and unknown outcomes

	trouble   func()       // runs between the reads and the commit of a transaction
	countdown atomic.Int32 // transactions until trouble runs
}

var errInjected = errors.New("injected by the test")

func (s *unsteadyStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	err := s.Store.Update(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if s.countdown.Add(-1) == 0 && s.trouble != nil {
			s.trouble()
		}
		for range rand.IntN(100) {
			runtime.Gosched() // other requests arrive
		}
		switch n := rand.IntN(100); {
		case s.fails && n < 3:
			return errInjected
		case s.fails && n < 4:
			return fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, errInjected) // nothing is committed
		}
		return nil
	})
	if err == nil && s.fails && rand.IntN(100) == 0 {
		return fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, errInjected) // everything is committed
	}
	return err
}

// onLinks opens a store with its own network links to the members of a cluster. Its trouble is that answers of etcd are
// lost, or that a member is killed and restarted; down is locked while a member is down.
func onLinks(t *testing.T, cluster *etcdtest.Cluster, down *sync.Mutex) *unsteadyStore {
	t.Helper()
	var links []*etcdtest.Link
	var endpoints []string
	for _, m := range cluster.Members {
		link := etcdtest.NewLink(t, m.Endpoint)
		links, endpoints = append(links, link), append(endpoints, link.Endpoint)
	}
	s, err := etcd.Open(t.Context(), "etcd://"+strings.Join(endpoints, ","), os.Getenv)
	lab.NoError(t, err)
	direct := cluster.Client(t)
	var under sync.WaitGroup
	t.Cleanup(under.Wait)
	return &unsteadyStore{Store: s, trouble: func() {
		if rand.IntN(8) == 0 {
			member := cluster.Members[rand.IntN(len(cluster.Members))]
			under.Go(func() {
				down.Lock()
				defer down.Unlock()
				member.Kill()(t)
			})
			return
		}
		for _, link := range links {
			link.HoldAnswers()
		}
		under.Go(func() {
			for range 5 { // meanwhile etcd executes the requests
				_, _ = direct.Get(t.Context(), "etcdtest") // a member may be down
			}
			for _, link := range links {
				link.Disconnect()
				link.Heal()
			}
		})
	}}
}

// checkHistories records histories of random operations by concurrent clients, and checks that they are linearizable.
func checkHistories(t *testing.T, histories, clients, each int, stores []*unsteadyStore) {
	var emulators []http.Handler
	for _, s := range stores {
		emulators = append(emulators, lab.Launch(t, (&lab.Pauses{}).Option(), emulator.WithStore(s), emulator.WithJournalSize(0), lab.ScenarioFile(t, modelScenarios)))
	}
	var operations, unknown, failed int
	var slowest time.Duration
	for seed := range uint64(histories) {
		r := rand.New(rand.NewPCG(seed, 0))
		stores[r.IntN(len(stores))].countdown.Store(int32(10 + r.IntN(60)))
		h := &history{emulators: emulators, key: fmt.Sprint("svc_sk_test_history_", seed)}
		h.run(r, clients, each)
		began := time.Now()
		operations, unknown, failed = operations+len(h.operations), unknown+h.unknown, failed+h.failed
		if result, info := porcupine.CheckOperationsVerbose(model, h.operations, time.Minute); result != porcupine.Ok {
			t.Fatalf("history %d is not linearizable (%s: Unknown is no order found in a minute, where a second is long)\n%s", seed, result, h.explain(info))
		}
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("%d operations, %d of unknown outcome, and %d that failed; the slowest check took %s", operations, unknown, failed, slowest)
}

// history records the operations of clients in one world, and their answers.
type history struct {
	emulators []http.Handler
	key       string
	instant   atomic.Int64 // orders calls and returns

	mu              sync.Mutex
	operations      []porcupine.Operation
	unknown, failed int
}

// run executes random operations by concurrent clients, and reads every resource at the end.
func (h *history) run(r *rand.Rand, clients, each int) {
	var running sync.WaitGroup
	for client := range clients {
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		running.Go(func() {
			for i := range each {
				h.ask(client, h.emulators[own.IntN(len(h.emulators))], randomOperation(own, client*each+i))
			}
		})
	}
	running.Wait()
	for _, op := range []operation{listFaults, readClock, readTenant, readCounted, readTimed} {
		h.ask(0, h.emulators[0], op)
	}
}

// ask executes an operation and records it. A failed operation has no effect and is not recorded.
func (h *history) ask(client int, e http.Handler, op operation) {
	done := porcupine.Operation{ClientId: client, Input: op, Call: h.instant.Add(1)}
	began := time.Now()
	response := lab.Direct(e, h.key, op.method, op.path, op.body)
	done.Return = h.instant.Add(1)

	h.mu.Lock()
	defer h.mu.Unlock()
	if response.Code == http.StatusInternalServerError {
		certain := !strings.HasPrefix(op.path, lab.Control) && !strings.Contains(response.Header().Get("Understudy-Diagnosis"), "outcome is unknown")
		if op.reads || certain {
			h.failed++
			return
		}
		h.unknown++
		if time.Since(began) > 4*time.Second {
			done.Return = math.MaxInt64 // the store stopped waiting, and the change may still happen
		}
	} else if output, err := answerOf(response); err != nil {
		done.Output = err.Error() // the model never answers with it
	} else {
		done.Output = output
	}
	h.operations = append(h.operations, done)
}

// explain lists the operations with the instants of call and return, and the longest prefix that is linearizable.
func (h *history) explain(info porcupine.LinearizationInfo) string {
	var text strings.Builder
	slices.SortFunc(h.operations, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	for _, op := range h.operations {
		fmt.Fprintf(&text, "%d-%d client %d: %s: %v\n", op.Call, op.Return, op.ClientId, op.Input, op.Output)
	}
	var longest []porcupine.Operation
	for _, order := range info.PartialLinearizationsOperations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	fmt.Fprintf(&text, "%d of %d could be put in order, the last of them so:", len(longest), len(h.operations))
	for _, op := range longest[max(0, len(longest)-20):] {
		fmt.Fprint(&text, " ", op.Call)
	}
	var state any = model.Init()
	for _, op := range longest {
		_, state = model.Step(state, op.Input, op.Output)
	}
	inOrder := func(op porcupine.Operation) bool {
		return slices.ContainsFunc(longest, func(o porcupine.Operation) bool { return o.Call == op.Call })
	}
	for _, op := range h.operations { // the first that must come next contradicts
		if !inOrder(op) {
			fmt.Fprintf(&text, "\nthe call that contradicts: %d-%d client %d: %s: answered %v\nthe state before it: %+v", op.Call, op.Return, op.ClientId, op.Input, op.Output, state)
			break
		}
	}
	return text.String()
}

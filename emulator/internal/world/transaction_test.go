package world_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// group is the emulators on one store: several on etcd, a single one on other stores.
type group struct {
	emulators []http.Handler
	unknown   atomic.Int64 // answers with an unknown outcome, because etcd was too busy to answer in time
}

// A request is one transaction, on a store of each kind.
func TestTransaction(t *testing.T) {
	t.Parallel()
	for _, engine := range []struct {
		name     string
		replicas int
		start    func(*testing.T) (open func(*testing.T) store.Store)
	}{
		{"temp", 1, func(*testing.T) func(*testing.T) store.Store {
			return func(t *testing.T) store.Store { return lab.Opened(t, "temp") }
		}},
		{"file", 1, func(*testing.T) func(*testing.T) store.Store {
			return func(t *testing.T) store.Store { return lab.Opened(t, "file:") }
		}},
		{"etcd", 3, func(t *testing.T) func(*testing.T) store.Store {
			cluster := etcdtest.Run(t, 1)
			return func(t *testing.T) store.Store { return lab.InCluster(t, cluster) }
		}},
	} {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			open := engine.start(t)
			for name, test := range map[string]func(t *testing.T, g *group, trial int, key string){
				"shows_each_step_once": testSteps, "applies_overlapping_rules_exactly": testTimes,
				"reset_is_atomic_for_reads": testResetRead, "reset_is_atomic_for_cancels": testResetCancel,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					g := new(group)
					for range engine.replicas {
						g.emulators = append(g.emulators, lab.Launch(t, emulator.WithStore(open(t))))
					}
					for trial := range trials() / 20 {
						test(t, g, trial, fmt.Sprintf("svc_sk_test_trial_%d", trial))
					}
					if n := int(g.unknown.Load()); n > 0 && (engine.replicas == 1 || n > trials()/100) {
						t.Errorf("the outcome of %d requests is unknown", n)
					}
				})
			}
		})
	}
}

// ask sends a request to emulator i of the group, without a network.
func (g *group) ask(i int, key, method, path, body string) *httptest.ResponseRecorder {
	answer := lab.Direct(g.emulators[i%len(g.emulators)], key, method, path, body)
	if answer.Code == 500 && strings.Contains(answer.Header().Get("Understudy-Diagnosis"), "the outcome is unknown") {
		g.unknown.Add(1)
	}
	return answer
}

// atOnce calls ask n times in parallel, for each emulator in turn, and counts the answers.
func (g *group) atOnce(n int, ask func(i int) string) map[string]int {
	var turn atomic.Int64
	return lab.InParallel(n, func() string { return ask(int(turn.Add(1))) })
}

// A step is shown exactly once, however many requests and replicas there are.
func testSteps(t *testing.T, g *group, trial int, key string) {
	unknown := g.unknown.Load()
	got := g.atOnce(24, func(i int) string {
		answer := g.ask(i, key, "GET", "/verification-requests/vr_lifecycle?fields=state", "")
		return fmt.Sprint(answer.Code, " ", answer.Body)
	})
	want := map[string]int{isState("pending-approval"): 1, isState("processing"): 1, isState("completed"): 22}
	if diff := cmp.Diff(want, got); diff != "" && g.unknown.Load() == unknown {
		t.Fatalf("trial %d: %s", trial, diff)
	}
}

// A rule applies exactly as often as its times says, also when other rules apply to the same requests.
func testTimes(t *testing.T, g *group, trial int, key string) {
	const refuse = `{"on":"get","times":3,"respond":{"status":429}}`
	const own = `{"name":"own","title":"own","magic":{"verification_request":"vr_own"},"verification_request":{"timeline":[{"state":"completed"}]},"rules":[` + refuse + `]}`
	unknown := g.unknown.Load()
	steer := func(method, path, body string) {
		switch answer := g.ask(trial, key, method, lab.Control+path, body); {
		case answer.Code == 500:
			g.unknown.Add(1)
		case answer.Code >= 300:
			t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
	id := "vr_completed"
	if steer("POST", "faults", `{"rule":`+refuse+`}`); trial%2 == 0 {
		steer("POST", "faults", `{"rule":`+refuse+`}`)
	} else {
		id = "vr_own"
		steer("PUT", "scenarios/own", own)
	}
	got := g.atOnce(8, func(i int) string { return fmt.Sprint(g.ask(i, key, "GET", "/verification-requests/"+id, "").Code) })
	if diff := cmp.Diff(map[string]int{"429": 3, "200": 5}, got); diff != "" && g.unknown.Load() == unknown {
		t.Fatalf("trial %d: %s", trial, diff)
	}
}

// burst sends n requests together with a reset of an existing world. It returns the answers, how many of the requests came
// after the reset, which are those in the world's journal, and whether all outcomes are certain.
func (g *group) burst(t *testing.T, key, method, path, body string, n int) (answers map[string]int, behind int, certain bool) {
	t.Helper()
	unknown := g.unknown.Load()
	g.ask(0, key, "POST", lab.Control+"reset", "") // makes the world
	answers = g.atOnce(n+1, func(i int) string {
		if i == n/2 {
			return fmt.Sprint("reset ", g.ask(i, key, "POST", lab.Control+"reset", "").Code)
		}
		answer := g.ask(i, key, method, path, body)
		return fmt.Sprint(answer.Code, " ", answer.Body)
	})
	if answers["reset 200"] != 1 {
		g.unknown.Add(1)
		return nil, 0, false
	}
	delete(answers, "reset 200")
	var page struct {
		Items []lab.Asked `json:"items"`
	}
	if answer := g.ask(0, key, "GET", lab.Control+"journal", ""); json.Unmarshal(answer.Body.Bytes(), &page) != nil {
		t.Fatalf("journal: %d %s", answer.Code, answer.Body)
	}
	return answers, len(page.Items), g.unknown.Load() == unknown
}

// A request belongs to the world before a reset or to the one after it: together they are answered as one after another.
func testResetRead(t *testing.T, g *group, trial int, key string) {
	const path, reads = "/verification-requests/vr_lifecycle?fields=state", 8
	steps := []api.State{api.StatePendingApproval, api.StateProcessing, api.StateCompleted}
	nth := func(n int) string { return isState(steps[min(n, len(steps)-1)]) }
	got, behind, certain := g.burst(t, key, "GET", path, "", reads)
	if !certain {
		return
	}
	want := make(map[string]int)
	for n := range reads - behind {
		want[nth(n)]++
	}
	for n := range behind {
		want[nth(n)]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("trial %d, with %d reads behind the reset: %s", trial, behind, diff)
	}
	next := g.ask(1, key, "GET", path, "")
	if got := fmt.Sprint(next.Code, " ", next.Body); got != nth(behind) {
		t.Fatalf("trial %d, with %d reads behind the reset: then it is %s", trial, behind, got)
	}
}

func testResetCancel(t *testing.T, g *group, trial int, key string) {
	const cancels = 4
	terminal := api.AlreadyTerminal(api.StateCompleted)
	refusal := fmt.Sprintf(`%d {"error":{"message":%q}}`, terminal.Status, terminal.Message)
	got, behind, certain := g.burst(t, key, "PUT", "/verification-requests/vr_processing/cancel", lab.CancelOther, cancels)
	if !certain {
		return
	}
	refused := max(0, cancels-behind-1) + max(0, behind-1)
	if got[refusal] != refused || len(got) > 2 {
		t.Fatalf("trial %d, with %d cancels behind the reset: %v, want %d refused", trial, behind, got, refused)
	}
	want := `{"state":"processing"}`
	if behind > 0 {
		want = `{"state":"canceled"}`
	}
	if got := g.ask(1, key, "GET", "/verification-requests/vr_processing?fields=state", "").Body.String(); got != want {
		t.Fatalf("trial %d, with %d cancels behind the reset: then it is %s", trial, behind, got)
	}
}

package emulator_test

import (
	"context"
	"errors"
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
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// group is the emulators that share a store: several on etcd, one on a store that is not shared.
type group struct {
	emulators []http.Handler
	unknown   atomic.Int64 // answers that the outcome is unknown: an etcd that is too busy to answer in time leaves it so
}

// A request is one transaction, on a store of each kind.
func TestTransaction(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, test := range map[string]func(t *testing.T, g *group){
		"times_of_rules_that_overlap_are_exact": testTimes, "reset_tears_no_read": testResetRead, "reset_tears_no_cancel": testResetCancel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachEngine(t, cluster, test)
		})
	}
}

func onEachEngine(t *testing.T, cluster *etcdtest.Cluster, test func(t *testing.T, g *group)) {
	t.Helper()
	run := func(engine string, replicas int, open func(t *testing.T) store.Store) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			g := new(group)
			for range replicas {
				g.emulators = append(g.emulators, launch(t, emulator.WithStore(open(t))))
			}
			test(t, g)
			if n := int(g.unknown.Load()); n > 0 && (replicas == 1 || n > trials()/100) {
				t.Errorf("the outcome of %d requests is unknown", n)
			}
		})
	}
	for _, spec := range []string{"temp", "file:"} {
		run(spec, 1, func(t *testing.T) store.Store { return opened(t, spec) })
	}
	run("etcd", 3, func(t *testing.T) store.Store { return inCluster(t, cluster) })
}

// ask sends a request to one of the group, without a network between.
func (g *group) ask(i int, key, method, path, body string) *httptest.ResponseRecorder {
	answer := direct(g.emulators[i%len(g.emulators)], key, method, path, body)
	if answer.Code == 500 && strings.Contains(answer.Header().Get("Understudy-Diagnosis"), "the outcome is unknown") {
		g.unknown.Add(1)
	}
	return answer
}

// Contract 7: what applies so many times applies exactly so many times, whichever rules a request meets beside it.
func testTimes(t *testing.T, g *group) {
	const refuse = `{"on":"get","times":3,"respond":{"status":429}}`
	const own = `{"name":"own","title":"own","magic":{"verification_request":"vr_own"},"verification_request":{"timeline":[{"state":"completed"}]},"rules":[` + refuse + `]}`
	for trial := range trials() / 20 {
		key, unknown := fmt.Sprintf("svc_sk_test_trial_%d", trial), g.unknown.Load()
		steer := func(method, path, body string) {
			switch answer := g.ask(trial, key, method, control+path, body); {
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
		var turn atomic.Int64
		got := inParallel(8, func() int {
			return g.ask(int(turn.Add(1)), key, "GET", "/verification-requests/"+id, "").Code
		})
		if diff := cmp.Diff(map[int]int{429: 3, 200: 5}, got); diff != "" && g.unknown.Load() == unknown {
			t.Fatalf("trial %d: %s", trial, diff)
		}
	}
}

// burst has n requests and a reset come together, and returns how many of the n came behind the reset: those that the
// journal of the world has.
func (g *group) burst(t *testing.T, key, method, path, body string, n int) (answers map[string]int, behind int) {
	t.Helper()
	var turn atomic.Int64
	answers = inParallel(n+1, func() string {
		i := int(turn.Add(1))
		if i == n/2 {
			return fmt.Sprint("reset ", g.ask(i, key, "POST", control+"reset", "").Code)
		}
		answer := g.ask(i, key, method, path, body)
		return fmt.Sprint(answer.Code, " ", answer.Body)
	})
	if answers["reset 200"] != 1 {
		g.unknown.Add(1)
		return answers, 0
	}
	delete(answers, "reset 200")
	var page struct {
		Items []asked `json:"items"`
	}
	if answer := g.ask(0, key, "GET", control+"journal", ""); json.Unmarshal(answer.Body.Bytes(), &page) != nil {
		t.Fatalf("journal: %d %s", answer.Code, answer.Body)
	}
	return answers, len(page.Items)
}

// A request is of the world before a reset or of the one behind it: what all see is what they would have seen in turn.
func testResetRead(t *testing.T, g *group) {
	const path, reads = "/verification-requests/vr_lifecycle?fields=state", 8
	steps := []api.State{api.StatePendingApproval, api.StateProcessing, api.StateCompleted}
	nth := func(n int) string { return isState(steps[min(n, len(steps)-1)]) }
	for trial := range trials() / 20 {
		key, unknown := fmt.Sprintf("svc_sk_test_trial_%d", trial), g.unknown.Load()
		g.ask(0, key, "POST", control+"reset", "") // which makes the world
		got, behind := g.burst(t, key, "GET", path, "", reads)
		if g.unknown.Load() > unknown {
			continue
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
}

func testResetCancel(t *testing.T, g *group) {
	const path, cancels = "/verification-requests/vr_processing/cancel", 4
	const again = `400 {"error":{"message":"Verification request is already in a terminal state"}}`
	for trial := range trials() / 20 {
		key, unknown := fmt.Sprintf("svc_sk_test_trial_%d", trial), g.unknown.Load()
		g.ask(0, key, "POST", control+"reset", "") // which makes the world
		got, behind := g.burst(t, key, "PUT", path, cancelOther, cancels)
		if g.unknown.Load() > unknown {
			continue
		}
		refused := max(0, cancels-behind-1) + max(0, behind-1)
		if got[again] != refused || len(got) > 2 {
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
}

// mute is a shared store that takes no entries of a journal while it is down.
type mute struct {
	store.Store
	down atomic.Bool
}

func (m *mute) Shared() bool { return true }

func (m *mute) Update(ctx context.Context, fn func(store.Tx) error) error {
	return m.Store.Update(ctx, func(tx store.Tx) error {
		seen := &puts{Tx: tx}
		if err := fn(seen); err != nil {
			return err
		}
		if m.down.Load() && strings.Contains(strings.Join(seen.keys, " "), "journal/") {
			return errors.New("the disk is on fire")
		}
		return nil
	})
}

// Who has an answer finds it in the journal: one whose entry is lost is not given, though what it tells of may be done.
func TestJournal_an_answer_that_cannot_be_recorded_is_outcome_unknown(t *testing.T) {
	t.Parallel()
	s := &mute{Store: opened(t, "temp")}
	log, option := logged(0)
	c := start(t, emulator.WithStore(s), option)
	read(t, c, "vr_processing")
	s.down.Store(true)
	const unknown = "the outcome is unknown: the journal could not be written"
	for _, r := range []*apitest.Response{
		c.Get("/verification-requests/vr_completed"),
		c.Put("/verification-requests/vr_processing/cancel", cancelOther),
	} {
		wantStatus(t, r, 500, "Internal server error")
		wantDiagnosis(t, r, unknown)
		if !strings.Contains(log.String(), "request="+idOf(r)) || strings.Contains(r.Header.Get("Understudy-Diagnosis"), "fire") {
			t.Errorf("the log alone tells the cause: %s", log)
		}
	}
	s.down.Store(false)
	wantStates(t, c, "vr_processing", api.StateCanceled)
	if entries, _ := listed(t, c, ""); len(entries) != 2 {
		t.Errorf("the journal has %v", entries)
	}
}

// leaving is the context of a client that leaves when it has been asked n times whether it has.
type leaving struct {
	context.Context
	left  atomic.Int64 // how many questions it stays for
	after atomic.Int64 // how often it was asked then
}

func (l *leaving) Err() error {
	if l.left.Add(-1) >= 0 {
		return nil
	}
	l.after.Add(1)
	return context.Canceled
}

func TestVerify_stops_when_its_client_leaves(t *testing.T) {
	t.Parallel()
	log, option := logged(0)
	e := launch(t, option)
	long := `{"name":"` + strings.Repeat("x ", 7000) + `"}`
	for range 1000 {
		direct(e, key, "PUT", "/tenant-properties/tp_default", long)
	}
	for name, expected := range map[string]string{
		"in the bodies": `{"match":{"body":{"matches":{"name":"(x.?){200}y"}}}}`,
		"in the paths":  `{"match":{"path":{"matches":"(x.?){200}y"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			client := &leaving{Context: t.Context()}
			client.left.Store(20)
			answer := httptest.NewRecorder()
			e.ServeHTTP(answer, requestTo("POST", control+"journal/verify", key, expected).WithContext(client))
			if answer.Code != 500 { // else it went on to its verdict
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
			if after := client.after.Load(); after == 0 || after > 20 {
				t.Errorf("it was asked %d times after it had left", after)
			}
		})
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("that a client leaves is no failure: %s", log)
	}
	if text := direct(e, key, "GET", "/_understudy/metrics", "").Body.String(); !strings.Contains(text, "\nunderstudy_failures_total 0\n") {
		t.Error("that a client leaves is counted as a failure")
	}
}

func TestVerify_an_expression_that_costs_too_much_is_400(t *testing.T) {
	t.Parallel()
	c := start(t)
	for expression, why := range map[string]string{
		"(a{1000}){10}":                      "is not a regular expression",
		strings.Repeat("a{1000}", 10):        "repeats too much, and would take too long: write smaller numbers into its {n,m}",
		strings.Repeat("(a|b)", 1000) + "xx": "is longer than 4096 bytes, which is the most of a regular expression",
	} {
		for _, expected := range []string{`{"match":{"path":{"matches":"%s"}}}`, `{"match":{"body":{"matches":{"name":"%s"}}}}`} {
			r := c.Post(control+"journal/verify", fmt.Sprintf(expected, expression))
			if r.Status != 400 || !strings.Contains(r.ErrorMessage(), why) {
				t.Errorf("%.30s: %d %s", expression, r.Status, r.Body)
			}
		}
	}
}

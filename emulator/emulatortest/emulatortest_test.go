package emulatortest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

var _ emulatortest.TB = testing.TB(nil)

// recorder is a TB whose failure does not end the test that runs it.
type recorder struct {
	name   string
	ends   []func()
	failed []string
	logged []string
}

func (r *recorder) Failed() bool       { return len(r.failed) > 0 }
func (r *recorder) Helper()            {}
func (r *recorder) Name() string       { return r.name }
func (r *recorder) Cleanup(end func()) { r.ends = append(r.ends, end) }

func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// run runs a test and its cleanups, and returns its errors.
func (r *recorder) run(test func()) []string {
	var running sync.WaitGroup
	running.Go(test)
	running.Wait()
	for _, end := range slices.Backward(r.ends) {
		end()
	}
	r.ends = nil
	return r.failed
}

// What the specification requires of every caller is refused, unless an option says otherwise.
func TestStrict(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options []emulator.Option
		status  int
	}{
		"default": {nil, 400},
		"off":     {[]emulator.Option{emulator.WithStrict("off")}, 200},
		"version": {[]emulator.Option{emulator.WithStrict("version")}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := emulatortest.Run(t, tt.options...)
			answer, err := s.Client(t).Get(s.URL + "/verification-requests/vr_completed?feilds=id")
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != tt.status {
				t.Errorf("%d, want %d", answer.StatusCode, tt.status)
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	w := s.World(t)
	if now := w.Now(); !now.Equal(emulatortest.Epoch) {
		t.Errorf("the clock shows %s", now)
	}
	w.Unfreeze()
	w.Freeze()
	w.SetClock(emulatortest.Epoch.Add(time.Hour))
	w.Advance(0)
	if now := w.Now(); !now.Equal(emulatortest.Epoch.Add(time.Hour)) {
		t.Errorf("advanced by nothing, the clock shows %s", now)
	}
	w.Reset()
	if now := w.Now(); !now.Equal(emulatortest.Epoch) {
		t.Errorf("as new, the clock shows %s", now)
	}
}

func TestWorldParallelSubtests(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	var mu sync.Mutex
	keys := make(map[string]string)
	t.Run("all", func(t *testing.T) {
		for _, name := range []string{"a/b", "a_b", "a b", "ä", strings.Repeat("long", 50), "same", "same"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				client := s.Client(t)
				got := []string{stateOf(client, s.URL, "vr_lifecycle"), stateOf(client, s.URL, "vr_lifecycle"), stateOf(client, s.URL, "vr_lifecycle")}
				if diff := cmp.Diff([]string{"pending-approval", "processing", "completed"}, got); diff != "" {
					t.Error(diff)
				}
				key := s.Key(t)
				if second := s.Key(t); second != key {
					t.Errorf("a test has two keys: %s and %s", key, second)
				}
				mu.Lock()
				defer mu.Unlock()
				if other := keys[key]; other != "" {
					t.Errorf("%s and %s have the same key", t.Name(), other)
				}
				keys[key] = t.Name()
			})
		}
	})
	for status, err := range s.Emulator.Worlds(t.Context()) {
		t.Errorf("after the subtests a world is left: %+v, %v", status, err)
	}
}

func TestWorldOfRepeatedTest(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	for range 2 {
		test := &recorder{name: "TestTwice"}
		failed := test.run(func() {
			s.World(test).Advance(time.Hour)
			s.World(test).Force("vr_completed", api.StateProcessing)
			if now := s.World(test).Now(); !now.Equal(emulatortest.Epoch.Add(time.Hour)) {
				test.Errorf("the clock shows %s", now)
			}
			if n := len(s.World(test).VerificationRequests()); n != 1 {
				test.Errorf("%d requests are stored", n)
			}
		})
		if len(failed) > 0 {
			t.Error(failed)
		}
	}
}

// Keys such as svc_sk_test_revoked are refused.
func TestKeyIsNeverMagic(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t, emulator.WithKeyPrefix("acme"))
	for _, name := range []string{"revoked", "limited_a", ""} {
		named := &recorder{name: name}
		if failed := named.run(func() { s.World(named).Reset() }); len(failed) > 0 || !strings.HasPrefix(s.Key(named), "acme_sk_test_") {
			t.Errorf("%q: %s", name, failed)
		}
		named.run(func() {})
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/verification-requests/vr_completed", nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, status := range map[string]int{"": 200, "Bearer svc_sk_test_revoked": 401} {
		r.Header.Set("Authorization", key)
		answer, err := s.Client(t).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != status || r.Header.Get("Authorization") != key {
			t.Errorf("%q: %s, and the request has %q", key, answer.Status, r.Header.Get("Authorization"))
		}
	}
}

func TestWorldErrors(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	for want, do := range map[string]func(*emulatortest.World){
		"emulatortest: set the clock: 409 The clock shows 2025-01-15T09:00:00Z and does not go back: reset the world first": func(w *emulatortest.World) {
			w.SetClock(emulatortest.Epoch.Add(-time.Hour))
		},
		"emulatortest: wait for a verification request: 400 unknown value \"done\" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled": func(w *emulatortest.World) {
			w.WaitFor("vr_lifecycle_timed", "done", time.Minute)
		},
		"emulatortest: vr_lifecycle_timed is pending-approval, not completed, after 1ns: no request has asked for it": func(w *emulatortest.World) {
			w.WaitFor("vr_lifecycle_timed", api.StateCompleted, 1)
		},
		"emulatortest: vr_mine is canceled, not completed, after 1ns: no step of its timeline follows": func(w *emulatortest.World) {
			w.CreateVerificationRequest("{id: vr_mine, scenario: canceled}")
			w.WaitFor("vr_mine", api.StateCompleted, 1)
		},
		`emulatortest: set the settings: 400 The body is invalid: body:1:10: unknown value "vaules" for grease: did you mean values?`: func(w *emulatortest.World) {
			w.SetSettings("{grease: vaules}")
		},
		"emulatortest: remove a fault: 404 There is no fault \"fault-7\": the list of faults has the ids": func(w *emulatortest.World) { w.RemoveFault("fault-7") },
		"emulatortest: delete a verification request: 404 No verification request \"vr_completed\" is stored in this world": func(w *emulatortest.World) {
			w.DeleteVerificationRequest("vr_completed")
		},
	} {
		r := &recorder{name: t.Name()}
		failed := r.run(func() {
			do(s.World(r))
			r.Errorf("the test goes on")
		})
		if diff := cmp.Diff([]string{want}, failed); diff != "" {
			t.Error(diff)
		}
	}
	r := &recorder{name: t.Name()}
	failed := r.run(func() { emulatortest.Run(r, emulator.WithKeyPrefix("a b")) })
	if len(failed) != 1 || !strings.HasPrefix(failed[0], "emulatortest: start: ") {
		t.Error(failed)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	w := emulatortest.Run(t).World(t)
	f := w.AddFault(`{on: any, fault: empty}`, emulator.Lasting(time.Hour))
	w.AddFault(`{on: any, respond: {status: 500}}`)
	w.RemoveFault(f.ID)
	if all := w.Faults(); len(all) != 1 || all[0].ID != "fault-2" {
		t.Errorf("%+v", all)
	}
	if preset := w.AddFault("outage-502"); preset.Rule.Respond.Status != 502 {
		t.Errorf("the preset is %s", preset.Rule)
	}
	w.RemoveFaults()
	if all := w.Faults(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// A fault with an id leaves the requests for others alone.
func TestFaultOnlyFor(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	client := s.Client(t)
	s.World(t).AddFault(`{on: get, respond: {status: 500}}`, emulator.OnlyFor("vr_completed"))
	if state := stateOf(client, s.URL, "vr_completed"); state != "500 Internal Server Error" {
		t.Errorf("with the fault it is %s", state)
	}
	if state := stateOf(client, s.URL, "vr_processing"); state != "processing" {
		t.Errorf("another one is %s", state)
	}
}

// A test ends at once, also while a rule delays an answer.
func TestShutdown(t *testing.T) {
	t.Parallel()
	r := &recorder{name: t.Name()}
	asked := make(chan string, 1)
	held := make(chan bool)
	clock := emulator.FrozenAt(emulatortest.Epoch)
	failed := r.run(func() {
		s := emulatortest.Run(r, emulator.WithClock(clock))
		s.World(r).AddFault(`{on: any, delay: {fixed: 10m}}`)
		client := s.Client(r)
		send := client.Transport.RoundTrip
		client.Transport = transport(func(r *http.Request) (*http.Response, error) {
			held <- true
			return send(r)
		})
		go func() { asked <- stateOf(client, s.URL, "vr_completed") }()
		<-held
	})
	if state := <-asked; len(failed) > 0 {
		t.Errorf("%s, failed: %s", state, failed)
	}
}

// transport is a RoundTripper that calls the function.
type transport func(*http.Request) (*http.Response, error)

func (send transport) RoundTrip(r *http.Request) (*http.Response, error) { return send(r) }

func TestFailedTestLogsRequests(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	r := &recorder{name: "TestPolling"}
	r.run(func() {
		client := s.Client(r)
		send := client.Transport.RoundTrip
		client.Transport = transport(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Accept", "application/json; version=2019-10-15")
			return send(r)
		})
		stateOf(client, s.URL, "vr_completed?fields=state")
		stateOf(client, s.URL, "vr_completd")
		stateOf(client, s.URL, "vr_fault_empty")
		r.Errorf("it does not work")
	})
	got := strings.Join(r.logged, "\n--\n")
	if lines := strings.Split(got, "\n"); len(lines) > 8 { // of the client's retries
		got = strings.Join(lines[:8], "\n")
	}
	want := `emulatortest: the requests of TestPolling:
   1  2025-01-15T09:00:00Z  200 GET /verification-requests/vr_completed?fields=state  [completed]
   2  2025-01-15T09:00:00Z  400 GET /verification-requests/vr_completd
      - no verification request is "vr_completd": did you mean vr_completed?
      < {"error":{"message":"Verification not found"}}
   3  2025-01-15T09:00:00Z  --- (empty) GET /verification-requests/vr_fault_empty  [fault-empty]
      - scenario fault-empty has the fault empty, by its rule at catalogue/verification-requests/incidents.yaml:26:5`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFailedTestLogsUnmatchedRequests(t *testing.T) {
	t.Parallel()
	r := &recorder{name: "TestKey"}
	r.run(func() {
		s := emulatortest.Run(r)
		stateOf(http.DefaultClient, s.URL, "vr_completed")
		stateOf(s.Client(r), s.URL+"/v1", "vr_completed")
		r.Errorf("it does not work")
	})
	got := regexp.MustCompile(`20\d\d-\S+`).ReplaceAllString(strings.Join(r.logged, "\n--\n"), "NOW")
	want := `emulatortest: the requests that reached no world of TestKey:
   1  NOW  401 GET /verification-requests/vr_completed
      - there is no Authorization header: send Authorization: Bearer svc_sk_test_...
      < {"error":{"message":"Authorization is missing, invalid or expired"}}
   2  NOW  404 GET /v1/verification-requests/vr_completed
      - no operation has this path: did you mean "/verification-requests/vr_completed"? Leave "/v1" out of the base URL
      < {"error":{"message":"Not Found"}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options []emulator.Option
		test    func(*emulatortest.Server, *recorder)
		want    []string
	}{
		"passed test logs nothing": {nil, func(s *emulatortest.Server, r *recorder) { stateOf(s.Client(r), s.URL, "vr_completd") }, nil},
		"failed test without a journal logs nothing": {
			[]emulator.Option{emulator.WithJournalSize(0)},
			func(s *emulatortest.Server, r *recorder) {
				stateOf(s.Client(r), s.URL, "vr_completed")
				s.World(r).Verify(emulator.Expectation{})
			},
			[]string{"emulatortest: 409 The journal is off: serve with a --journal-size above 0"},
		},
		"unmet expectation fails the test, which goes on": {
			nil,
			func(s *emulatortest.Server, r *recorder) {
				s.World(r).Verify(emulator.Expectation{Operation: "createCredentialsSession"})
				r.Errorf("the test goes on")
			},
			[]string{
				"emulatortest: No request matched createCredentialsSession; expected at least 1. The journal of this world has no other request",
				"the test goes on",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := emulatortest.Run(t, tt.options...), &recorder{name: t.Name()}
			if diff := cmp.Diff(tt.want, r.run(func() { tt.test(s, r) })); diff != "" || len(r.logged) > 0 {
				t.Error(diff, r.logged)
			}
		})
	}
}

func TestWorld(t *testing.T) {
	t.Parallel()
	w := emulatortest.Run(t).World(t)
	w.PutScenario("late", "name: late\ntitle: Late\nmagic: {verification_request: vr_late}\nverification_request: {timeline: [{state: processing}]}\n")
	if v := w.VerificationRequest("vr_late"); v.Name != "late" {
		t.Errorf("%+v", v)
	}
	if v := w.ChangeVerificationRequest("vr_late", `{set: {loan_id: "7"}}`); *v.Document.LoanID != "7" {
		t.Errorf("%+v", v)
	}
	if p := w.CreateTenantProperty(`{id: tp_quay, tenant_property: {set: {name: Quay}}}`); p.Name != "Quay" || w.TenantProperty("tp_quay").Name != "Quay" {
		t.Errorf("%+v", p)
	}
	if q := w.CreateQualificationCheck(`{id: qc_mine, qualification_check: {rent: 1.00}}`); q.Result.Outcome != "qualified" || w.QualificationCheck("qc_mine").ID != q.ID {
		t.Errorf("%+v", q)
	}
	if v := w.Move("vr_late", api.StateCompleted); v.Document.State != api.StateCompleted {
		t.Errorf("%+v", v)
	}
	if v := w.Force("vr_late", api.StateProcessing); v.Document.State != api.StateProcessing {
		t.Errorf("%+v", v)
	}
	w.DeleteScenario("late")
	w.Delete()
	if all := w.VerificationRequests(); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

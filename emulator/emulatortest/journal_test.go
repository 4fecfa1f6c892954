package emulatortest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
	"github.com/understudy-sandbox/understudy/emulator/journal"
)

func TestATestThatFailedTellsWhatItAsked(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	r := &recorder{name: "TestPolling"}
	r.run(func() {
		client := s.Client(r)
		client.Transport = versioned{client.Transport, "2019-10-15"}
		stateOf(client, s.URL, "vr_completed?fields=state")
		stateOf(client, s.URL, "vr_completd")
		stateOf(client, s.URL, "vr_fault_empty")
		r.Errorf("it does not work")
	})
	got := strings.Join(r.logged, "\n--\n")
	if lines := strings.Split(got, "\n"); len(lines) > 8 { // where the client tries again
		got = strings.Join(lines[:8], "\n")
	}
	want := `emulatortest: what TestPolling asked:
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

// versioned is a transport that asks for a version.
type versioned struct {
	http.RoundTripper
	version string
}

func (v versioned) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json; version="+v.version)
	return v.RoundTripper.RoundTrip(r)
}

func TestATestThatPassedTellsNothing(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	r := &recorder{name: t.Name()}
	if failed := r.run(func() { stateOf(s.Client(r), s.URL, "vr_completd") }); len(failed)+len(r.logged) > 0 {
		t.Error(failed, r.logged)
	}
}

func TestAFailedTestWithoutAJournalTellsNothing(t *testing.T) {
	t.Parallel()
	r := &recorder{name: t.Name()}
	failed := r.run(func() {
		s := emulatortest.Run(r, emulator.WithJournalSize(0))
		stateOf(s.Client(r), s.URL, "vr_completed")
		s.World(r).Verify(journal.Expectation{})
	})
	want := []string{"emulatortest: 409 The journal is off: serve with a --journal-size above 0"}
	if diff := cmp.Diff(want, failed); diff != "" || len(r.logged) > 0 {
		t.Error(diff, r.logged)
	}
}

func TestAnExpectationThatDoesNotHoldFailsTheTestWhichGoesOn(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	r := &recorder{name: t.Name()}
	failed := r.run(func() {
		s.World(r).Verify(journal.Expectation{Operation: "createCredentialsSession"})
		r.Errorf("the test goes on")
	})
	want := []string{
		"emulatortest: createCredentialsSession was not asked; it should have been at least 1 time. Nothing else is in the journal of this world",
		"the test goes on",
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Error(diff)
	}
}

func TestAWorldIsArrangedByTheTest(t *testing.T) {
	t.Parallel()
	w := emulatortest.Run(t).World(t)
	w.PutScenarios("late", "name: late\ntitle: Late\nmagic: {verification_request: vr_late}\nverification_request: {timeline: [{state: processing}]}\n")
	if v := w.VerificationRequest("vr_late"); v.Name != "late" {
		t.Errorf("%+v", v)
	}
	if v := w.ChangeVerificationRequest("vr_late", `{set: {loan_id: "7"}}`); *v.Document.LoanID != "7" {
		t.Errorf("%+v", v)
	}
	if p := w.CreateTenantProperty(`{id: tp_quay, tenant_property: {set: {name: Quay}}}`); p.Name != "Quay" || w.TenantProperty("tp_quay").Name != "Quay" {
		t.Errorf("%+v", p)
	}
	if q := w.CreateQualificationCheck(`{qualification_check: {rent: 1.00}}`); q.Result.Outcome != "qualified" {
		t.Errorf("%+v", q)
	}
}

package verifier

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// begin returns a verifier in a world of its own: where it waits, the world's clock moves, and the wait is recorded.
func begin(t *testing.T) (*Verifier, *emulatortest.World, *[]time.Duration) {
	t.Parallel()
	s := emulatortest.Run(t)
	w := s.World(t)
	waits := new([]time.Duration)
	wait := func(d time.Duration) {
		*waits = append(*waits, d)
		w.Advance(d)
	}
	return &Verifier{URL: s.URL, Key: s.Key(t), Wait: wait, Now: w.Now}, w, waits
}

func TestCompletes(t *testing.T) {
	v, w, waits := begin(t)
	income, err := v.Income(t.Context(), "vr_lifecycle_timed")
	if err != nil {
		t.Fatal(err)
	}
	if income.AsOf != "2025-01-16" || income.GrossPay == "" || income.Employer == "" {
		t.Errorf("the income is %+v", income)
	}
	if len(*waits) != 4 {
		t.Errorf("it waited %v, not four times six hours", *waits)
	}
	w.Verify(emulator.Expectation{Operation: "getVerificationRequest", Times: emulator.Times{Exactly: new(5)}})
}

func TestUnavailable(t *testing.T) {
	v, _, _ := begin(t)
	if _, err := v.Income(t.Context(), "vr_error_451"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
}

func TestRetriesAfterTooManyRequests(t *testing.T) {
	v, w, waits := begin(t)
	w.AddFault(`{on: get, respond: {status: 429, headers: {Retry-After: "7"}}, times: 1}`)
	if _, err := v.Income(t.Context(), "vr_completed"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*waits, []time.Duration{7 * time.Second}) {
		t.Errorf("it waited %v, not 7s", *waits)
	}
}

func TestRetriesAfterServerError(t *testing.T) {
	v, w, waits := begin(t)
	w.AddFault(`{on: get, respond: {status: 500}, times: 2}`)
	if _, err := v.Income(t.Context(), "vr_completed"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*waits, []time.Duration{2 * time.Second, 2 * time.Second}) {
		t.Errorf("it waited %v, not 2s twice", *waits)
	}
}

func TestGivesUp(t *testing.T) {
	v, w, _ := begin(t)
	w.AddFault(`{on: get, respond: {status: 500}}`)
	if _, err := v.Income(t.Context(), "vr_completed"); !errors.Is(err, ErrGaveUp) {
		t.Errorf("the error is %v", err)
	}
	w.Verify(emulator.Expectation{Operation: "getVerificationRequest", Times: emulator.Times{Exactly: new(3)}})
}

func TestStopsPolling(t *testing.T) {
	v, _, waits := begin(t)
	if _, err := v.Income(t.Context(), "vr_pending_approval"); !errors.Is(err, ErrPending) {
		t.Errorf("the error is %v", err)
	}
	if len(*waits) != polls {
		t.Errorf("it waited %d times, not %d", len(*waits), polls)
	}
}

func TestExpires(t *testing.T) {
	v, w, _ := begin(t)
	if _, err := v.Income(t.Context(), "vr_lifecycle_timed"); err != nil {
		t.Fatal(err)
	}
	w.Advance(31 * 24 * time.Hour)
	if _, err := v.Income(t.Context(), "vr_lifecycle_timed"); !errors.Is(err, ErrExpired) {
		t.Errorf("the error is %v", err)
	}
}

package emulator_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// machine is a machine's clock that a test sets.
type machine struct{ instant atomic.Pointer[time.Time] }

func newMachine(instant time.Time) *machine {
	m := new(machine)
	m.set(instant)
	return m
}

func (m *machine) set(instant time.Time)   { m.instant.Store(&instant) }
func (m *machine) pass(span time.Duration) { m.set(m.instant.Load().Add(span)) }
func (m *machine) clock() emulator.Clock {
	return emulator.Clock{Wall: func() time.Time { return *m.instant.Load() }}
}

func dateOf(t *testing.T, r *apitest.Response) time.Time {
	t.Helper()
	date, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	return date
}

// Contract 3 is silent on a world that runs while the machine's clock is set back: as [World.SetTime] refuses to go back,
// it goes on from where it was.
func TestAWorldThatRunsDoesNotGoBackWithTheMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	c := start(t, emulator.WithClock(m.clock()), emulator.WithRateLimit(emulator.Limit{Requests: 2, Per: time.Second}))
	get := func() *apitest.Response { return c.Get("/verification-requests/vr_lifecycle_timed?fields=state") }
	wantStatus(t, get(), 200, "")
	m.pass(time.Minute)
	wantStatus(t, get(), 200, "")
	before := dateOf(t, get())

	m.pass(-5 * time.Hour)
	if r := get(); r.Status != http.StatusTooManyRequests || !dateOf(t, r).Equal(before) {
		t.Errorf("at this instant it is %s, and was %s: %d", dateOf(t, r), before, r.Status)
	}
	m.pass(time.Second)
	r := get()
	wantStatus(t, r, 200, "") // and not in five hours, when the machine's clock is there again
	if date := dateOf(t, r); !date.Equal(before.Add(time.Second)) {
		t.Errorf("a second later it is %s, and was %s", date, before)
	}
	m.pass(time.Hour)
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StateProcessing {
		t.Errorf("an hour later the request is %s", state)
	}
}

// What is due meanwhile happens, at its time; nothing breaks, wherever the machine's clock is set.
func TestAWorldThatRunsFollowsTheMachineAhead(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	c := start(t, emulator.WithClock(m.clock()))
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StatePendingApproval {
		t.Fatalf("it begins %s", state)
	}
	m.pass(10 * 365 * 24 * time.Hour)
	v := read(t, c, "vr_lifecycle_timed")
	if v.State != api.StateCompleted || v.DateOfCompletion == nil || v.DateOfCompletion.Sub(epoch) > 25*time.Hour {
		t.Errorf("ten years later it is %s, completed %v", v.State, v.DateOfCompletion)
	}
}

func TestNoInstantOfTheMachineIsTooMuch(t *testing.T) {
	t.Parallel()
	for _, year := range []int{-5000, 1, 1969, 1970, 2263, 9990, 9999, 20000} {
		m := newMachine(time.Date(year, time.June, 1, 0, 0, 0, 0, time.UTC))
		c := start(t, emulator.WithClock(m.clock()))
		ask := func(when string) {
			for _, r := range []*apitest.Response{
				c.Get("/verification-requests/vr_completed?income_analytics=true"), c.Get("/verification-requests/vr_lifecycle_timed"),
				c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), c.Get("/qualification-checks/qc_qualified"), c.Post("/credentials/session", session("000-12-3456")),
				c.Get(control + "clock"), c.Get(control + "snapshot"), c.Get(control + "journal"),
			} {
				if r.Status >= 400 {
					t.Errorf("in the year %d, %s: %d %s", year, when, r.Status, r.Body)
				}
			}
		}
		ask("at the beginning")
		m.set(epoch)
		ask("back from there")
		m.set(epoch.AddDate(-100, 0, 0))
		ask("before that")
		m.set(time.Date(12000, time.January, 1, 0, 0, 0, 0, time.UTC))
		ask("far from there")
	}
}

// Contract 6, PUT clock: one that runs counts in nanoseconds, of which there are 292 years.
func TestAClockThatRunsIsWhereItWasSetOrStands(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	c := start(t, emulator.WithClock(m.clock()))
	wantStatus(t, c.Put(control+"clock", `{"now":"2300-01-01T00:00:00Z","frozen":false}`), 200, "")
	const refused = "A clock that runs is at most 292 years from the machine's: have it stand"
	wantStatus(t, c.Put(control+"clock", `{"now":"5000-01-01T00:00:00Z"}`), 400, refused)
	if now, frozen := clockOf(t, c.Get(control+"clock")); now != "2300-01-01T00:00:00Z" || frozen {
		t.Errorf("it shows %s, frozen %t", now, frozen)
	}
	wantStatus(t, c.Put(control+"clock", `{"now":"5000-01-01T00:00:00Z","frozen":true}`), 200, "")
	wantStatus(t, c.Put(control+"clock", `{"frozen":false}`), 400, refused)
	running := strings.Replace(string(c.Get(control+"snapshot").Body), `"frozen":true`, `"frozen":false`, 1)
	wantStatus(t, c.Put(control+"snapshot", running), 400, refused)
}

// Contract 3: what a world answers never depends on wall-clock time under a frozen clock.
func TestAWorldThatStandsHeedsNoJumpOfTheMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	clock := m.clock()
	clock.Frozen = epoch
	c := start(t, emulator.WithClock(clock), emulator.WithWorldTTL(time.Hour))
	var last []byte
	for _, span := range []time.Duration{0, -1000 * time.Hour, 5000 * time.Hour, -5000 * time.Hour, time.Minute} {
		m.pass(span)
		r := c.Get("/verification-requests/vr_lifecycle_timed")
		wantStatus(t, r, 200, "")
		if last != nil && !bytes.Equal(last, r.Body) || !dateOf(t, r).Equal(epoch) {
			t.Errorf("after %s it is answered %s %s", span, r.Header.Get("Date"), r.Body)
		}
		last = r.Body
	}
}

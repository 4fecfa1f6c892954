package emulator_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// machine is a machine's clock that a test sets.
type machine struct {
	instant atomic.Pointer[time.Time]
	elapsed atomic.Int64
}

func newMachine(instant time.Time) *machine {
	m := new(machine)
	m.set(instant)
	return m
}

func (m *machine) set(instant time.Time) { m.instant.Store(&instant) }
func (m *machine) pass(span time.Duration) {
	m.set(m.instant.Load().Add(span))
	m.elapsed.Add(int64(span))
}

func (m *machine) clock() emulator.Clock {
	return emulator.Clock{
		Wall: func() time.Time { return *m.instant.Load() }, Elapsed: func() time.Duration { return time.Duration(m.elapsed.Load()) },
	}
}

func TestClockSetAndAdvance(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	url := serve(t, emulator.WithClock(m.clock()))
	c := apitest.New(t, url, key)
	playScript(t, c, `
		GET clock → 200 {"now":"2025-01-15T09:30:00Z","frozen":false}
		PUT clock {"frozen":true} → 200 {"now":"2025-01-15T09:30:00Z","frozen":true}`)
	m.pass(time.Hour)
	playScript(t, c, `
		GET clock → 200 {"now":"2025-01-15T09:30:00Z","frozen":true}
		POST clock/advance {"by":"36h"} → 200 {"now":"2025-01-16T21:30:00Z","frozen":true}
		PUT clock {"now":"2025-03-01T02:00:00+02:00"} → 200 {"now":"2025-03-01T00:00:00Z","frozen":true}
		PUT clock {"frozen":false} → 200 {"now":"2025-03-01T00:00:00Z","frozen":false}`)
	m.pass(time.Minute)
	playScript(t, c, `
		GET clock → 200 {"now":"2025-03-01T00:01:00Z","frozen":false}
		POST clock/advance {"by":"1h"} → 200 {"now":"2025-03-01T01:01:00Z","frozen":false}
		PUT clock {"now":"2025-02-01T00:00:00Z"} → 409 The clock shows 2025-03-01T01:01:00Z and does not go back: reset the world first`)
	playScript(t, apitest.New(t, url, "svc_sk_test_other"), `GET clock → 200 {"now":"2025-01-15T10:31:00Z","frozen":false}`)
	if date := c.Get("/verification-requests/vr_completed").Header.Get("Date"); date != "Sat, 01 Mar 2025 01:01:00 GMT" {
		t.Errorf("an answer of that world has the date %s", date)
	}
	playScript(t, c, `
		POST reset → 200
		GET clock → 200 {"now":"2025-01-15T10:31:00Z","frozen":false}`)
}

func TestClockRefusals(t *testing.T) {
	t.Parallel()
	const cannot = "The body cannot be read: "
	playScript(t, start(t), `
		PUT clock {} → 400 Send what to set the clock to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both
		PUT clock {"now":"yesterday"} → 400 …`+cannot+`
		PUT clock {"frozen":"yes"} → 400 …`+cannot+`
		PUT clock {"noww":"2025-01-15T09:00:00Z"} → 400 `+cannot+`unknown key at "/noww"
		PUT clock {"now":"9999-01-01T00:00:00Z"} → 400 The clock goes to the year 9990 only
		PUT clock [] → 400 …`+cannot+`
		PUT clock → 400 The body is missing: send a JSON object
		PUT clock {"now":1} → 400 `+cannot+`"/now" must be a string, not a number
		PUT clock {"now":"soon"} → 400 `+cannot+`"/now" is not an instant such as 2025-01-15T09:00:00Z
		PUT clock {"frozen":true,"frozen":true} → 400 …`+cannot+`\"/frozen\" stands twice
		PUT clock {"now":"2025-01-15T09:29:59.99Z"} → 409 The clock shows 2025-01-15T09:30:00Z and does not go back: reset the world first
		POST clock/advance {"by":"-1h"} → 400 A clock does not go back: advance it by a span of time such as 36h
		POST clock/advance {"by":"0s"} → 200 now=2025-01-15T09:30:00Z
		POST clock/advance {"by":3600} → 400 `+cannot+`"/by" must be a string, not a number
		POST clock/advance {"by":"soon"} → 400 "soon" is not a span of time such as 90s, 10m, 48h or 7d
		POST clock/advance {} → 400 Send by how much to advance the clock: {"by":"36h"}
		POST clock/advance {"by":"70000000h"} → 400 "70000000h" is too long a span of time: at most 285 years, or 2500000h
		POST clock/advance {"by":"1h","to":"2h"} → 400 `+cannot+`unknown key at "/to"
		GET clock → 200 now=2025-01-15T09:30:00Z`)
}

// A rule's between is counted from the beginning of the world, which a reset moves and a snapshot keeps.
func TestClockBetween(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	outage := `PUT scenarios/outage {"name":"outage","title":"Two days in the second week","rules":[{"on":"get","between":["1w","P9D"],"respond":{"status":501}}]} → 200`
	playScript(t, c, outage+`
		POST faults {"rule":{"on":"get verification_request","between":["0s","1h"],"respond":{"status":500}}} → 201
		GET /verification-requests/vr_completed → 500
		advance 1h
		GET /verification-requests/vr_completed → 200
		advance 6d23h
		GET /verification-requests/vr_completed → 501`)
	snapshot := c.Get(control + "snapshot").Body
	playScript(t, c, `
		advance P2D
		GET /verification-requests/vr_completed → 200
		POST reset → 200
		`+outage+`
		GET /verification-requests/vr_completed → 200
		advance 7d
		GET /verification-requests/vr_completed → 501`)
	other := apitest.New(t, url, "svc_sk_test_other")
	wantStatus(t, other.Send("PUT", control+"snapshot", snapshot), 200, "")
	playScript(t, other, `
		GET /verification-requests/vr_completed → 501
		advance 47h
		GET /verification-requests/vr_completed → 501
		advance 1h
		GET /verification-requests/vr_completed → 200`)
}

func dateOf(t *testing.T, r *apitest.Response) time.Time {
	t.Helper()
	date, err := http.ParseTime(r.Header.Get("Date"))
	noError(t, err)
	return date
}

// When the machine's clock is set back, a running world clock stops until the machine's clock moves on from there.
func TestClockRunningNeverGoesBack(t *testing.T) {
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
	wantStatus(t, r, 200, "") // at once, not five hours later when the machine's clock has caught up
	if date := dateOf(t, r); !date.Equal(before.Add(time.Second)) {
		t.Errorf("a second later it is %s, and was %s", date, before)
	}
	m.pass(time.Hour)
	wantStates(t, c, "vr_lifecycle_timed", "processing")
}

// After a restart with the machine's clock set back, a world goes on from after all that it has shown.
func TestClockRestart(t *testing.T) {
	t.Parallel()
	spec, m := "file:"+filepath.Join(t.TempDir(), "worlds.db"), newMachine(epoch)
	restart := func(back time.Duration) (*emulator.Emulator, *apitest.Client) {
		m.set(m.instant.Load().Add(-back))
		e, err := emulator.New(emulator.WithStore(opened(t, spec)), emulator.WithClock(m.clock()))
		noError(t, err)
		return e, apitest.New(t, listen(t, e), key)
	}
	now := func(c *apitest.Client) time.Time { return dateOf(t, c.Get("/verification-requests/vr_completed")) }

	e, c := restart(0)
	wantStates(t, c, "vr_lifecycle_timed", "pending-approval")
	playScript(t, c, `POST faults {"rule":{"on":"cancel","respond":{"status":503}},"expires_in":"25h"} → 201`)
	m.pass(25*time.Hour - time.Second)
	now(c) // stored with it: the next changes come within the minute in which no use is stored
	m.pass(time.Second)
	wantStates(t, c, "vr_lifecycle_timed", "completed")
	shown := now(c)
	noError(t, e.Close())

	e, c = restart(2 * time.Hour)
	wantStates(t, c, "vr_lifecycle_timed", "completed")
	playScript(t, c, `
		GET faults → 200 items.#=0
		GET ready → 200 clock_skew=2h1m0s`)
	if at := now(c); at.Before(shown) || at.After(shown.Add(time.Minute)) {
		t.Errorf("behind the restart it is %s, and was %s", at, shown)
	}
	shown = now(c)
	m.pass(10 * time.Second)
	if at := now(c); !at.Equal(shown.Add(10 * time.Second)) {
		t.Errorf("ten seconds later it is %s, and was %s", at, shown)
	}
	noError(t, e.Close())

	e, c = restart(0) // the machine's clock is still behind
	if at := now(c); at.Before(shown) {
		t.Errorf("behind the second restart it is %s, and was %s", at, shown)
	}
	playScript(t, c, `POST reset → 200`)
	if at := now(c); !at.Equal(*m.instant.Load()) {
		t.Errorf("a new world shows %s, and the machine %s", at, *m.instant.Load())
	}
	noError(t, e.Close())
}

func TestClockMachineYears(t *testing.T) {
	t.Parallel()
	for _, year := range []int{-5000, 1, 1969, 1970, 2263, 9990, 9999, 20000} {
		m := newMachine(time.Date(year, time.June, 1, 0, 0, 0, 0, time.UTC))
		c := start(t, emulator.WithClock(m.clock()))
		for _, instant := range []time.Time{*m.instant.Load(), epoch, epoch.AddDate(-100, 0, 0), time.Date(12000, time.January, 1, 0, 0, 0, 0, time.UTC)} {
			m.set(instant)
			playScript(t, c, `
				GET /verification-requests/vr_completed?income_analytics=true → 200
				GET /verification-requests/vr_lifecycle_timed → 200
				PUT /tenant-properties/tp_default {"name":"Quay"} → 200
				GET /qualification-checks/qc_qualified → 200
				POST /credentials/session SESSION(000-12-3456) → 201
				GET clock → 200
				GET snapshot → 200
				GET journal → 200`)
			if t.Failed() {
				t.Fatalf("from the year %d, at %s", year, instant)
			}
		}
	}
}

// The distance of a running clock from the machine's is an int64 of nanoseconds, which ends at 292 years.
func TestClockRunningRange(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.WithClock(newMachine(epoch).clock()))
	const refused = "A clock that runs is at most 292 years from the machine's: freeze it"
	playScript(t, c, `
		PUT clock {"now":"2300-01-01T00:00:00Z","frozen":false} → 200
		PUT clock {"now":"5000-01-01T00:00:00Z"} → 400 `+refused+`
		GET clock → 200 {"now":"2300-01-01T00:00:00Z","frozen":false}
		PUT clock {"now":"5000-01-01T00:00:00Z","frozen":true} → 200
		PUT clock {"frozen":false} → 400 `+refused)
	running := strings.Replace(string(c.Get(control+"snapshot").Body), `"frozen":true`, `"frozen":false`, 1)
	wantStatus(t, c.Put(control+"snapshot", running), 400, refused)
}

// Under a frozen clock no answer depends on the machine's clock.
func TestClockFrozenIgnoresMachine(t *testing.T) {
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

func limit(t *testing.T, text string) emulator.Option {
	t.Helper()
	l, err := emulator.ParseLimit(text)
	noError(t, err)
	return emulator.WithRateLimit(l)
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	url := serve(t, emulator.WithClock(m.clock()), limit(t, "3/m"))
	c, other := apitest.New(t, url, "svc_sk_test_a"), apitest.New(t, url, "svc_sk_test_b")
	get := func() *apitest.Response { return c.Get("/verification-requests/vr_completed") }
	if diff := cmp.Diff([]int{200, 200, 200, 429, 429}, statuses(5, get)); diff != "" {
		t.Error(diff)
	}
	r := get()
	wantStatus(t, r, 429, message429)
	wantDiagnosis(t, r, "rate limit 3/1m0s of this world")
	if got := r.Header.Get("Retry-After"); got != "20" {
		t.Errorf("Retry-After: %s, want the 20 s until the next request is served", got)
	}
	wantStatus(t, other.Get("/verification-requests/vr_completed"), 200, "")
	m.pass(20 * time.Second)
	if diff := cmp.Diff([]int{200, 429, 429, 429, 429}, statuses(5, get)); diff != "" {
		t.Errorf("after the time that Retry-After gives: %s", diff)
	}
	m.pass(time.Hour)
	if diff := cmp.Diff([]int{200, 200, 200, 429, 429}, statuses(5, get)); diff != "" {
		t.Errorf("an hour later: %s", diff)
	}
}

func TestRateLimitParallel(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	clock := m.clock()
	clock.Frozen = epoch
	c := start(t, emulator.WithClock(clock), limit(t, "10/h"))
	got := inParallel(40, func() int { return c.Get("/verification-requests/vr_completed").Status })
	if diff := cmp.Diff(map[int]int{200: 10, 429: 30}, got); diff != "" {
		t.Error(diff)
	}
	m.pass(24 * time.Hour)
	playScript(t, c, `GET /verification-requests/vr_completed → 429 `+message429+` | frozen`)
}

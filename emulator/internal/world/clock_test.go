package world_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestClockSetAndAdvance(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	url := lab.Serve(t, emulator.WithClock(m.Clock()))
	c := apitest.New(t, url, lab.Key)
	lab.PlayScript(t, c, `
		GET clock → 200 {"now":"2025-01-15T09:30:00Z","frozen":false}
		PUT clock {"frozen":true} → 200 {"now":"2025-01-15T09:30:00Z","frozen":true,"deliveries":{"sent":0,"failed":0,"due":0}}`)
	m.Pass(time.Hour)
	lab.PlayScript(t, c, `
		GET clock → 200 {"now":"2025-01-15T09:30:00Z","frozen":true}
		POST clock/advance {"by":"36h"} → 200 {"now":"2025-01-16T21:30:00Z","frozen":true,"deliveries":{"sent":0,"failed":0,"due":0}}
		PUT clock {"now":"2025-03-01T02:00:00+02:00"} → 200 {"now":"2025-03-01T00:00:00Z","frozen":true,"deliveries":{"sent":0,"failed":0,"due":0}}
		PUT clock {"frozen":false} → 200 {"now":"2025-03-01T00:00:00Z","frozen":false,"deliveries":{"sent":0,"failed":0,"due":0}}`)
	m.Pass(time.Minute)
	lab.PlayScript(t, c, `
		GET clock → 200 {"now":"2025-03-01T00:01:00Z","frozen":false}
		POST clock/advance {"by":"1h"} → 200 {"now":"2025-03-01T01:01:00Z","frozen":false,"deliveries":{"sent":0,"failed":0,"due":0}}
		PUT clock {"now":"2025-02-01T00:00:00Z"} → 409 The clock shows 2025-03-01T01:01:00Z and does not go back: reset the world first`)
	lab.PlayScript(t, apitest.New(t, url, "svc_sk_test_other"), `GET clock → 200 {"now":"2025-01-15T10:31:00Z","frozen":false}`)
	if date := c.Get("/verification-requests/vr_completed").Header.Get("Date"); date != "Sat, 01 Mar 2025 01:01:00 GMT" {
		t.Errorf("an answer of that world has the date %s", date)
	}
	lab.PlayScript(t, c, `
		POST reset → 200
		GET clock → 200 {"now":"2025-01-15T10:31:00Z","frozen":false}`)
}

func TestClockRefusals(t *testing.T) {
	t.Parallel()
	const cannot, advances = "The body cannot be read: ", `{"by":"36h"} or {"to":"next-payday","of":"vr_completed"}`
	lab.PlayScript(t, lab.Start(t), `
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
		PUT clock {"now":"2025-01-15T09:30:00Z"} → 200 now=2025-01-15T09:30:00Z
		PUT clock {"now":"2025-01-15T09:29:59.99Z"} → 409 The clock shows 2025-01-15T09:30:00Z and does not go back: reset the world first
		POST clock/advance {"by":"-1h"} → 400 A clock does not go back: advance it by a span of time such as 36h
		POST clock/advance {"by":"0s"} → 200 now=2025-01-15T09:30:00Z
		POST clock/advance {"by":3600} → 400 `+cannot+`"/by" must be a string, not a number
		POST clock/advance {"by":"soon"} → 400 "soon" is not a span of time such as 90s, 10m, 48h or 7d
		POST clock/advance {} → 400 Send by how much to advance the clock, or to which payday: `+advances+`
		POST clock/advance {"by":"70000000h"} → 400 "70000000h" is too long a span of time: at most 285 years, or 2500000h
		POST clock/advance {"by":"1h","to":"next-payday"} → 400 A clock is advanced by a span of time, or to a payday: send `+advances+`
		POST clock/advance {"to":"2025-02-01T00:00:00Z"} → 400 "2025-02-01T00:00:00Z" is no day to advance to: name next-payday, or set the clock to an instant
		POST clock/advance {"to":"next-payday"} → 400 Send whose payday it is, by the id of a verification request: `+advances+`
		POST clock/advance {"to":"next-payday","of":"vr_nobody"} → 404 …vr_nobody
		POST clock/advance {"by":"1h","at":"2h"} → 400 `+cannot+`unknown key at "/at"
		GET clock → 200 now=2025-01-15T09:30:00Z`)
}

// A rule's between is counted from the beginning of the world, which a reset moves and a snapshot keeps.
func TestClockBetween(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	outage := `PUT scenarios/outage {"name":"outage","title":"Two days in the second week","rules":[{"on":"get","between":["1w","P9D"],"respond":{"status":501}}]} → 200`
	lab.PlayScript(t, c, outage+`
		POST faults {"rule":{"on":"get verification_request","between":["0s","1h"],"respond":{"status":500}}} → 201
		GET /verification-requests/vr_completed → 500
		advance 1h
		GET /verification-requests/vr_completed → 200
		advance 6d23h
		GET /verification-requests/vr_completed → 501`)
	snapshot := c.Get(lab.Control + "snapshot").Body
	lab.PlayScript(t, c, `
		advance P2D
		GET /verification-requests/vr_completed → 200
		POST reset → 200
		`+outage+`
		GET /verification-requests/vr_completed → 200
		advance 7d
		GET /verification-requests/vr_completed → 501`)
	other := apitest.New(t, url, "svc_sk_test_other")
	lab.WantStatus(t, other.Send("PUT", lab.Control+"snapshot", snapshot), 200, "")
	lab.PlayScript(t, other, `
		GET /verification-requests/vr_completed → 501
		advance 47h
		GET /verification-requests/vr_completed → 501
		advance 1h
		GET /verification-requests/vr_completed → 200`)
}

// After a restart with the machine's clock set back, a world goes on from after all that it has shown.
func TestClockRestart(t *testing.T) {
	t.Parallel()
	spec, m := "file:"+filepath.Join(t.TempDir(), "worlds.db"), lab.NewMachine(lab.Epoch)
	restart := func(back time.Duration) (*emulator.Emulator, *apitest.Client) {
		m.Set(m.Instant.Load().Add(-back))
		e, err := emulator.New(emulator.WithStore(lab.Opened(t, spec)), emulator.WithClock(m.Clock()))
		lab.NoError(t, err)
		return e, apitest.New(t, lab.ServeHandler(t, e), lab.Key)
	}
	now := func(c *apitest.Client) time.Time { return lab.DateOf(t, c.Get("/verification-requests/vr_completed")) }

	e, c := restart(0)
	lab.WantStates(t, c, "vr_lifecycle_timed", "pending-approval")
	lab.PlayScript(t, c, `POST faults {"rule":{"on":"cancel","respond":{"status":503}},"expires_in":"25h"} → 201`)
	m.Pass(25*time.Hour - time.Second/2)
	now(c) // stored with it: the next changes come within the second in which no use is stored
	m.Pass(time.Second / 2)
	lab.WantStates(t, c, "vr_lifecycle_timed", "completed")
	shown := now(c)
	lab.NoError(t, e.Close())

	e, c = restart(2 * time.Hour)
	lab.WantStates(t, c, "vr_lifecycle_timed", "completed")
	lab.PlayScript(t, c, `
		GET faults → 200 items.#=0
		GET ready → 200 clock_skew=2h0m1s`)
	if at := now(c); at.Before(shown) || at.After(shown.Add(time.Second)) {
		t.Errorf("behind the restart it is %s, and was %s", at, shown)
	}
	shown = now(c)
	m.Pass(10 * time.Second)
	if at := now(c); !at.Equal(shown.Add(10 * time.Second)) {
		t.Errorf("ten seconds later it is %s, and was %s", at, shown)
	}
	lab.NoError(t, e.Close())

	e, c = restart(0) // the machine's clock is still behind
	if at := now(c); at.Before(shown) {
		t.Errorf("behind the second restart it is %s, and was %s", at, shown)
	}
	lab.PlayScript(t, c, `POST reset → 200`)
	if at := now(c); !at.Equal(*m.Instant.Load()) {
		t.Errorf("a new world shows %s, and the machine %s", at, *m.Instant.Load())
	}
	for _, back := range []time.Duration{0, time.Second, 30 * time.Second} {
		for range 50 {
			m.Pass(time.Second)
			now(c)
		}
		m.Set(m.Instant.Load().Add(back)) // which is stored at once, too
		shown = now(c)
		lab.NoError(t, e.Close())
		e, c = restart(back)
		if at := now(c); at.Before(shown) || at.After(shown.Add(time.Second)) {
			t.Errorf("behind a restart with a clock set forward and back by %s it is %s, and was %s", back, at, shown)
		}
	}
	lab.NoError(t, e.Close())
}

// A process that finds a world ahead of the machine's clock says by how much.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	s := lab.Opened(t, "temp")
	of := func(machine *lab.Machine) *apitest.Client {
		return lab.Start(t, emulator.WithStore(s), emulator.WithClock(machine.Clock()))
	}
	a, b := of(lab.NewMachine(lab.Epoch.Add(10*time.Minute))), of(lab.NewMachine(lab.Epoch))
	lab.Read(t, a, "vr_completed")
	lab.PlayScript(t, b, `
		GET ready → 200 {"status":"ready"}
		GET /verification-requests/vr_completed → 200
		GET ready → 200 status=ready clock_skew=10m1s`) // a second in which no use is stored
	lab.WantParts(t, string(b.Get("/_understudy/metrics").Body), "\nunderstudy_clock_skew_seconds 601\n")
}

func TestClockMachineYears(t *testing.T) {
	t.Parallel()
	for _, year := range []int{-5000, 1, 1969, 1970, 2263, 9990, 9999, 20000} {
		m := lab.NewMachine(time.Date(year, time.June, 1, 0, 0, 0, 0, time.UTC))
		c := lab.Start(t, emulator.WithClock(m.Clock()))
		for _, instant := range []time.Time{*m.Instant.Load(), lab.Epoch, lab.Epoch.AddDate(-100, 0, 0), time.Date(12000, time.January, 1, 0, 0, 0, 0, time.UTC)} {
			m.Set(instant)
			lab.PlayScript(t, c, `
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
	c := lab.Start(t, emulator.WithClock(lab.NewMachine(lab.Epoch).Clock()))
	const refused = "A clock that runs is at most 292 years from the machine's: freeze it"
	lab.PlayScript(t, c, `
		PUT clock {"now":"2300-01-01T00:00:00Z","frozen":false} → 200
		PUT clock {"now":"5000-01-01T00:00:00Z"} → 400 `+refused+`
		GET clock → 200 {"now":"2300-01-01T00:00:00Z","frozen":false}
		PUT clock {"now":"5000-01-01T00:00:00Z","frozen":true} → 200
		PUT clock {"frozen":false} → 400 `+refused)
	running := strings.Replace(string(c.Get(lab.Control+"snapshot").Body), `"frozen":true`, `"frozen":false`, 1)
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", running), 400, refused)
}

// Under a frozen clock no answer depends on the machine's clock.
func TestClockFrozenIgnoresMachine(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	clock := m.Clock()
	clock.Frozen = lab.Epoch
	c := lab.Start(t, emulator.WithClock(clock), emulator.WithWorldTTL(time.Hour))
	var last []byte
	for _, span := range []time.Duration{0, -1000 * time.Hour, 5000 * time.Hour, -5000 * time.Hour, time.Minute} {
		m.Pass(span)
		r := c.Get("/verification-requests/vr_lifecycle_timed")
		lab.WantStatus(t, r, 200, "")
		if last != nil && !bytes.Equal(last, r.Body) || !lab.DateOf(t, r).Equal(lab.Epoch) {
			t.Errorf("after %s it is answered %s %s", span, r.Header.Get("Date"), r.Body)
		}
		last = r.Body
	}
}

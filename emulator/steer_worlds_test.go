package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// clockOf returns what the control plane shows of a clock.
func clockOf(t *testing.T, r *apitest.Response) (now string, frozen bool) {
	t.Helper()
	wantStatus(t, r, 200, "")
	var clock struct {
		Now    string `json:"now"`
		Frozen bool   `json:"frozen"`
	}
	r.JSON(&clock)
	return clock.Now, clock.Frozen
}

// Contract 6: PUT clock, POST clock/advance.
func TestAWorldsClockIsSetAdvancedStoppedAndRunOn(t *testing.T) {
	t.Parallel()
	wall := epoch
	url := serve(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return wall }}))
	c, other := apitest.New(t, url, key), apitest.New(t, url, "svc_sk_test_other")
	want := func(r *apitest.Response, now string, frozen bool) {
		t.Helper()
		if got, stands := clockOf(t, r); got != now || stands != frozen {
			t.Errorf("the clock shows %s, frozen %t; want %s, %t", got, stands, now, frozen)
		}
	}
	want(c.Get(control+"clock"), "2025-01-15T09:30:00Z", false)
	want(c.Put(control+"clock", `{"frozen":true}`), "2025-01-15T09:30:00Z", true)
	wall = wall.Add(time.Hour)
	want(c.Get(control+"clock"), "2025-01-15T09:30:00Z", true)
	want(c.Post(control+"clock/advance", `{"by":"36h"}`), "2025-01-16T21:30:00Z", true)
	want(c.Put(control+"clock", `{"now":"2025-03-01T02:00:00+02:00"}`), "2025-03-01T00:00:00Z", true)
	want(c.Put(control+"clock", `{"frozen":false}`), "2025-03-01T00:00:00Z", false)
	wall = wall.Add(time.Minute)
	want(c.Get(control+"clock"), "2025-03-01T00:01:00Z", false)
	want(c.Post(control+"clock/advance", `{"by":"1h"}`), "2025-03-01T01:01:00Z", false)
	want(other.Get(control+"clock"), "2025-01-15T10:31:00Z", false)

	if date := c.Get("/verification-requests/vr_completed").Header.Get("Date"); date != "Sat, 01 Mar 2025 01:01:00 GMT" {
		t.Errorf("an answer of that world has the date %s", date)
	}
	wantStatus(t, c.Put(control+"clock", `{"now":"2025-02-01T00:00:00Z"}`), 409,
		"The clock shows 2025-03-01T01:01:00Z and does not go back: reset the world first")
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	want(c.Get(control+"clock"), "2025-01-15T10:31:00Z", false)
}

func TestWhatNoClockCanShowIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	for body, message := range map[string]string{
		`{}`:                                `Say what the clock is set to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both`,
		`{"now":"yesterday"}`:               "The body cannot be read: ",
		`{"frozen":"yes"}`:                  "The body cannot be read: ",
		`{"noww":"2025-01-15T09:00:00Z"}`:   "The body cannot be read: unknown key at \"/noww\"",
		`{"now":"9999-01-01T00:00:00Z"}`:    "The clock goes to the year 9990 only",
		`[]`:                                "The body cannot be read: ",
		``:                                  "The body is missing: send a JSON object",
		`{"now":1}`:                         `The body cannot be read: "/now" must be a string, not a number`,
		`{"now":"soon"}`:                    `The body cannot be read: "/now" is not an instant such as 2025-01-15T09:00:00Z`,
		`{"frozen":true,"frozen":true}`:     `The body cannot be read: "/frozen" stands twice`,
		`{"now":"2025-01-15T09:29:59.99Z"}`: "The clock shows 2025-01-15T09:30:00Z and does not go back: reset the world first",
	} {
		if r := c.Put(control+"clock", body); r.Status < 400 || !strings.HasPrefix(r.ErrorMessage(), message) {
			t.Errorf("%s: %d %s", body, r.Status, r.Body)
		}
	}
	for body, message := range map[string]string{
		`{"by":"-1h"}`:          `The body cannot be read: "/by" is not a span of time such as 90s, 10m or 48h`,
		`{"by":3600}`:           `The body cannot be read: "/by" must be a string, not a number`,
		`{"by":"soon"}`:         `The body cannot be read: "/by" is not a span of time such as 90s, 10m or 48h`,
		`{}`:                    `Say by how much the clock is advanced: {"by":"36h"}`,
		`{"by":"70000000h"}`:    `The body cannot be read: "/by" is too long a span of time: 285 years, which are 2.5 million hours, are about the most`,
		`{"by":"1h","to":"2h"}`: "The body cannot be read: unknown key at \"/to\"",
	} {
		wantStatus(t, c.Post(control+"clock/advance", body), 400, message)
	}
	if now, _ := clockOf(t, c.Get(control+"clock")); now != "2025-01-15T09:30:00Z" {
		t.Errorf("the clock shows %s", now)
	}
}

// Contract 5, vr_lifecycle_timed: each step at its own instant, also several in one advance.
func TestTimedStepsFireWhenTheClockPassesThem(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_lifecycle_timed") // begins it
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"59m59s"}`), 200, "")
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StatePendingApproval {
		t.Errorf("a second before the hour: %s", state)
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"1s"}`), 200, "")
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StateProcessing {
		t.Errorf("at the hour: %s", state)
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"100h"}`), 200, "")
	v := read(t, c, "vr_lifecycle_timed")
	if v.State != api.StateCompleted || v.DateOfCompletion.String() != "2025-01-16 09:30:00 +0000 UTC" {
		t.Errorf("after days: %s at %v, want completed a day after it began", v.State, v.DateOfCompletion)
	}
}

func TestAResetWorldIsAsNew(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	want := tour(c)
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"36h"}`), 200, "")
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	if diff := cmp.Diff(string(want), string(tour(c))); diff != "" {
		t.Errorf("the second tour differs from the first:\n%s", diff)
	}
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	if r := c.Get(control + "verification-requests"); string(r.Body) != `{"items":[],"next":null}` {
		t.Errorf("it remembers %s", r.Body)
	}
}

// No request sees half of a reset: a lifecycle that is read through it shows its steps from the first on, each at most
// once between two resets.
func TestAResetIsSeenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			wantStatus(t, c.Post(control+"reset", nil), 200, "")
		}
	}()
	seen := make(map[api.State]int)
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		for state, n := range inParallel(16, func() api.State { return read(t, c, "vr_lifecycle").State }) {
			seen[state] += n
		}
	}
	if seen["pending-approval"] > 101 || seen["processing"] > 101 {
		t.Errorf("in 101 lives: %v", seen)
	}
}

func TestWorldsAreListedWithMaskedKeysAndForgotten(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for i := range 5 {
		c := apitest.New(t, url, fmt.Sprintf("svc_sk_test_suite_%04d", i))
		read(t, c, "vr_lifecycle")
	}
	c := apitest.New(t, url, "")
	type page struct {
		Items []struct {
			ID    string `json:"id"`
			Key   string `json:"key"`
			Clock struct {
				Now string `json:"now"`
			} `json:"clock"`
		} `json:"items"`
		Next *string `json:"next"`
	}
	keys := make(map[string]string)
	for path := control + "worlds?limit=2"; path != ""; {
		r := c.Get(path)
		wantStatus(t, r, 200, "")
		if strings.Contains(string(r.Body), "suite") {
			t.Errorf("the list tells keys: %s", r.Body)
		}
		var p page
		r.JSON(&p)
		for _, w := range p.Items {
			shown, of, _ := strings.Cut(w.Key, "#")
			if keys[shown] = w.ID; len(of) != 4 || !strings.HasPrefix(w.ID, of) {
				t.Errorf("world %s has the key %s", w.ID, w.Key)
			}
		}
		path = ""
		if p.Next != nil {
			path = control + "worlds?limit=2&after=" + *p.Next
		}
	}
	if len(keys) != 5 || keys["svc_sk_test_…0003"] == "" {
		t.Fatalf("listed: %v", keys)
	}
	id := keys["svc_sk_test_…0003"]
	if now, _ := clockOf(t, c.Get(control+"clock?world="+id)); now != "2025-01-15T09:30:00Z" {
		t.Errorf("named by its id: %s", now)
	}
	wantStatus(t, c.Send("DELETE", control+"worlds/"+id, nil), 204, "")
	wantStatus(t, c.Send("DELETE", control+"worlds/"+id, nil), 404, `There is no world "`+id+`"`)
	wantStatus(t, c.Get(control+"clock?world="+id), 404, `There is no world "`+id+`"`)
	again := apitest.New(t, url, "svc_sk_test_suite_0003")
	if state := read(t, again, "vr_lifecycle").State; state != api.StatePendingApproval {
		t.Errorf("a forgotten world goes on: %s", state)
	}
	wantStatus(t, c.Get(control+"worlds?limit=0"), 400, "limit must be a number from 1 to 1000")
	wantStatus(t, c.Get(control+"clock"), 401, message401+": send one header Authorization: Bearer svc_sk_test_...")
}

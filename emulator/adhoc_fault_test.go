package emulator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

type fault struct {
	ID        string  `json:"id"`
	Words     string  `json:"in_words"`
	Remaining *int    `json:"remaining"`
	Expires   *string `json:"expires"`
}

func putFault(t *testing.T, c *apitest.Client, body string) (f fault) {
	t.Helper()
	r := c.Post(control+"faults", body)
	wantStatus(t, r, 201, "")
	r.JSON(&f)
	return f
}

func faults(t *testing.T, c *apitest.Client) (all []fault) {
	t.Helper()
	var list struct {
		Items []fault `json:"items"`
	}
	r := c.Get(control + "faults")
	wantStatus(t, r, 200, "")
	r.JSON(&list)
	return list.Items
}

// Contract 6: ad-hoc rules on this world, with an id, a remaining count and an expiry.
func TestAFaultAppliesAsOftenAsItSaysAndIsTakenAway(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c, other := apitest.New(t, url, key), apitest.New(t, url, "svc_sk_test_other")
	f := putFault(t, c, `{"rule":{"on":"get","respond":{"status":500,"message":"Out of order"},"times":2}}`)
	if f.ID != "fault-1" || *f.Remaining != 2 || f.Expires != nil || f.Words != "every get, 2 times: 500 Internal Server Error" {
		t.Errorf("%+v", f)
	}
	wantStatus(t, other.Get("/verification-requests/vr_completed"), 200, "")
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 500, "Out of order")
	wantDiagnosis(t, r, "scenario fault-1 answers so, by its rule at fault-1:1:1")
	if left := faults(t, c); len(left) != 1 || *left[0].Remaining != 1 {
		t.Errorf("%+v", left)
	}
	wantStatus(t, c.Put("/verification-requests/vr_processing/cancel", cancelOther), 200, "")
	wantStatus(t, c.Get("/qualification-checks/qc_qualified"), 500, "Out of order")
	wantStatus(t, c.Get("/verification-requests/vr_completed"), 200, "")

	putFault(t, c, `{"rule":{"on":"any","respond":{"status":501}}}`)
	wantStatus(t, c.Get("/verification-requests/vr_error_404"), 501, "Not Implemented")
	wantStatus(t, c.Send("DELETE", control+"faults/fault-2", nil), 204, "")
	wantStatus(t, c.Send("DELETE", control+"faults/fault-2", nil), 404, `There is no fault "fault-2"`)
	wantStatus(t, c.Get("/verification-requests/vr_error_404"), 404, "Not Found")
	putFault(t, c, `{"rule":{"on":"any","respond":{"status":501}}}`)
	wantStatus(t, c.Send("DELETE", control+"faults", nil), 204, "")
	if left := faults(t, c); len(left) != 0 {
		t.Errorf("%+v", left)
	}
}

func TestAFaultEndsByTheWorldsClock(t *testing.T) {
	t.Parallel()
	c := start(t)
	f := putFault(t, c, `{"rule":{"on":"get","respond":{"status":500}},"expires_in":"10m"}`)
	if f.Expires == nil || *f.Expires != "2025-01-15T09:40:00Z" {
		t.Errorf("%+v", f)
	}
	get := func() *apitest.Response { return c.Get("/verification-requests/vr_completed") }
	got := statuses(1, get)
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"9m59s"}`), 200, "")
	got = append(got, statuses(1, get)...)
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"1s"}`), 200, "")
	got = append(got, statuses(1, get)...)
	if diff := cmp.Diff([]int{500, 500, 200}, got); diff != "" || len(faults(t, c)) != 0 {
		t.Error(diff, faults(t, c))
	}
}

func TestAFaultMayMindTheState(t *testing.T) {
	t.Parallel()
	c := start(t)
	putFault(t, c, `{"rule":{"on":"any","state":"processing","respond":{"status":500}}}`)
	got := []int{
		c.Get("/verification-requests/vr_processing").Status, c.Get("/verification-requests/vr_completed").Status,
		c.Get("/verification-requests/vr_unknown").Status, c.Get("/qualification-checks/qc_qualified").Status,
	}
	if diff := cmp.Diff([]int{500, 200, 400, 200}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAFaultThatIsNotRightIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	c := start(t)
	for body, message := range map[string]string{
		`{}`:                                    `Say what goes wrong: {"rule":{"on":"get","respond":{"status":500}}}`,
		`{"on":"get","respond":{"status":500}}`: `The rule goes under rule: {"rule":{"on":"get","respond":{"status":500}}}`,
		`{"on":"get","rule":{"on":"get","delay":"1s"}}`:  `The body cannot be read: unknown key at "/on"`,
		`{"rule":{"on":"gte","respond":{"status":500}}}`: `The rule is not right: rule:1:7: unknown value "gte": must be one of any, get, cancel, update, create`,
		`{"rule":{"on":"get","respond":{"status":200}}}`: `The rule is not right: rule:1:33: a rule answers with an error status from 400 to 599: respond: {status: 500}`,
		`{"rule":{"on":"get","resond":{"status":500}}}`:  `The rule is not right: rule:1:13: unknown key "resond": did you mean respond?`,
		`{"rule":[]}`: `The rule is not right: rule:1:1: must be a mapping of on, state, calls, every, probability, times, limit, delay, respond, fault`,
		`{"rule":{"on":"get","fault":"empty"},"for":"10m"}`:     `The body cannot be read: unknown key at "/for"`,
		`{"rule":{"on":"get","fault":"empty"},"expires_in":10}`: ``,
	} {
		r := c.Post(control+"faults", body)
		if r.Status != 400 || message != "" && r.ErrorMessage() != message {
			t.Errorf("%s: %d %s", body, r.Status, r.Body)
		}
	}
	if left := faults(t, c); len(left) != 0 {
		t.Errorf("%+v", left)
	}
}

// A fault whose times are up gives way to another one, the earliest first.
func TestFaultsThatAreUsedUpGiveWay(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, on := range append([]string{"get", "get"}, slices.Repeat([]string{"update"}, 98)...) {
		putFault(t, c, `{"rule":{"on":"`+on+`","respond":{"status":500},"times":1}}`)
	}
	const another = `{"rule":{"on":"get","respond":{"status":503}}}`
	wantStatus(t, c.Post(control+"faults", another), 409, "A world has 100 faults at most: take some away first")
	wantStatus(t, c.Get("/verification-requests/vr_completed"), 500, "Internal server error") // counted by both
	for range 2 {
		putFault(t, c, another)
	}
	wantStatus(t, c.Post(control+"faults", another), 409, "A world has 100 faults at most: take some away first")
	wantStatus(t, c.Send("DELETE", control+"faults/fault-1", nil), 404, `There is no fault "fault-1"`)
	wantStatus(t, c.Send("DELETE", control+"faults/fault-3", nil), 204, "")
}

// A fault ends within the years that a clock shows.
func TestAFaultEndsWithinTheYearsOfTheClock(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.WithClock(emulator.FrozenAt(time.Date(9980, time.January, 1, 0, 0, 0, 0, time.UTC))))
	for _, lasts := range []string{"1000000h", "2562047h"} {
		r := c.Post(control+"faults", `{"rule":{"on":"get","respond":{"status":500}},"expires_in":"`+lasts+`"}`)
		if r.Status != 400 || !strings.Contains(r.ErrorMessage(), "and the clock goes to the year 9990 only: let it last for less") {
			t.Errorf("%s: %d %s", lasts, r.Status, r.Body)
		}
	}
	putFault(t, c, `{"rule":{"on":"get","respond":{"status":500}},"expires_in":"24h"}`)
}

// Contract 6: ad-hoc rules on this world. A store takes no value of any length, whatever its engine.
func TestTheFaultsOfAWorldHaveASizeTogether(t *testing.T) {
	t.Parallel()
	c := start(t)
	long := func() *apitest.Response {
		return c.Post(control+"faults", `{"rule":{"on":"update","respond":{"status":500,"message":"`+strings.Repeat("x", 60_000)+`"}}}`)
	}
	for range 8 {
		wantStatus(t, long(), 201, "")
	}
	const full = "The faults of a world, and the list of its scenario files, take 512 KiB at most, and these would take 529: take some away first, or say it in fewer words"
	wantStatus(t, long(), 409, full)
	if left := faults(t, c); len(left) != 8 {
		t.Errorf("%d faults are there", len(left))
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"1.5s"}`), 200, "")
	wantStatus(t, c.Send("DELETE", control+"faults/fault-3", nil), 204, "")
	wantStatus(t, long(), 201, "")
	wantStatus(t, c.Post(control+"reset", ""), 200, "")
	wantStatus(t, long(), 201, "")
}

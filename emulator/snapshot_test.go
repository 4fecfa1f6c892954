package emulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// lively has a world remember something of every kind.
func lively(t *testing.T, c *apitest.Client) {
	t.Helper()
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	putFault(t, c, `{"rule":{"on":"update","respond":{"status":500},"times":3},"expires_in":"100h"}`)
	wantStatus(t, c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), 500, "Internal server error")
	read(t, c, "vr_lifecycle")
	read(t, c, "vr_mine")
	wantStatus(t, c.Get("/verification-requests/vr_flaky"), 500, "Internal server error")
	read(t, c, requestOf(create(t, c, session("000-12-3456"))))
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"26h"}`), 200, "")
}

// Contract 6: the whole world as one JSON file, out and in.
func TestSnapshot_goes_on_elsewhere_as_it_would_have_here(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key).Without(apitest.SSN)
	lively(t, c)
	taken := c.Get(control + "snapshot")
	wantStatus(t, taken, 200, "")
	if strings.Contains(string(taken.Body), "svc_sk") || strings.Contains(string(taken.Body), "000-12-3456") {
		t.Error("the snapshot tells a key or a number")
	}
	client := manyClients(t)
	goOn := func(url, key string) string {
		said, _, _ := strings.Cut(travel(client, key, time.Minute, url), "POST reset") // which leaves what was restored
		return said
	}
	want := goOn(url, key)
	for name, at := range map[string][2]string{
		"another key of the same server":     {url, "svc_sk_test_another"},
		"another server, of another seed":    {serve(t, emulator.WithSeed(9)), key},
		"another server, whose clock stands": {serve(t, emulator.WithClock(emulator.FrozenAt(epoch.AddDate(1, 0, 0)))), key},
		"the same world":                     {url, key},
	} {
		c := apitest.New(t, at[0], at[1]).Without(apitest.SSN)
		wantStatus(t, c.Put(control+"snapshot", taken.Body), 200, "")
		if again := c.Get(control + "snapshot"); string(again.Body) != string(taken.Body) {
			t.Errorf("%s: taken again it is\n%s\nand was\n%s", name, again.Body, taken.Body)
		}
		if diff := cmp.Diff(want, goOn(at[0], at[1])); diff != "" {
			t.Errorf("%s goes on otherwise:\n%s", name, diff)
		}
	}
}

func TestSnapshot_clock_that_runs_goes_on_from_it(t *testing.T) {
	t.Parallel()
	m := newMachine(epoch)
	c := start(t, emulator.WithClock(m.clock()))
	read(t, c, "vr_completed")
	taken := c.Get(control + "snapshot")
	m.pass(100 * time.Hour)
	wantStatus(t, c.Put(control+"snapshot", taken.Body), 200, "")
	m.pass(time.Minute)
	playScript(t, c, `GET clock → 200 {"now":"2025-01-15T09:31:00Z","frozen":false}`)
}

// A world may remember requests whose scenario was taken back, and goes on with them as they stand: a snapshot does too.
func TestSnapshot_may_have_requests_whose_scenario_is_gone(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	wantStatus(t, c.Post(control+"verification-requests", `{"id":"vr_left","scenario":"mine"}`), 201, "")
	wantStatus(t, c.Send("DELETE", control+"scenarios/mine", nil), 204, "")
	want := c.Get("/verification-requests/vr_left").Body
	taken := c.Get(control + "snapshot").Body
	wantStatus(t, c.Put(control+"snapshot", taken), 200, "")
	if got := c.Get("/verification-requests/vr_left").Body; string(got) != string(want) {
		t.Errorf("restored it is %s\nand was %s", got, want)
	}
}

// Contract 6: the journal is part of it. What the machine had a part in, ids and durations, is kept as it was.
func TestSnapshot_takes_the_journal_along(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	lively(t, c)
	asked, _ := listed(t, c, "")
	taken := c.Get(control + "snapshot").Body
	at := start(t, emulator.WithJournalSize(1000)).Without(apitest.SSN)
	read(t, at, "vr_lifecycle")
	for range 3 { // one after the other
		wantStatus(t, at.Put(control+"snapshot", taken), 200, "")
		restored, _ := listed(t, at, "")
		if diff := cmp.Diff(asked, restored); diff != "" {
			t.Fatal(diff)
		}
		_, want := entryOf(t, c, asked[0].ID)
		if _, got := entryOf(t, at, asked[0].ID); got != want {
			t.Errorf("an entry is\n%s\nand was\n%s", got, want)
		}
		next := at.Get("/verification-requests/vr_completed")
		if e, _ := entryOf(t, at, idOf(next)); e.Sequence != len(asked)+1 {
			t.Errorf("the next request has the number %d", e.Sequence)
		}
	}
	wantStatus(t, at.Post(control+"reset", nil), 200, "")
	if items, _ := listed(t, at, ""); len(items) != 0 {
		t.Errorf("as new, its journal has %+v", items)
	}

	small := start(t, emulator.WithJournalSize(2)).Without(apitest.SSN)
	wantStatus(t, small.Put(control+"snapshot", taken), 200, "")
	if items, _ := listed(t, small, ""); cmp.Diff(asked[:2], items) != "" {
		t.Errorf("a journal of two has %+v", items)
	}
	off := start(t, emulator.WithJournalSize(0)).Without(apitest.SSN)
	wantStatus(t, off.Put(control+"snapshot", taken), 200, "")
	if got := string(off.Get(control + "snapshot").Body); !strings.HasSuffix(got, `"journal":{"dropped":0,"entries":[]}}`) {
		t.Errorf("without a journal: %s", got)
	}
}

// Contract 3: raw keys are never stored, also when somebody wrote one into a snapshot.
func TestSnapshot_secrets_are_left_out(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.Get("/verification-requests/vr_none?note=here")
	taken := string(c.Get(control + "snapshot").Body)
	written := strings.ReplaceAll(strings.ReplaceAll(taken, "vr_none", "000-12-3456"), "note=here", "note=svc_sk_test_mine")
	wantStatus(t, c.Put(control+"snapshot", written), 200, "")
	now := string(c.Get(control + "snapshot").Body)
	if strings.Contains(now, "000-12-3456") || strings.Contains(now, "svc_sk_test_mine") || !strings.Contains(now, "***-**-3456") {
		t.Error(now)
	}
}

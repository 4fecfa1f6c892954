package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

const ownLifecycle = `
name: mine
title: Mine
magic: {verification_request: vr_mine, ssn: 000-00-7001}
verification_request: {timeline: [{state: processing}, {state: invalid, after: {reads: 1}}]}
`

// Contract 6: this world's own scenario files.
func TestAWorldsOwnScenariosAreItsAlone(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key).Without(apitest.SSN) // scenario files have magic numbers
	other := apitest.New(t, url, "svc_sk_test_other")
	wantStatus(t, c.Get("/verification-requests/vr_mine"), 400, "Verification not found")
	r := c.Put(control+"scenarios/mine", ownLifecycle)
	wantStatus(t, r, 200, "")
	if !strings.Contains(string(r.Body), `"name":"mine"`) || !strings.Contains(string(r.Body), `"warnings":[]`) {
		t.Errorf("%s", r.Body)
	}
	if got := fmt.Sprint(states(t, c, "vr_mine", 2)); got != "[processing invalid]" {
		t.Error(got)
	}
	if v := read(t, c, requestOf(create(t, c, session("000-00-7001")))); v.State != api.StateProcessing {
		t.Errorf("a session's request is %s", v.State)
	}
	wantStatus(t, other.Get("/verification-requests/vr_mine"), 400, "Verification not found")

	shown := c.Get(control + "scenarios/mine")
	wantStatus(t, shown, 200, "")
	for _, part := range []string{`"own":true`, `"timeline":["processing","invalid after 1 read"]`, `"kind":"SSN","value":"000-00-7001"`, `verification_request: vr_mine`} {
		if !strings.Contains(string(shown.Body), part) {
			t.Errorf("not shown: %s in %s", part, shown.Body)
		}
	}
	wantStatus(t, other.Get(control+"scenarios/mine"), 404, `There is no scenario "mine"`)

	wantStatus(t, c.Send("DELETE", control+"scenarios/mine", nil), 204, "")
	wantStatus(t, c.Send("DELETE", control+"scenarios/mine", nil), 404, `The world has no scenario file of its own that is named "mine"`)
	if v := read(t, c, "vr_mine"); v.State != api.StateInvalid {
		t.Errorf("what is remembered is %s once its scenario is gone", v.State)
	}
}

func TestAWorldsOwnScenarioTakesThePlaceOfOneOfAllWorldsAndSaysSo(t *testing.T) {
	t.Parallel()
	c := start(t)
	put := func(name, text, says string) {
		t.Helper()
		r := c.Put(control+"scenarios/"+name, text)
		wantStatus(t, r, 200, "")
		if !strings.Contains(string(r.Body), says) {
			t.Errorf("%s does not say %s", r.Body, says)
		}
	}
	put("lifecycle", "name: lifecycle\ntitle: Other\nmagic: {verification_request: vr_other}\nverification_request: {timeline: [{state: invalid}]}\n",
		`lifecycle.yaml:1:7: warning: takes the place of the scenario lifecycle of catalogue/`)
	wantStatus(t, c.Get("/verification-requests/vr_lifecycle"), 400, "Verification not found")
	put("done", `{"name":"done","title":"As JSON","magic":{"verification_request":"vr_completed"},"verification_request":{"timeline":[{"state":"invalid"}]}}`,
		`warning: takes vr_completed from the scenario completed of catalogue/`)
	for _, id := range []string{"vr_other", "vr_completed"} {
		if v := read(t, c, id); v.State != api.StateInvalid {
			t.Errorf("%s is %s", id, v.State)
		}
	}
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	if v := read(t, c, "vr_completed"); v.State != api.StateCompleted {
		t.Errorf("after a reset it is %s", v.State)
	}
}

func TestAScenarioFileThatIsNotRightIsRefusedWithItsProblems(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	wantStatus(t, c.Put(control+"scenarios/mine", strings.Replace(ownLifecycle, "invalid", "invlid", 1)), 400,
		"The scenario file is not right:\nmine.yaml:5:64: unknown value \"invlid\": did you mean invalid?\n"+
			"  5 | verification_request: {timeline: [{state: processing}, {state: invlid, after: {reads: 1}}]}\n"+
			"    |                                                                ^")
	for text, message := range map[string]string{
		"": "The scenario file has no scenario in it",
		"name: yours\ntitle: t\nmagic: {ssn: 000-00-7001}\n": "The scenario file is not right:\nyours.yaml:3:14: the SSN 000007001 is taken: mine.yaml:2:1\n  3 | magic: {ssn: 000-00-7001}\n    |              ^",
	} {
		wantStatus(t, c.Put(control+"scenarios/yours", text), 400, message)
	}
	wantStatus(t, c.Put(control+"scenarios/Not%20a%20name", ownLifecycle), 400, "The name of a scenario file has 1 to 64 of a-z 0-9 . _ -")
	if v := read(t, c, "vr_mine"); v.State != api.StateProcessing {
		t.Errorf("what was right is not served on: %s", v.State)
	}
}

func TestScenarioFilesPutAtOnceAreAllThere(t *testing.T) {
	t.Parallel()
	c := start(t)
	names := make(chan int, 16)
	for i := range 16 {
		names <- i
	}
	got := inParallel(16, func() int {
		i := <-names
		return c.Put(fmt.Sprintf("%sscenarios/s%d", control, i), fmt.Sprintf("name: s%d\ntitle: t\nmagic: {verification_request: vr_s%d}\n", i, i)).Status
	})
	if got[200] != 16 {
		t.Errorf("%v", got)
	}
	for i := range 16 {
		read(t, c, fmt.Sprintf("vr_s%d", i))
	}
}

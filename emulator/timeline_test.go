package emulator_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// stepsOf returns the steps of a timeline, each in a line.
func stepsOf(t *testing.T, r *apitest.Response) (lines []string) {
	t.Helper()
	for _, step := range inspect(t, r).Timeline {
		line := fmt.Sprint(step.Place, " ", step.State)
		if step.At != nil {
			line += " at " + *step.At
		}
		lines = append(lines, line)
	}
	return lines
}

// Issue: timed transitions are stamped with their own instants, several of one advance too, and a snapshot takes them along.
func TestEachStepKeepsTheInstantAtWhichItWasEntered(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	const path = control + "verification-requests/vr_lifecycle_timed"
	read(t, c, "vr_lifecycle_timed")
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"100h"}`), 200, "")
	want := []string{
		"past pending-approval at 2025-01-15T09:30:00Z",
		"past processing at 2025-01-15T10:30:00Z",
		"present completed at 2025-01-16T09:30:00Z",
	}
	if diff := cmp.Diff(want, stepsOf(t, c.Get(path))); diff != "" {
		t.Error(diff)
	}
	read(t, c, "vr_lifecycle_timed")
	other := apitest.New(t, url, "svc_sk_test_another")
	taken := c.Get(control + "snapshot").Body
	wantStatus(t, other.Put(control+"snapshot", taken), 200, "")
	if diff := cmp.Diff(want, stepsOf(t, other.Get(path))); diff != "" {
		t.Errorf("elsewhere:\n%s", diff)
	}

	// One that was remembered before instants were has none of past steps.
	old := regexp.MustCompile(`,"entered":\[[^]]*\]`).ReplaceAll(taken, nil)
	wantStatus(t, other.Put(control+"snapshot", old), 200, "")
	want = []string{"past pending-approval", "past processing at 2025-01-15T10:30:00Z", "present completed at 2025-01-16T09:30:00Z"}
	if diff := cmp.Diff(want, stepsOf(t, other.Get(path))); diff != "" {
		t.Errorf("of an older record:\n%s", diff)
	}
}

func TestReadsAndCancellationsKeepTheInstantsOfSteps(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_lifecycle")
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"10m"}`), 200, "")
	read(t, c, "vr_lifecycle")
	wantStatus(t, c.Put("/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"other"}`), 200, "")
	want := []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing at 2025-01-15T09:40:00Z", "present canceled", "ahead completed"}
	if diff := cmp.Diff(want, stepsOf(t, c.Get(control+"verification-requests/vr_lifecycle"))); diff != "" {
		t.Error(diff)
	}
}

// A step that a forced state has jumped over was never entered; one that is left backwards lies ahead again.
func TestStepsThatWereJumpedOverHaveNoInstant(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = control + "verification-requests/vr_lifecycle_timed"
	force := func(state string) []string {
		t.Helper()
		wantStatus(t, c.Post(control+"clock/advance", `{"by":"1m"}`), 200, "")
		return stepsOf(t, c.Send("PATCH", path, `{"state":"`+state+`","force":true}`))
	}
	for _, tt := range []struct {
		state string
		want  []string
	}{
		{"completed", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing", "present completed at 2025-01-15T09:31:00Z"}},
		{"processing", []string{"past pending-approval at 2025-01-15T09:30:00Z", "present processing at 2025-01-15T09:32:00Z", "next completed at 2025-01-16T08:32:00Z"}},
		{"invalid", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing at 2025-01-15T09:32:00Z", "present invalid", "ahead completed"}},
		{"pending-approval", []string{"present pending-approval at 2025-01-15T09:34:00Z", "next processing at 2025-01-15T10:34:00Z", "ahead completed"}},
	} {
		if tt.state == "completed" {
			read(t, c, "vr_lifecycle_timed") // begins it
		}
		if diff := cmp.Diff(tt.want, force(tt.state)); diff != "" {
			t.Errorf("forced to %s:\n%s", tt.state, diff)
		}
	}
	made := c.Post(control+"verification-requests", `{"id":"vr_made","scenario":"lifecycle-timed","state":"processing"}`)
	wantStatus(t, made, 201, "")
	want := []string{"past pending-approval", "present processing at 2025-01-15T09:34:00Z", "next completed at 2025-01-16T08:34:00Z"}
	if diff := cmp.Diff(want, stepsOf(t, c.Get(control+"verification-requests/vr_made"))); diff != "" {
		t.Errorf("made in a state:\n%s", diff)
	}
}

// Contract 6: a state to which no step leads is shown where the request left its timeline, and what was not reached lies
// ahead, however it came there; nothing moves it from there.
func TestAStateAsideOfTheTimelineIsShownWhereItWasLeft(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method, path, body string
		want               []string
	}{
		"canceled by the surface": {"PUT", "/verification-requests/vr_lifecycle_timed/cancel", `{"cancellation_reason":"other"}`,
			[]string{"past pending-approval at 2025-01-15T09:30:00Z", "present canceled", "ahead processing", "ahead completed"}},
		"canceled by the control plane": {"PATCH", control + "verification-requests/vr_lifecycle_timed", `{"state":"canceled"}`,
			[]string{"past pending-approval at 2025-01-15T09:30:00Z", "present canceled", "ahead processing", "ahead completed"}},
		"waiting for an action": {"PATCH", control + "verification-requests/vr_lifecycle_timed", `{"state":"action-required"}`,
			[]string{"past pending-approval at 2025-01-15T09:30:00Z", "present action-required", "ahead processing", "ahead completed"}},
		"made canceled": {"POST", control + "verification-requests", `{"id":"vr_made","scenario":"lifecycle","state":"canceled"}`,
			[]string{"present canceled", "ahead pending-approval", "ahead processing", "ahead completed"}},
	} {
		c := start(t)
		read(t, c, "vr_lifecycle_timed")
		if r := c.Send(tt.method, tt.path, tt.body); r.Status >= 300 {
			t.Fatalf("%s: %d %s", name, r.Status, r.Body)
		}
		id := "vr_lifecycle_timed"
		if tt.method == "POST" {
			id = "vr_made"
		}
		for range 2 {
			if diff := cmp.Diff(tt.want, stepsOf(t, c.Get(control+"verification-requests/"+id))); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
			wantStatus(t, c.Post(control+"clock/advance", `{"by":"100h"}`), 200, "")
			read(t, c, id)
		}
	}
}

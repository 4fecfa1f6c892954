package inventory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// stepsOf returns the steps of a timeline, each in a line.
func stepsOf(t *testing.T, r *apitest.Response) (lines []string) {
	t.Helper()
	lab.WantOK(t, r)
	var v struct {
		Timeline []struct {
			State    string  `json:"state"`
			Position string  `json:"place"`
			At       *string `json:"at"`
		} `json:"timeline"`
	}
	r.JSON(&v)
	for _, step := range v.Timeline {
		line := step.Position + " " + step.State
		if step.At != nil {
			line += " at " + *step.At
		}
		lines = append(lines, line)
	}
	return lines
}

// Timed transitions have their own instants, also when one advance causes several, and a snapshot contains them.
func TestTimelineInstants(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	const path = lab.Control + "verification-requests/vr_lifecycle_timed"
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_lifecycle_timed → 200
		advance 90m`)
	want := []string{
		"past pending-approval at 2025-01-15T09:30:00Z", "present processing at 2025-01-15T10:30:00Z", "next completed at 2025-01-16T09:30:00Z",
	}
	if diff := cmp.Diff(want, stepsOf(t, c.Get(path))); diff != "" {
		t.Error(diff)
	}
	lab.PlayScript(t, c, `advance 100h`)
	want[1], want[2] = "past processing at 2025-01-15T10:30:00Z", "present completed at 2025-01-16T09:30:00Z"
	if diff := cmp.Diff(want, stepsOf(t, c.Get(path))); diff != "" {
		t.Error(diff)
	}
	lab.Read(t, c, "vr_lifecycle_timed")
	other := apitest.New(t, url, "svc_sk_test_another")
	taken := c.Get(lab.Control + "snapshot").Body
	lab.WantStatus(t, other.Put(lab.Control+"snapshot", taken), 200, "")
	if diff := cmp.Diff(want, stepsOf(t, other.Get(path))); diff != "" {
		t.Errorf("elsewhere:\n%s", diff)
	}
}

// Every state that a request was forced into stays on its timeline. A step that a forced state has skipped has no instant; a
// step behind which the request was forced back lies ahead again.
func TestTimelineSkippedSteps(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	lab.Read(t, c, "vr_lifecycle_timed") // begins the timeline
	for _, tt := range []struct {
		state string
		want  []string
	}{
		{"completed", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing", "present completed at 2025-01-15T09:31:00Z"}},
		{"processing", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing", "past completed at 2025-01-15T09:31:00Z",
			"present processing at 2025-01-15T09:32:00Z", "next completed at 2025-01-16T08:32:00Z"}},
		{"invalid", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing", "past completed at 2025-01-15T09:31:00Z",
			"past processing at 2025-01-15T09:32:00Z", "present invalid at 2025-01-15T09:33:00Z", "ahead completed"}},
		{"action-required", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing", "past completed at 2025-01-15T09:31:00Z",
			"past processing at 2025-01-15T09:32:00Z", "past invalid at 2025-01-15T09:33:00Z", "present action-required at 2025-01-15T09:34:00Z", "ahead completed"}},
		{"pending-approval", []string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing", "past completed at 2025-01-15T09:31:00Z",
			"past processing at 2025-01-15T09:32:00Z", "past invalid at 2025-01-15T09:33:00Z", "past action-required at 2025-01-15T09:34:00Z",
			"present pending-approval at 2025-01-15T09:35:00Z", "next processing at 2025-01-15T10:35:00Z", "ahead completed"}},
	} {
		lab.PlayScript(t, c, "advance 1m")
		if diff := cmp.Diff(tt.want, stepsOf(t, c.Send("PATCH", lab.Control+"verification-requests/vr_lifecycle_timed", `{"state":"`+tt.state+`","force":true}`))); diff != "" {
			t.Errorf("forced to %s:\n%s", tt.state, diff)
		}
	}
	lab.WantOK(t, c.Post(lab.Control+"verification-requests", `{"id":"vr_made","scenario":"lifecycle-timed","state":"processing"}`))
	want := []string{"past pending-approval", "present processing at 2025-01-15T09:35:00Z", "next completed at 2025-01-16T08:35:00Z"}
	if diff := cmp.Diff(want, stepsOf(t, c.Get(lab.Control+"verification-requests/vr_made"))); diff != "" {
		t.Errorf("made in a state:\n%s", diff)
	}
}

// A request keeps its latest 200 states.
func TestTimelineLength(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	const path = lab.Control + "verification-requests/vr_processing"
	for range 101 {
		for _, state := range []string{"action-required", "pending-approval"} {
			lab.WantOK(t, c.Send("PATCH", path, `{"state":"`+state+`"}`))
		}
	}
	steps := stepsOf(t, c.Get(path))
	if len(steps) != 201 || steps[0] != "past action-required at 2025-01-15T09:30:00Z" || steps[199] != "present pending-approval at 2025-01-15T09:30:00Z" {
		t.Errorf("%d steps, from %s to %s", len(steps), steps[0], steps[len(steps)-2:])
	}
}

// A state off the timeline is shown where the request left the timeline, and the steps that were not reached lie ahead. No
// read and no time moves the request from there.
func TestTimelineStateOffIt(t *testing.T) {
	t.Parallel()
	timed := func(present string) []string {
		return []string{"past pending-approval at 2025-01-15T09:30:00Z", present, "ahead processing", "ahead completed"}
	}
	for _, tt := range []struct {
		id, script string
		want       []string
	}{
		{"vr_lifecycle_timed", `
			GET /verification-requests/vr_lifecycle_timed → 200
			PUT /verification-requests/vr_lifecycle_timed/cancel {"cancellation_reason":"other"} → 200`, timed("present canceled at 2025-01-15T09:30:00Z")},
		{"vr_lifecycle_timed", `
			GET /verification-requests/vr_lifecycle_timed → 200
			move vr_lifecycle_timed canceled`, timed("present canceled at 2025-01-15T09:30:00Z")},
		{"vr_lifecycle_timed", `
			GET /verification-requests/vr_lifecycle_timed → 200
			move vr_lifecycle_timed action-required`, timed("present action-required at 2025-01-15T09:30:00Z")},
		{"vr_lifecycle", `
			GET /verification-requests/vr_lifecycle → 200
			advance 10m
			GET /verification-requests/vr_lifecycle → 200
			PUT /verification-requests/vr_lifecycle/cancel {"cancellation_reason":"other"} → 200`,
			[]string{"past pending-approval at 2025-01-15T09:30:00Z", "past processing at 2025-01-15T09:40:00Z", "present canceled at 2025-01-15T09:40:00Z", "ahead completed"}},
		{"vr_made", `
			POST verification-requests {"id":"vr_made","state":"processing"} → 201
			advance 1m
			move vr_made action-required`,
			[]string{"past processing at 2025-01-15T09:30:00Z", "present action-required at 2025-01-15T09:31:00Z"}},
		{"vr_made", `POST verification-requests {"id":"vr_made","scenario":"lifecycle","state":"canceled"} → 201`,
			[]string{"present canceled at 2025-01-15T09:30:00Z", "ahead pending-approval", "ahead processing", "ahead completed"}},
	} {
		c := lab.Start(t)
		lab.PlayScript(t, c, tt.script)
		for range 2 {
			if diff := cmp.Diff(tt.want, stepsOf(t, c.Get(lab.Control+"verification-requests/"+tt.id))); diff != "" {
				t.Errorf("%s\n%s", tt.script, diff)
			}
			lab.PlayScript(t, c, "advance 100h")
			lab.Read(t, c, tt.id)
		}
	}
}

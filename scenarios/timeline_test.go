package scenarios_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// now is an instant like any other.
var now = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

func TestTimelineRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(1, 5), 0, 4).Draw(t, "reads of each step but the last")
		timeline := scenarios.Timeline{{State: api.StateProcessing}}
		var want []int
		for step, reads := range counts {
			timeline = append(timeline, scenarios.Step{State: api.StateProcessing, After: scenarios.After{Reads: reads}})
			for range reads {
				want = append(want, step)
			}
		}
		last := len(timeline) - 1
		want = append(want, last, last, last)

		var got []int
		p := scenarios.Cursor{Entered: now}
		for range want {
			p = timeline.Read(p, now)
			got = append(got, p.Step)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reads show the steps %s", diff)
		}
	})
}

func TestTimelineReadLastStep(t *testing.T) {
	t.Parallel()
	timeline := scenarios.Timeline{{State: api.StateProcessing}, {State: api.StateCompleted, After: scenarios.After{Reads: 1}}}
	start := scenarios.Cursor{Entered: now}
	end := timeline.Read(timeline.Read(start, now), now)
	later := now.AddDate(1, 0, 0)
	if !timeline.Ended(end) || timeline.CountsReads(end) || timeline.Read(end, later) != end {
		t.Errorf("at the end, %+v becomes %+v", end, timeline.Read(end, later))
	}
	if still := timeline[:1]; !still.Ended(start) || still.Read(start, later) != start {
		t.Error("a timeline of one step moves")
	}
}

func TestTimelineAdvance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		spans := rapid.SliceOfN(rapid.Int64Range(1, int64(100*time.Hour)), 1, 5).Draw(t, "spans of each step but the last")
		timeline := scenarios.Timeline{{State: api.StateProcessing}}
		begins := []time.Time{now}
		for i, span := range spans {
			timeline = append(timeline, scenarios.Step{State: api.StateProcessing, After: scenarios.After{Elapsed: scenarios.Duration(span)}})
			begins = append(begins, begins[i].Add(time.Duration(span)))
		}
		looked := now.Add(time.Duration(rapid.Int64Range(0, int64(600*time.Hour)).Draw(t, "looked after")))
		got := timeline.Advance(scenarios.Cursor{Entered: now}, looked)
		if !got.Entered.Equal(begins[got.Step]) || looked.Before(got.Entered) {
			t.Errorf("step %d began at %v, want %v, looked at %v", got.Step, got.Entered, begins[got.Step], looked)
		}
		if next := got.Step + 1; next < len(begins) && !looked.Before(begins[next]) {
			t.Errorf("step %d is shown at %v, though the next began at %v", got.Step, looked, begins[next])
		}
		if between := timeline.Advance(scenarios.Cursor{Entered: now}, now.Add(looked.Sub(now)/2)); timeline.Advance(between, looked) != got {
			t.Errorf("a look in between changes where it ends: %+v", timeline.Advance(between, looked))
		}
	})
}

func TestTimelineReadElapsed(t *testing.T) {
	t.Parallel()
	timeline := scenarios.Timeline{
		{State: api.StatePendingApproval},
		{State: api.StateProcessing, After: scenarios.After{Elapsed: scenarios.Duration(time.Hour)}},
		{State: api.StateCompleted, After: scenarios.After{Reads: 2}},
	}
	c := scenarios.Cursor{Entered: now}
	for range 5 {
		if c = timeline.Read(c, now); c.Step != 0 || c.Reads != 0 {
			t.Fatalf("a read before its time: %+v", c)
		}
	}
	var steps []int
	for range 4 {
		c = timeline.Read(c, now.Add(2*time.Hour))
		steps = append(steps, c.Step)
	}
	if diff := cmp.Diff([]int{1, 1, 2, 2}, steps); diff != "" {
		t.Error(diff)
	}
}

package behavior_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// now is an arbitrary instant.
var now = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

func TestParseSpan(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "0s": 0, "-36h": -36 * time.Hour, "5ms": 5 * time.Millisecond,
		"1d": day, "2w": 14 * day, "1d12h": 36 * time.Hour, "1w2d": 9 * day, "0.5d": 12 * time.Hour, "-1d": -day, "100000d": 100_000 * day,
		"P1D": day, "PT36H": 36 * time.Hour, "P2W": 14 * day, "P1DT12H30M5S": 36*time.Hour + 30*time.Minute + 5*time.Second, "PT0.5S": time.Second / 2, "-P1D": -day, "P0D": 0,
	} {
		if got, err := scenarios.ParseSpan(text); err != nil || got != want {
			t.Errorf("ParseSpan(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "d", "1 d", "1y", "P", "PT", "P1M", "P1Y", "1D", "P1H", "PT1D", "p1d", "soon"} {
		if got, err := scenarios.ParseSpan(text); err == nil {
			t.Errorf("ParseSpan(%q) = %v, want an error", text, got)
		}
	}
	for _, text := range []string{"106752d", "15300w", "9999999h"} {
		if _, err := scenarios.ParseSpan(text); err == nil || !strings.Contains(err.Error(), "too long a span") {
			t.Errorf("ParseSpan(%q): %v", text, err)
		}
	}
}

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
	if single := timeline[:1]; !single.Ended(start) || single.Read(start, later) != start {
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
		observed := now.Add(time.Duration(rapid.Int64Range(0, int64(600*time.Hour)).Draw(t, "observed after")))
		got := timeline.Advance(scenarios.Cursor{Entered: now}, observed)
		if !got.Entered.Equal(begins[got.Step]) || observed.Before(got.Entered) {
			t.Errorf("step %d began at %v, want %v, observed at %v", got.Step, got.Entered, begins[got.Step], observed)
		}
		if next := got.Step + 1; next < len(begins) && !observed.Before(begins[next]) {
			t.Errorf("step %d is shown at %v, though the next began at %v", got.Step, observed, begins[next])
		}
		if between := timeline.Advance(scenarios.Cursor{Entered: now}, now.Add(observed.Sub(now)/2)); timeline.Advance(between, observed) != got {
			t.Errorf("an observation in between changes the result: %+v", timeline.Advance(between, observed))
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

// A state that is set is the next step with it, else the last before; a state of no step leaves the cursor as it is.
func TestTimelineTransition(t *testing.T) {
	t.Parallel()
	var timeline scenarios.Timeline
	for _, state := range []api.State{api.StateProcessing, api.StatePendingApproval, api.StateProcessing, api.StatePendingApproval, api.StateCompleted} {
		timeline = append(timeline, scenarios.Step{State: state})
	}
	for _, tt := range []struct {
		from int
		to   api.State
		want int // -1: no step has the state
	}{
		{0, api.StateProcessing, 2},
		{0, api.StatePendingApproval, 1},
		{2, api.StatePendingApproval, 3},
		{2, api.StateProcessing, 2},
		{4, api.StatePendingApproval, 3},
		{1, api.StateCanceled, -1},
	} {
		c := scenarios.Cursor{Step: tt.from, Reads: 1, Entered: now}
		want, later := scenarios.Cursor{Step: tt.want, Entered: now.Add(time.Hour)}, now.Add(time.Hour)
		if tt.want < 0 {
			want = c
		}
		if got, ok := timeline.Transition(c, tt.to, later); got != want || ok != (tt.want >= 0) {
			t.Errorf("from step %d to %s: %+v, %t; want %+v", tt.from, tt.to, got, ok, want)
		}
	}
}

package scenarios_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestAStepIsShownAsOftenAsTheNextOneSays(t *testing.T) {
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
		var p scenarios.Cursor
		for range want {
			p = timeline.Read(p)
			got = append(got, p.Step)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reads show the steps %s", diff)
		}
	})
}

func TestAReadThatMovesNothingChangesNothing(t *testing.T) {
	t.Parallel()
	timeline := scenarios.Timeline{{State: api.StateProcessing}, {State: api.StateCompleted, After: scenarios.After{Reads: 1}}}
	end := timeline.Read(timeline.Read(scenarios.Cursor{}))
	if !timeline.Still(end) || timeline.Read(end) != end {
		t.Errorf("at the end, %+v becomes %+v", end, timeline.Read(end))
	}
	if still := timeline[:1]; !still.Still(scenarios.Cursor{}) || still.Read(scenarios.Cursor{}) != (scenarios.Cursor{}) {
		t.Error("a timeline of one step moves")
	}
}

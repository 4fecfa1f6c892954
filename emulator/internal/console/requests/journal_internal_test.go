package requests

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

func TestStatusFilters(t *testing.T) {
	t.Parallel()
	entries := []*journal.Entry{{Status: 200}, {Status: 201}, {Status: 200, Fault: "dribble"}, {Status: 451}, {Status: 503}, {Fault: "empty"}}
	want := map[string]int{">=400,0": 3, "2xx": 3, "4xx": 1, "5xx": 1, "0": 1, "fault": 2}
	for _, f := range statusFilters {
		if got := len(selected(entries, ofStatus(f.Value))); got != want[f.Value] {
			t.Errorf("%s selects %d, want %d", f.Value, got, want[f.Value])
		}
		delete(want, f.Value)
	}
	if len(want) > 0 {
		t.Errorf("there is no filter for %v", want)
	}
}

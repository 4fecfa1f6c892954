package resources

import (
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

func TestTimelineFolds(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 1, 15, 9, 0, 0, 0, time.UTC)
	var line timeline
	for i, query := range []string{"a=1", "a=2", "a=3", "a=4", "a=5", "a=6"} {
		e := &journal.Entry{Method: "GET", Path: "/verification-requests/vr_completed", Query: query, Status: 200 + 200*(i%2), Wall: at.Add(time.Duration(i) * 150 * time.Millisecond)}
		line.request(asked{Entry: e})
	}
	later := &journal.Entry{Method: "GET", Path: "/verification-requests/vr_completed", Query: "a=7", Status: 200, Wall: at.Add(time.Second)}
	line.request(asked{Entry: later})
	if n := len(line.events); n != 2 {
		t.Fatalf("there are %d rows, want one a second", n)
	}
	first := line.events[0]
	if !first.Folded() || !first.Reads() || len(first.Asked) != 6 || len(first.Statuses()) != 2 || first.Asked[0].Query != "a=6" {
		t.Errorf("the first second is %+v", first)
	}
	if second := line.events[1]; second.Folded() || len(second.Asked) != 1 {
		t.Errorf("the next second is %+v", second)
	}
}

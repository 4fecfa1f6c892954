package run

import (
	"net/http"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// A request insists when it comes more than the tolerance before Retry-After, or a third time after a final refusal.
func TestInsisted(t *testing.T) {
	t.Parallel()
	began := time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)
	second, date := "1", began.Add(time.Second).Format(http.TimeFormat)
	for name, tt := range map[string]struct {
		status int
		after  string // of Retry-After
		waited []time.Duration
		want   bool
	}{
		"in time":                     {429, second, []time.Duration{time.Second}, false},
		"early, within the tolerance": {429, second, []time.Duration{time.Second - tolerance}, false},
		"early":                       {429, second, []time.Duration{time.Second - tolerance - 1}, true},
		"a date in time":              {429, date, []time.Duration{time.Second}, false},
		"a date, early":               {429, date, []time.Duration{time.Second - tolerance - 1}, true},
		"without Retry-After":         {429, "", []time.Duration{0, 0, 0}, false},
		"a refusal twice":             {403, "", []time.Duration{0}, false},
		"a refusal three times":       {403, "", []time.Duration{0, 0}, true},
		"a failure three times":       {500, "", []time.Duration{0, 0}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var a attempt
			at := began
			for _, waited := range append([]time.Duration{0}, tt.waited...) {
				at = at.Add(waited)
				e := &emulator.JournalEntry{Method: "GET", Path: "/verification-requests/vr_completed", Status: tt.status, Wall: at, Duration: time.Millisecond}
				at = at.Add(e.Duration)
				for name, value := range map[string]string{"Date": began.Format(http.TimeFormat), "Retry-After": tt.after} {
					e.ResponseHeaders = append(e.ResponseHeaders, struct {
						Name  string `json:"name"`
						Value string `json:"value"`
					}{name, value})
				}
				a.entries = append(a.entries, e)
			}
			if got := a.insisted(); got != "" != tt.want {
				t.Errorf("it says %q", got)
			}
		})
	}
}

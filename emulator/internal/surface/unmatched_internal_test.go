package surface

import (
	"testing"
	"time"
)

// A request outside any world has one line a minute, with the number of those that had none.
func TestUnmatchedLog(t *testing.T) {
	t.Parallel()
	l, began := &New(Config{}).unmatched, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		what, request string
		after         time.Duration
		unlogged      int
		due           bool
	}{
		{"the first", "/a", 0, 0, true},
		{"the same", "/a", time.Second, 0, false},
		{"another", "/b", 2 * time.Second, 0, true},
		{"the same, within the minute", "/a", time.Minute - 1, 0, false},
		{"after a minute", "/a", time.Minute, 2, true},
		{"within the next minute", "/a", 90 * time.Second, 0, false},
		{"after that", "/a", time.Hour, 1, true},
		{"another, that never came again", "/b", time.Hour, 0, true},
	} {
		if unlogged, due := l.due(tt.request, began.Add(tt.after)); unlogged != tt.unlogged || due != tt.due {
			t.Errorf("%s: %d, %v", tt.what, unlogged, due)
		}
	}
}

package clock_test

import (
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
)

// A machine's clock that is set back, again and again, leaves the steady one where it was; from there it goes on.
func TestSteady(t *testing.T) {
	t.Parallel()
	noon := time.Date(2025, time.January, 15, 12, 0, 0, 0, time.UTC)
	var machine time.Time
	steady := clock.Steady(clock.Clock{Wall: func() time.Time { return machine }})
	for _, tt := range []struct{ machine, want time.Duration }{
		{0, 0}, {-2 * time.Hour, 0}, {-time.Hour, time.Hour}, {-3 * time.Hour, time.Hour}, {-2 * time.Hour, 2 * time.Hour},
		{-4 * time.Hour, 2 * time.Hour}, {-4*time.Hour + time.Nanosecond, 2*time.Hour + time.Nanosecond}, {24 * time.Hour, 30 * time.Hour},
	} {
		machine = noon.Add(tt.machine)
		if got := steady.Wall().Sub(noon); got != tt.want {
			t.Errorf("with the machine at %v it is at %v, want %v", tt.machine, got, tt.want)
		}
	}
}

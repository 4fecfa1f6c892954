package emulatortest_test

import (
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// README shows this test.

func TestPolling(t *testing.T) {
	s := emulatortest.Run(t) // on a free port, until the test ends
	w := s.World(t)          // the world of this test alone; its clock stands
	client := s.Client(t)    // sends the key of that world

	if state := stateOf(client, s.URL, "vr_lifecycle_timed"); state != "pending-approval" {
		t.Errorf("at first the request is %s", state)
	}
	w.Advance(24 * time.Hour)
	if state := stateOf(client, s.URL, "vr_lifecycle_timed"); state != "completed" {
		t.Errorf("a day later the request is %s", state)
	}
}

package lab

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Hooked starts an emulator whose world has a subscription to a receiver.
func Hooked(t *testing.T, with ...string) (*apitest.Client, *Receiver) {
	t.Helper()
	c, r := Start(t), Receive(t)
	Subscribe(t, c, r.URL, with...)
	return c, r
}

// WaitFor waits until a receiver has n events, and returns them.
func WaitFor(t *testing.T, r *Receiver, n int) []string {
	t.Helper()
	Until(t, fmt.Sprintf("%d webhooks", n), func() bool { return len(r.Bodies()) >= n })
	return r.States(t)
}

// WantEvents waits for as many events as are wanted, and compares their states.
func WantEvents(t *testing.T, r *Receiver, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, WaitFor(t, r, len(want))); diff != "" {
		t.Error(diff)
	}
}

// Advance moves a clock on, and returns the answer's deliveries.
func Advance(t *testing.T, c *apitest.Client, by, want string) {
	t.Helper()
	PlayScript(t, c, `POST clock/advance {"by":"`+by+`"} → 200 …"deliveries":`+want)
}

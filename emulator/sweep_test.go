package emulator_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Issue 5, --world-ttl: looked for in the background, by the machine's clock, whatever the world's own shows.
func TestAWorldThatNobodyUsesIsForgottenInTheBackground(t *testing.T) {
	t.Parallel()
	var wall atomic.Int64
	wall.Store(epoch.UnixNano())
	looks := make(chan time.Duration) // each is the pause before one
	e, c := inGo(t, emulator.WithWorldTTL(time.Hour), emulator.WithClock(emulator.Clock{
		Frozen: epoch,
		Wall:   func() time.Time { return time.Unix(0, wall.Load()) },
		Pause: func(ctx context.Context, span time.Duration) error {
			select {
			case looks <- span:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	}))
	read(t, c, "vr_lifecycle")
	worlds := func() (n int) {
		for _, err := range e.Worlds(t.Context()) {
			noError(t, err)
			n++
		}
		return n
	}
	look := func() {
		if pause := <-looks; pause != 6*time.Minute {
			t.Errorf("it looks each %s", pause)
		}
		<-looks // it has looked
	}
	if look(); worlds() != 1 {
		t.Error("it is forgotten at once")
	}
	wall.Add(int64(66 * time.Minute))
	if look(); worlds() != 0 {
		t.Error("it is not forgotten")
	}
	if state := read(t, c, "vr_lifecycle").State; state != api.StatePendingApproval {
		t.Errorf("its key opens one that shows %s", state)
	}
}

func TestATimeToLiveThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, ttl := range []time.Duration{-time.Hour, time.Millisecond} {
		if _, err := emulator.New(emulator.WithWorldTTL(ttl)); err == nil {
			t.Errorf("%s is taken", ttl)
		}
	}
}

package emulator_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// sweeper is an emulator that looks for worlds that were not used for an hour, by the machine's clock.
type sweeper struct {
	*emulator.Emulator
	client *apitest.Client
	wall   atomic.Int64
	looks  chan time.Duration // each is the pause before one
}

func newSweeper(t *testing.T) *sweeper {
	t.Helper()
	s := &sweeper{looks: make(chan time.Duration)}
	s.wall.Store(epoch.UnixNano())
	s.Emulator, s.client = inGo(t, emulator.WithWorldTTL(time.Hour), emulator.WithClock(emulator.Clock{
		Frozen: epoch,
		Wall:   func() time.Time { return time.Unix(0, s.wall.Load()) },
		Pause: func(ctx context.Context, span time.Duration) error {
			select {
			case s.looks <- span:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	}))
	return s
}

// look lets a time pass, and has it look for worlds then.
func (s *sweeper) look(t *testing.T, later time.Duration) {
	t.Helper()
	s.wall.Add(int64(later))
	if pause := <-s.looks; pause != 6*time.Minute {
		t.Errorf("it looks each %s", pause)
	}
	<-s.looks // it has looked
}

// Contract 2, --world-ttl: looked for in the background, by the machine's clock, whatever the world's own shows.
func TestAWorldThatNobodyUsesIsForgottenInTheBackground(t *testing.T) {
	t.Parallel()
	s := newSweeper(t)
	read(t, s.client, "vr_lifecycle")
	worlds := func() (n int) {
		for _, err := range s.Worlds(t.Context()) {
			noError(t, err)
			n++
		}
		return n
	}
	if s.look(t, 0); worlds() != 1 {
		t.Error("it is forgotten at once")
	}
	if s.look(t, 66*time.Minute); worlds() != 0 {
		t.Error("it is not forgotten")
	}
	if state := read(t, s.client, "vr_lifecycle").State; state != api.StatePendingApproval {
		t.Errorf("its key opens one that shows %s", state)
	}
}

func TestWorldTTL_entries_of_a_forgotten_world_are_forgotten(t *testing.T) {
	t.Parallel()
	s := newSweeper(t)
	bytes := func() (n float64) {
		_, value, found := strings.Cut(string(s.client.Get("/_understudy/metrics").Body), "\nunderstudy_journal_bytes ")
		if _, err := fmt.Sscan(value, &n); !found || err != nil {
			t.Fatal("there is no understudy_journal_bytes")
		}
		return n
	}
	for range 20 {
		read(t, s.client, "vr_completed")
	}
	if s.look(t, 0); bytes() < 20<<10 {
		t.Fatalf("the journal has %v bytes", bytes())
	}
	if s.look(t, 66*time.Minute); bytes() != 0 {
		t.Errorf("of a world that is forgotten the journal has %v bytes", bytes())
	}
	if entries, _ := listed(t, s.client, ""); len(entries) != 0 {
		t.Errorf("its key opens one whose journal has %d entries", len(entries))
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

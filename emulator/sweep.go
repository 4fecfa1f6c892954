package emulator

import (
	"context"
	"sync"
)

// sweepsPerTTL is how often within the time to live of worlds those are looked for that were not used for it.
const sweepsPerTTL = 10

// sweeping is what looks for them in the background; the zero value does not.
type sweeping struct {
	stop    context.CancelFunc
	running sync.WaitGroup
}

// startSweeping begins, when worlds have a time to live.
func (e *Emulator) startSweeping() {
	config := e.worlds.Config()
	if config.TTL == 0 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	e.sweeping.stop = stop
	e.sweeping.running.Go(func() {
		for config.Clock.Wait(ctx, config.TTL/sweepsPerTTL) == nil {
			e.sweep(ctx)
		}
	})
}

// sweep forgets worlds, and logs how many.
func (e *Emulator) sweep(ctx context.Context) {
	forgotten, err := e.worlds.Sweep(ctx)
	if forgotten > 0 {
		e.log.Info("worlds forgotten that nobody used", "worlds", forgotten)
	}
	if err != nil && ctx.Err() == nil {
		e.figures.failures.Inc()
		e.log.Error("worlds that nobody used are not forgotten", "cause", err)
	}
}

// end waits for what is under way.
func (s *sweeping) end() {
	if s.stop != nil {
		s.stop()
		s.running.Wait()
	}
}

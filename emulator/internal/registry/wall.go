package registry

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
)

// Walls are the machine's clock as worlds see it: none sees it go back. They are safe for concurrent use.
type Walls struct {
	clock  clock.Clock
	shared bool          // the store, by other processes
	ttl    time.Duration // of an unused world; 0: for ever

	mu     sync.Mutex
	leads  *lru.Cache[string, *lead] // by the ids of their worlds
	newest int64                     // the highest generation that this process has seen
}

// NewWalls returns the walls of a process that has just begun.
func NewWalls(c clock.Clock, shared bool, ttl time.Duration) *Walls {
	leads, _ := lru.New[string, *lead](maxLeads) // it fails on a size below 1 only
	return &Walls{clock: c, shared: shared, ttl: ttl, leads: leads}
}

// lead is what this process has seen of the last-used time of a world, in one generation, and by how much the world's wall is ahead
// of the machine's clock.
type lead struct {
	generation  int64
	by          time.Duration
	used        time.Time
	seen, since time.Duration // by the clock's Elapsed: the last look, and that before it was used
}

const (
	maxLeads   = 16 << 10    // in memory: a world whose lead was evicted goes on from its last-used time
	shownEvery = time.Second // is UsedEvery of a running clock where no other process has the store
)

// Wall returns the machine's instant as a world sees it. When the last-used time is later, by the clock of another replica or
// because this one was set back before the process began, the world goes on from there; where no other process has the
// store, from after all that was shown. late is whether the last-used time is to be written: it may be as old as UsedEvery,
// and a comparison with the machine's clock does not show that.
func (w *Walls) Wall(id string, r Record) (wall time.Time, late bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !r.Used.IsZero() { // it is stored
		w.newest = max(w.newest, r.Generation)
	}
	now, elapsed := w.clock.Wall().UTC(), w.clock.Elapsed()
	every, after, alone := w.UsedEvery(), r.Used, r.Frozen == nil && !w.shared
	if alone {
		every = min(every, shownEvery)
	}
	l, ok := w.leads.Get(id)
	if !ok || l.generation != r.Generation {
		l = &lead{generation: r.Generation, seen: elapsed - every}
		w.leads.Add(id, l)
		if alone {
			after = after.Add(every)
		}
	}
	if !l.used.Equal(r.Used) {
		l.used, l.since = r.Used, l.seen
	}
	l.seen = elapsed
	if late = elapsed-l.since >= every || now.Add(l.by).Sub(r.Used) >= every; late {
		after = after.Add(1) // the use is another instant
	}
	l.by = max(l.by, after.Sub(now))
	return now.Add(l.by), late
}

// Skew returns by how much worlds are ahead of this machine's clock at most, see Wall.
func (w *Walls) Skew() (most time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.leads.Values() {
		most = max(most, l.by)
	}
	return most.Truncate(time.Millisecond)
}

// NewGeneration returns a number for the first generation of a world. The clock makes it differ from those of earlier worlds of
// the key; a journal in memory takes the highest of them for the last.
func (w *Walls) NewGeneration() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(w.newest+1, w.clock.Wall().UnixMicro())
}

// Purge deletes what this process has seen of a deleted world.
func (w *Walls) Purge(id string) { w.leads.Remove(id) }

// UsedEvery is how often a world's last-used time is written at most: once a minute, or ten times per TTL where that is
// more often. It is part of the world's record, so that all processes on a store respect it.
func (w *Walls) UsedEvery() time.Duration {
	if w.ttl == 0 {
		return time.Minute
	}
	return min(time.Minute, w.ttl/10)
}

package etcd

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// slowTime is how long a call waits for a replica before that is told.
const slowTime = time.Second

// absence tells the log that a replica is not in its group, and who is waited for: once, however often it is tried.
type absence struct {
	log      *slog.Logger
	elapsed  func() time.Duration
	rejoined atomic.Uint64

	mu    sync.Mutex
	away  bool
	since time.Duration // by elapsed
	slow  string        // the replica that was told last to be waited for, until it says something
}

// begin tells that the replica has left, and why.
func (a *absence) begin(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.away {
		return
	}
	a.away, a.since = true, a.elapsed()
	a.log.Warn("this replica has left its group: until it is back it asks etcd for everything", "cause", cause)
}

// end tells that the replica is back, if it was away.
func (a *absence) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.away {
		return
	}
	a.away = false
	a.rejoined.Add(1)
	a.log.Info("this replica is back in its group", "after", (a.elapsed() - a.since).Round(time.Millisecond))
}

// waitsFor tells that a replica is waited for.
func (a *absence) waitsFor(replica string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.slow == replica {
		return
	}
	a.slow = replica
	a.log.Warn("amendments wait for a replica, for as long as it has its lease: see whether it is overloaded, or cut off from etcd", "for", replica)
}

// hears notes that a replica has said something.
func (a *absence) hears(replica string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.slow == replica {
		a.slow = ""
	}
}

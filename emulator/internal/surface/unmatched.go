package surface

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// unmatchedLog chooses which requests outside any world get a log line at level info, so that a client in a loop fills no log.
type unmatchedLog struct {
	mu   sync.Mutex
	seen *lru.Cache[string, repetition] // by path and diagnosis
}

// repetition is when a request was logged, and how often it came since.
type repetition struct {
	logged   time.Time
	unlogged int
}

// due reports whether a request is to be logged: once a minute. It returns how many like it were not logged before.
func (l *unmatchedLog) due(request string, at time.Time) (unlogged int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, seen := l.seen.Get(request)
	if seen && at.Sub(last.logged) < time.Minute {
		l.seen.Add(request, repetition{last.logged, last.unlogged + 1})
		return 0, false
	}
	l.seen.Add(request, repetition{logged: at})
	return last.unlogged, true
}

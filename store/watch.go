package store

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// watchers are the open channels of Watch, each with its key prefix.
type watchers struct {
	mu   sync.Mutex
	open map[chan struct{}]string // nil once the store is closed
}

func (w *watchers) add(ctx context.Context, prefix string) (<-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return nil, ErrClosed
	}
	changed := make(chan struct{}, 1)
	w.open[changed] = prefix
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if _, ok := w.open[changed]; ok {
			delete(w.open, changed)
			close(changed)
		}
	})
	return changed, nil
}

// notify wakes the watchers of the changed keys.
func (w *watchers) notify(keys []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for changed, prefix := range w.open {
		if slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, prefix) }) {
			select {
			case changed <- struct{}{}:
			default: // a change is pending already
			}
		}
	}
}

func (w *watchers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for changed := range w.open {
		close(changed)
	}
	w.open = nil
}

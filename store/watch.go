package store

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// watchers are the channels of Watch in one process, each with its prefix.
type watchers struct {
	mu     sync.Mutex
	open   map[chan struct{}]string
	closed bool
}

func (w *watchers) add(ctx context.Context, prefix string) (<-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, ErrClosed
	}
	if w.open == nil {
		w.open = make(map[chan struct{}]string)
	}
	changed := make(chan struct{}, 1)
	w.open[changed] = prefix
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.remove(changed)
	})
	return changed, nil
}

// remove closes a channel once. The caller holds mu.
func (w *watchers) remove(changed chan struct{}) {
	if _, ok := w.open[changed]; ok {
		delete(w.open, changed)
		close(changed)
	}
}

// notify sends to those that watch one of the keys.
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
	w.closed = true
	for changed := range w.open {
		w.remove(changed)
	}
}

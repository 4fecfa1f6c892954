// Package watch re-reads folders of scenario files when something changes in them.
//
// It looks at the names, sizes and times of the files every [interval]. That finds every change within a second on every
// kind of mount: network and virtual machines' file systems that tell nothing, links whose target is changed elsewhere,
// folders that are put in another's place.
package watch

import (
	"time"

	"github.com/understudy-sandbox/understudy/scenarios"
)

const (
	interval = 400 * time.Millisecond // between two looks
	moment   = 40 * time.Millisecond  // in which nothing may change before a change is read: a save is several steps
	patience = 8                      // moments, after which it is read all the same
)

// Watcher looks at folders until it is closed.
type Watcher struct {
	folders []string
	seen    scenarios.Snapshot
	files   scenarios.Files // as last read
	changed func(scenarios.Files)

	ticks   <-chan time.Time
	moments func() <-chan time.Time // a channel that has an element after a moment
	closing chan struct{}
	closed  chan struct{}
}

// New reads folders, to be watched from [Watcher.Start] on. What changes in between is not missed.
func New(folders ...string) *Watcher {
	w := &Watcher{
		folders: folders,
		seen:    scenarios.Look(folders...),
		moments: func() <-chan time.Time { return time.After(moment) },
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
	}
	w.files = w.seen.Read()
	return w
}

// Files returns the files as New read them. Not to be called after Start.
func (w *Watcher) Files() scenarios.Files { return w.files }

// Start has changed called, by one goroutine, with the files whenever their contents are others than they were.
func (w *Watcher) Start(changed func(scenarios.Files)) {
	ticker := time.NewTicker(interval)
	w.ticks, w.changed = ticker.C, changed
	go func() {
		defer ticker.Stop()
		w.run()
	}()
}

// Close ends the watching: when it returns, changed is not called any more. It may be called once, after Start.
func (w *Watcher) Close() {
	close(w.closing)
	<-w.closed
}

func (w *Watcher) run() {
	defer close(w.closed)
	for {
		select {
		case <-w.closing:
			return
		case <-w.ticks:
			w.look()
		}
	}
}

// look reads the files when they look changed, and tells when they are.
func (w *Watcher) look() {
	now := scenarios.Look(w.folders...)
	if now.Same(w.seen) {
		return
	}
	now, ok := w.settle(now)
	if !ok {
		return
	}
	w.seen = now
	files := now.Read()
	if files.Same(w.files) {
		return
	}
	w.files = files
	w.changed(files)
}

// settle waits until nothing changes for a moment. It is not ok when the watcher is closed meanwhile.
func (w *Watcher) settle(now scenarios.Snapshot) (settled scenarios.Snapshot, ok bool) {
	for range patience {
		select {
		case <-w.closing:
			return now, false
		case <-w.moments():
		}
		next := scenarios.Look(w.folders...)
		if next.Same(now) {
			break
		}
		now = next
	}
	return now, true
}

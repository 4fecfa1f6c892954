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

// A change is read once two looks find the same, since a save is several steps, or at the last look that patience has: another
// file may never rest.
const (
	interval = 300 * time.Millisecond // between two looks
	patience = 3                      // looks
)

// Watcher looks at folders until it is closed.
type Watcher struct {
	folders []string
	seen    scenarios.Snapshot // at the last look
	files   scenarios.Files    // as last read
	unread  int                // looks since something has changed
	changed func(scenarios.Files)

	ticks   <-chan time.Time
	closing chan struct{}
	closed  chan struct{}
}

// New reads folders, to be watched from [Watcher.Start] on. What changes in between is not missed.
func New(folders ...string) *Watcher {
	seen := scenarios.Look(folders...)
	return &Watcher{
		folders: folders,
		seen:    seen,
		files:   seen.Read(),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
	}
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

// look reads the files once they have changed, and calls changed when their contents are others.
func (w *Watcher) look() {
	now := scenarios.Look(w.folders...)
	rests := now.Same(w.seen)
	if w.seen = now; rests && w.unread == 0 {
		return
	}
	if w.unread++; !rests && w.unread < patience {
		return
	}
	w.unread = 0
	if files := now.Read(); !files.Same(w.files) {
		w.files = files
		w.changed(files)
	}
}

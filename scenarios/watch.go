package scenarios

import "time"

// A change is read once two looks find the same, since a save is several steps, or at the last look that patience has: another
// file may never rest.
const (
	interval = 300 * time.Millisecond // between two looks
	patience = 3                      // looks
)

// Watcher re-reads folders of scenario files when something changes in them. It compares the names, sizes and times of the
// files at every interval, which finds a change within a second on every kind of mount: network and virtual machines' file
// systems send no events, and neither does a link whose target changes elsewhere.
type Watcher struct {
	folders []string
	seen    Snapshot // at the last look
	files   Files    // as last read
	unread  int      // looks since something has changed
	changed func(Files)

	ticks   <-chan time.Time
	closing chan struct{}
	closed  chan struct{}
}

// NewWatcher reads folders, to be watched from [Watcher.Start] on. What changes in between is not missed.
func NewWatcher(folders ...string) *Watcher {
	seen := Look(folders...)
	return &Watcher{
		folders: folders,
		seen:    seen,
		files:   seen.Read(),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
	}
}

// Files returns the files as NewWatcher read them. Not to be called after Start.
func (w *Watcher) Files() Files { return w.files }

// Start has changed called, by one goroutine, with the files whenever their contents are others than they were.
func (w *Watcher) Start(changed func(Files)) {
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
	now := Look(w.folders...)
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

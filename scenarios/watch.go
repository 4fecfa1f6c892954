package scenarios

import "time"

// A change is read once two listings in a row are the same, since saving a file takes several steps; or at the third
// listing, when another file changes all the time.
const (
	interval    = 300 * time.Millisecond // between two listings
	maxListings = 3                      // before a change is read
	readEvery   = 10                     // listings: a change may leave size and time as they were
)

// Watcher reads folders of scenario files again when they change. It compares the names, sizes and times of the files at an
// interval, which finds a change within a second on every mount, and their contents at a longer one. File system events would not: network and virtual machine
// file systems send none, nor do links whose target changes.
type Watcher struct {
	folders []string
	listed  listing // the last listing
	files   Files   // as last read
	pending int     // listings since the change that is not yet read
	polls   int
	changed func(Files)

	ticks   <-chan time.Time
	closing chan struct{}
	closed  chan struct{}
}

// NewWatcher reads folders, to be watched from [Watcher.Start] on. It does not miss a change between the two.
func NewWatcher(folders ...string) *Watcher {
	listed := list(folders...)
	return &Watcher{
		folders: folders,
		listed:  listed,
		files:   listed.read(),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
	}
}

// Files returns the files that NewWatcher has read. It must not be called after Start.
func (w *Watcher) Files() Files { return w.files }

// Start calls changed with the files whenever their contents have changed, always from one goroutine.
func (w *Watcher) Start(changed func(Files)) {
	ticker := time.NewTicker(interval)
	w.ticks, w.changed = ticker.C, changed
	go func() {
		defer ticker.Stop()
		w.run()
	}()
}

// Close stops the watcher and waits for a call of changed to return. It must be called once, after Start.
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
			w.poll()
		}
	}
}

// poll lists the files, reads them after a change, and calls changed when their contents differ.
func (w *Watcher) poll() {
	now := list(w.folders...)
	unchanged := now.same(w.listed)
	w.polls++
	if w.listed = now; unchanged && w.pending == 0 && w.polls%readEvery > 0 {
		return
	}
	if w.pending++; !unchanged && w.pending < maxListings {
		return
	}
	w.pending = 0
	if files := now.read().refill(w.files); !files.same(w.files) {
		w.files = files
		w.changed(files)
	}
}

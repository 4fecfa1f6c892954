package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

// disk is what stores have committed: it stays when processes die. Transactions are optimistic, as etcd's are.
type disk struct {
	mu       sync.Mutex
	keys     []string // in ascending order
	values   map[string][]byte
	revision int
	changed  map[string]int // the revision of the last change of a key, also of one that is gone
	watchers map[*watcher]bool
	watched  int
}

type watcher struct {
	machine *machine
	prefix  string
	number  int // of the watchers before
	changed chan struct{}
	behind  bool // has not received the last changes
}

// behind returns the watchers that have not received the last changes, in a fixed order.
func (d *disk) behind() (all []*watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.watchers {
		if w.behind {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b *watcher) int {
		return cmp.Or(cmp.Compare(a.machine.name, b.machine.name), cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.number, b.number))
	})
	return all
}

// notify lets a watcher receive what has changed.
func (w *watcher) notify() {
	w.behind = false
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

func newDisk() *disk {
	return &disk{values: make(map[string][]byte), changed: make(map[string]int), watchers: make(map[*watcher]bool)}
}

// has reports whether there is a key with a prefix.
func (d *disk) has(prefix string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.keys, func(key string) bool { return strings.HasPrefix(key, prefix) })
}

// attempt is one run of a transaction's function on a snapshot.
type attempt struct {
	ctx      context.Context
	disk     *disk
	revision int
	at       time.Time
	reads    []string
	scans    []scan
	writes   []store.Entry
	err      error // of the function
}

type scan struct{ prefix, after, upto string } // upto "": to the end of the prefix

// try runs a function on the present snapshot.
func (d *disk) try(ctx context.Context, update bool, fn func(store.Tx) error) *attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := &attempt{ctx: ctx, disk: d, revision: d.revision, at: time.Now()}
	if !update {
		a.err = fn(a)
		return a
	}
	buffer := store.NewBuffer(a)
	a.err = fn(buffer)
	for _, w := range buffer.Writes() {
		if old, ok := d.values[w.Key]; ok != (w.Value != nil) || string(old) != string(w.Value) {
			a.writes = append(a.writes, store.Entry{Key: w.Key, Value: slices.Clone(w.Value)})
		}
	}
	return a
}

func (a *attempt) Get(key string) ([]byte, error) {
	a.reads = append(a.reads, key)
	return a.disk.values[key], nil
}

func (a *attempt) Scan(prefix, after string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		at, _ := slices.BinarySearch(a.disk.keys, max(prefix, after+"\x00"))
		for ; at < len(a.disk.keys) && strings.HasPrefix(a.disk.keys[at], prefix); at++ {
			key := a.disk.keys[at]
			if err := a.ctx.Err(); err != nil {
				yield(store.Entry{}, err)
				return
			}
			if !yield(store.Entry{Key: key, Value: a.disk.values[key]}, nil) {
				a.scans = append(a.scans, scan{prefix, after, key})
				return
			}
		}
		a.scans = append(a.scans, scan{prefix, after, ""})
	}
}

func (a *attempt) Put(string, []byte) error { return store.ErrReadOnly }

func (a *attempt) Delete(string) error { return store.ErrReadOnly }

// String names what an attempt reads, by which parked calls differ.
func (a *attempt) String() string {
	names := slices.Clone(a.reads)
	for _, s := range a.scans {
		names = append(names, s.prefix+"…")
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// stale reports whether something that the attempt has read has changed since.
func (a *attempt) stale() bool {
	for _, key := range a.reads {
		if a.disk.changed[key] > a.revision {
			return true
		}
	}
	for _, s := range a.scans {
		for key, revision := range a.disk.changed {
			if revision > a.revision && strings.HasPrefix(key, s.prefix) && key > s.after && (s.upto == "" || key <= s.upto) {
				return true
			}
		}
	}
	return false
}

// old reports whether anything at all has changed since, or time has passed.
func (a *attempt) old() bool { return a.disk.revision != a.revision || !time.Now().Equal(a.at) }

// commit makes the writes, unless something that was read has changed.
func (a *attempt) commit() (ok bool) {
	d := a.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.stale() {
		return false
	}
	if len(a.writes) > 0 {
		d.revision++
	}
	for _, w := range a.writes {
		at, found := slices.BinarySearch(d.keys, w.Key)
		switch {
		case w.Value == nil && !found:
			continue // somebody else has deleted it
		case w.Value == nil:
			d.keys = slices.Delete(d.keys, at, at+1)
			delete(d.values, w.Key)
		case !found:
			d.keys = slices.Insert(d.keys, at, w.Key)
			fallthrough
		default:
			d.values[w.Key] = w.Value
		}
		d.changed[w.Key] = d.revision
	}
	for w := range d.watchers {
		w.behind = w.behind || slices.ContainsFunc(a.writes, func(e store.Entry) bool { return strings.HasPrefix(e.Key, w.prefix) })
		if w.behind && w.machine.sim.free {
			w.notify()
		}
	}
	return true
}

// unwatch closes the channels of some watchers, which may have missed changes.
func (d *disk) unwatch(of func(*watcher) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.watchers {
		if of(w) {
			delete(d.watchers, w)
			close(w.changed)
		}
	}
}

// verdict is what becomes of a parked call.
type verdict int

const (
	goOn      verdict = iota
	retry             // the snapshot is gone: once more
	refuse            // it fails, and nothing is committed
	drop              // its outcome is unknown, and nothing is committed
	lose              // its outcome is unknown, and it is committed
	dieBefore         // the process dies before the commit
	dieAfter          // the process dies after the commit, before it learns that
)

func (v verdict) String() string {
	return [...]string{"goes on", "has to begin again", "is refused", "is lost on its way", "is carried out, but the answer is lost", "dies before the commit", "dies after the commit"}[v]
}

var (
	errDead     = errors.New("the process is dead")
	errRefused  = errors.New("the simulated store refuses")
	errNoAnswer = fmt.Errorf("%w: the simulated answer is lost", store.ErrOutcomeUnknown)
)

func (m *machine) View(ctx context.Context, fn func(store.Tx) error) error {
	return m.transact(ctx, "reads", false, fn)
}

func (m *machine) Update(ctx context.Context, fn func(store.Tx) error) error {
	return m.transact(ctx, "writes", true, fn)
}

func (m *machine) transact(ctx context.Context, what string, update bool, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.running.Add(1)
	defer m.running.Done()
	for {
		if m.dead.Load() {
			return store.ErrClosed
		}
		a := m.sim.disk.try(ctx, update, fn)
		p := &parked{machine: m, by: callerOf(ctx), what: what, on: a.String(), changes: len(a.writes)}
		v := m.sim.park(p)
		if update && !m.Shared() && !m.sim.free && a.old() { // one process: bbolt runs one writer after another
			a = m.sim.disk.try(ctx, true, fn)
		}
		if v == dieAfter {
			defer m.sim.kill(m)
		}
		switch full := m.sim.full && len(a.writes) > 0; {
		case m.dead.Load() || v == dieBefore:
			return errDead
		case v == refuse || m.offline:
			return errRefused
		case v == drop && update:
			return errNoAnswer
		case full:
			return fmt.Errorf("%w: %w", errRefused, syscall.ENOSPC)
		case v == retry:
			continue
		case !update || a.err != nil:
			return a.err
		case !a.commit():
			if v == dieAfter {
				return errDead
			}
			continue
		}
		m.sim.committed(p, a)
		if v == lose {
			return errNoAnswer
		}
		return nil
	}
}

func (m *machine) Watch(ctx context.Context, prefix string) (<-chan struct{}, error) {
	v := m.sim.park(&parked{machine: m, by: callerOf(ctx), what: "watches", on: prefix})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case m.dead.Load():
		return nil, store.ErrClosed
	case v == refuse || m.offline:
		return nil, errRefused
	}
	w := &watcher{machine: m, prefix: prefix, changed: make(chan struct{}, 1)}
	m.sim.disk.mu.Lock()
	m.sim.disk.watched++
	w.number = m.sim.disk.watched
	m.sim.disk.watchers[w] = true
	m.sim.disk.mu.Unlock()
	context.AfterFunc(ctx, func() { m.sim.disk.unwatch(func(other *watcher) bool { return other == w }) })
	return w.changed, nil
}

// Ready is the answer of a store without a call that waits.
func (m *machine) Ready(context.Context) error {
	switch {
	case m.dead.Load():
		return store.ErrClosed
	case m.offline:
		return errRefused
	case m.sim.full:
		return syscall.ENOSPC
	}
	return nil
}

func (m *machine) Shared() bool { return m.sim.plan.machines > 1 }

func (m *machine) String() string { return "simulated:" }

// Close closes the store once no transaction runs.
func (m *machine) Close() error {
	if !m.dead.Load() {
		m.running.Wait()
	}
	m.dead.Store(true)
	m.sim.disk.unwatch(func(w *watcher) bool { return w.machine == m })
	return nil
}

// Package journal keeps what was asked of each world, what was answered, and why: the last requests of every world,
// without keys and social security numbers. It keeps them in memory, or in a store where all replicas find them.
package journal

import (
	"context"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// DefaultSize is how many requests are kept a world unless another number is wanted.
const DefaultSize = 1000

// Journal is the journal of all worlds. A world is known by its id and its generation: a new generation begins with
// nothing, and what still comes from the one before is nobody's. It is safe for concurrent use, and adding to it waits
// for no reader and for no store. An error says that the store of a shared one cannot be read or written.
type Journal struct {
	size   int // entries a world; 0: none
	memory *memory
	shared *shared // nil: they are kept in memory
	keeper         // the one or the other
}

// keeper keeps entries. Its methods are described with those of [Journal].
type keeper interface {
	append(world string, generation int64, e *Entry)
	read(ctx context.Context, world string, generation int64) (entries []*Entry, dropped uint64, err error)
	restore(ctx context.Context, world string, generation int64, entries []*Entry, dropped uint64) error
	clear(ctx context.Context, world string, generation int64) error
	renew(world string, generation int64)
	forget(world string)
	watch(world string) (wake <-chan struct{}, stop func())
	end(ctx context.Context, world string, generation int64) (Cursor, error)
	since(ctx context.Context, world string, from Cursor) (News, error)
}

// New returns a journal in memory that keeps a number of requests a world; 0 keeps none.
func New(size int) *Journal {
	m := newMemory(size)
	return &Journal{size: size, memory: m, keeper: m}
}

// ErrOff is the error of every look into a journal that keeps nothing.
var ErrOff = api.Because(http.StatusConflict, "The journal is off: serve with a --journal-size above 0")

// On reports whether anything is kept.
func (j *Journal) On() bool { return j.size > 0 }

// Size returns how many requests are kept a world.
func (j *Journal) Size() int { return j.size }

// Append adds an entry to a world's journal, which owns it from now on, and numbers it: at once in memory, and in a store
// when it is written there, at most a second later. No reader misses an entry that was added before, on whatever replica,
// unless that was killed, or lost touch with the store, before it wrote it.
func (j *Journal) Append(world string, generation int64, e *Entry) {
	if j.On() {
		j.append(world, generation, e)
	}
}

// Read returns the entries of a world, the oldest first, and how many earlier ones are no longer kept. The caller owns
// the slice; the entries are everybody's and do not change.
func (j *Journal) Read(ctx context.Context, world string, generation int64) (entries []*Entry, dropped uint64, err error) {
	if !j.On() {
		return nil, 0, nil
	}
	return j.read(ctx, world, generation)
}

// Restore makes the journal of a generation what [Journal.Read] returned elsewhere: entries in order, with their numbers,
// and how many earlier ones had been dropped. Of more than are kept a world the last ones stay. What was asked in the
// generation already comes behind them.
func (j *Journal) Restore(ctx context.Context, world string, generation int64, entries []*Entry, dropped uint64) error {
	if !j.On() {
		return nil
	}
	return j.restore(ctx, world, generation, entries, dropped)
}

// Clear forgets the entries of a world. Those that come next are numbered on.
func (j *Journal) Clear(ctx context.Context, world string, generation int64) error {
	if !j.On() {
		return nil
	}
	return j.clear(ctx, world, generation)
}

// Renew begins a generation of a world, and tells those who watch. In a store it began with the world itself.
func (j *Journal) Renew(world string, generation int64) { j.renew(world, generation) }

// Forget forgets a world and all about it. In a store that went with the world itself.
func (j *Journal) Forget(world string) { j.forget(world) }

// Watch returns a channel that is sent to, at most once until it is received from, when a world has new entries or is
// reset, and what ends that. Nobody who adds entries waits for who watches.
func (j *Journal) Watch(world string) (wake <-chan struct{}, stop func()) { return j.watch(world) }

// End returns the place behind the last entry of a world.
func (j *Journal) End(ctx context.Context, world string, generation int64) (Cursor, error) {
	return j.end(ctx, world, generation)
}

// Since returns what came behind a place, in the world that is there now. On another replica than it was answered by, an
// entry comes at most a second later.
func (j *Journal) Since(ctx context.Context, world string, from Cursor) (News, error) {
	return j.since(ctx, world, from)
}

// Held returns how many bytes the entries take in this process, about: of a journal in a store those that are yet to be
// written.
func (j *Journal) Held() int64 {
	if j.shared != nil {
		return j.shared.queue.held()
	}
	return j.memory.held.Load()
}

// Dropped returns how many entries are no longer kept, of all worlds and since the beginning: because their world has
// newer ones, and because all took too much. In a store that is not counted.
func (j *Journal) Dropped() (overrun, evicted uint64) {
	if j.shared != nil {
		return 0, 0
	}
	return j.memory.overrun.Load(), j.memory.evicted.Load()
}

// Writes are the figures of a journal in a store, in entries; of one in memory they are 0.
type Writes struct {
	Gathered int    // are yet to be written
	Written  uint64 // since the beginning, by this process
	Dropped  uint64 // were not written: the store could not take them, or not as fast as they came
}

// Writes returns the figures as they are now.
func (j *Journal) Writes() Writes {
	if j.shared == nil {
		return Writes{}
	}
	return j.shared.queue.figures()
}

// Close writes what is gathered to the store, as far as it can until ctx ends. Nothing may be added any more.
func (j *Journal) Close(ctx context.Context) error {
	if j.shared == nil {
		return nil
	}
	return j.shared.close(ctx)
}

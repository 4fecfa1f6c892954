// Package journal keeps what was asked of each world, what was answered, and why: the last requests of every world, in
// memory, without keys and social security numbers.
package journal

import (
	"container/list"
	"hash/maphash"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const (
	// DefaultSize is how many requests are kept a world unless another number is wanted.
	DefaultSize = 1000

	// maxBytes is what all worlds' entries may take together, about. Above it, those of the world go first that was
	// not used for the longest time.
	maxBytes = 64 << 20

	// mostForgotten is how many worlds are known, a shard, to have had entries that had to go.
	mostForgotten = 4096

	shards = 16
)

// Journal is the journal of all worlds. A world is known by its id and its generation: a new generation begins with
// nothing, and what still comes from the one before is nobody's. It is safe for concurrent use, and adding to it waits
// for no reader.
type Journal struct {
	size     int   // entries a world; 0: none
	most     int64 // bytes
	held     atomic.Int64
	overrun  atomic.Uint64 // entries that had to go for another one of their world
	evicted  atomic.Uint64 // entries that had to go for those of other worlds
	clock    atomic.Int64  // counts uses of worlds, so that they can be ordered
	clearing sync.Mutex
	seed     maphash.Seed
	shards   [shards]shard
}

// shard has the books of some worlds.
type shard struct {
	mu        sync.Mutex
	books     map[string]*book
	used      list.List // of the books that have entries; the front was used last
	forgotten list.List // of those that had some; the front lost them last
	bodies    map[*byte]*sharedBody
	watchers  map[string][]chan struct{}
}

// New returns a journal that keeps a number of requests a world; 0 keeps none.
func New(size int) *Journal {
	j := &Journal{size: size, most: maxBytes, seed: maphash.MakeSeed()}
	for i := range j.shards {
		s := &j.shards[i]
		s.books, s.bodies, s.watchers = make(map[string]*book), make(map[*byte]*sharedBody), make(map[string][]chan struct{})
	}
	return j
}

// ErrOff is the error of every look into a journal that keeps nothing.
var ErrOff = api.Because(http.StatusConflict, "The journal is off: serve with a --journal-size above 0")

// On reports whether anything is kept.
func (j *Journal) On() bool { return j.size > 0 }

// Held returns how many bytes the entries of all worlds take, about.
func (j *Journal) Held() int64 { return j.held.Load() }

// Dropped returns how many entries are no longer kept, of all worlds and since the beginning: because their world has
// newer ones, and because all took too much.
func (j *Journal) Dropped() (overrun, evicted uint64) { return j.overrun.Load(), j.evicted.Load() }

// Size returns how many requests are kept a world.
func (j *Journal) Size() int { return j.size }

func (j *Journal) shard(world string) *shard {
	return &j.shards[maphash.String(j.seed, world)%shards]
}

// Append adds an entry to a world's journal, which owns it from now on, and numbers it.
func (j *Journal) Append(world string, generation int64, e *Entry) {
	if !j.On() {
		return
	}
	used := j.clock.Add(1)
	j.shard(world).append(j, world, generation, used, e)
	j.keepWithin(used)
}

func (s *shard) append(j *Journal, world string, generation, used int64, e *Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.book(world)
	if generation < b.generation {
		return
	}
	if generation > b.generation {
		j.held.Add(-s.renew(b, generation))
	}
	s.list(b, &s.used)
	b.used = used
	b.last++
	e.Sequence = b.last
	s.put(j, b, e)
	for _, wake := range s.watchers[world] {
		notify(wake)
	}
}

// book returns the book of a world, a new one when there is none.
func (s *shard) book(world string) *book {
	b := s.books[world]
	if b == nil {
		b = &book{world: world}
		s.books[world] = b
	}
	return b
}

// list puts a book at the front of one of the lists, and takes it out of the other.
func (s *shard) list(b *book, in *list.List) {
	switch {
	case b.listed == in:
		in.MoveToFront(b.element)
		return
	case b.listed != nil:
		b.listed.Remove(b.element)
	}
	b.listed, b.element = in, in.PushFront(b)
}

// Read returns the entries of a world, the oldest first, and how many earlier ones are no longer kept. The caller owns
// the slice; the entries are everybody's and do not change.
func (j *Journal) Read(world string, generation int64) (entries []*Entry, dropped uint64) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.books[world]
	if b == nil || b.generation != generation {
		return nil, 0
	}
	return b.entries(0), b.dropped
}

// Restore makes the journal of a generation what [Journal.Read] returned elsewhere: entries in order, with their numbers,
// and how many earlier ones had been dropped. Of more than are kept a world the last ones stay. What was asked in the
// generation already comes behind them.
func (j *Journal) Restore(world string, generation int64, entries []*Entry, dropped uint64) {
	if !j.On() {
		return
	}
	used := j.clock.Add(1)
	j.shard(world).restore(j, world, generation, used, entries, dropped)
	j.keepWithin(used)
}

func (s *shard) restore(j *Journal, world string, generation, used int64, entries []*Entry, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.book(world)
	if generation < b.generation {
		return
	}
	var meanwhile []*Entry
	if generation == b.generation {
		meanwhile = b.entries(0)
	}
	j.held.Add(-s.renew(b, generation))
	s.list(b, &s.used)
	b.used, b.dropped = used, dropped
	for _, e := range entries {
		b.last = e.Sequence
		s.put(j, b, e)
	}
	for _, e := range meanwhile {
		later := *e // somebody may be reading it
		b.last++
		later.Sequence = b.last
		s.put(j, b, &later)
	}
	for _, wake := range s.watchers[world] {
		notify(wake)
	}
}

// Clear forgets the entries of a world. Those that come next are numbered on.
func (j *Journal) Clear(world string, generation int64) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.books[world]; b != nil && b.generation == generation {
		j.held.Add(-s.empty(b))
		b.dropped = 0
	}
}

// Renew begins a generation of a world, and tells those who watch.
func (j *Journal) Renew(world string, generation int64) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.books[world]
	if b == nil && len(s.watchers[world]) == 0 {
		return
	}
	if b = s.book(world); generation > b.generation {
		j.held.Add(-s.renew(b, generation))
	}
	for _, wake := range s.watchers[world] {
		notify(wake)
	}
}

// renew makes a book one of another generation, and returns what that frees.
func (s *shard) renew(b *book, generation int64) (freed int64) {
	freed = s.empty(b)
	b.generation, b.last, b.dropped = generation, 0, 0
	return freed
}

// Forget forgets a world and all about it.
func (j *Journal) Forget(world string) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.books[world]; b != nil {
		j.held.Add(-s.empty(b))
		s.remove(b)
	}
}

func (s *shard) remove(b *book) {
	if b.listed != nil {
		b.listed.Remove(b.element)
	}
	delete(s.books, b.world)
}

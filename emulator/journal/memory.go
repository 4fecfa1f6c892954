package journal

import (
	"container/list"
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

const (
	// maxBytes is what all worlds' entries may take together, about. Above it, those of the world go first that was
	// not used for the longest time.
	maxBytes = 64 << 20

	// mostForgotten is how many worlds are known, a shard, to have had entries that had to go.
	mostForgotten = 4096

	shards = 16
)

// memory keeps the entries of all worlds in memory.
type memory struct {
	size     int   // entries a world
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

func newMemory(size int) *memory {
	j := &memory{size: size, most: maxBytes, seed: maphash.MakeSeed()}
	for i := range j.shards {
		s := &j.shards[i]
		s.books, s.bodies, s.watchers = make(map[string]*book), make(map[*byte]*sharedBody), make(map[string][]chan struct{})
	}
	return j
}

func (j *memory) shard(world string) *shard {
	return &j.shards[maphash.String(j.seed, world)%shards]
}

func (j *memory) append(world string, generation int64, e *Entry) {
	used := j.clock.Add(1)
	j.shard(world).append(j, world, generation, used, e)
	j.keepWithin(used)
}

func (s *shard) append(j *memory, world string, generation, used int64, e *Entry) {
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

func (j *memory) read(_ context.Context, world string, generation int64) (entries []*Entry, dropped uint64, err error) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.books[world]
	if b == nil || b.generation != generation {
		return nil, 0, nil
	}
	return b.entries(0), b.dropped, nil
}

func (j *memory) restore(_ context.Context, world string, generation int64, entries []*Entry, dropped uint64) error {
	used := j.clock.Add(1)
	j.shard(world).restore(j, world, generation, used, entries, dropped)
	j.keepWithin(used)
	return nil
}

func (s *shard) restore(j *memory, world string, generation, used int64, entries []*Entry, dropped uint64) {
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

func (j *memory) clear(_ context.Context, world string, generation int64) error {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.books[world]; b != nil && b.generation == generation {
		j.held.Add(-s.empty(b))
		b.dropped = 0
	}
	return nil
}

func (j *memory) renew(world string, generation int64) {
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

func (j *memory) forget(world string) {
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

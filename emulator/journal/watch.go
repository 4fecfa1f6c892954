package journal

import (
	"context"
	"slices"
)

// Cursor is how far somebody has read in the journal of a world.
type Cursor struct {
	generation int64
	sequence   uint64
}

func (j *memory) watch(world string) (wake <-chan struct{}, stop func()) {
	s := j.shard(world)
	watcher := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[world] = append(s.watchers[world], watcher)
	return watcher, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.watchers[world] = slices.DeleteFunc(s.watchers[world], func(w chan struct{}) bool { return w == watcher })
		if len(s.watchers[world]) == 0 {
			delete(s.watchers, world)
		}
	}
}

func notify(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // it has not been heard yet
	}
}

func (j *memory) end(_ context.Context, world string, generation int64) (Cursor, error) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.books[world]; b != nil && b.generation == generation {
		return Cursor{generation, b.last}, nil
	}
	return Cursor{generation: generation}, nil
}

// Start returns the place before all entries of a generation.
func Start(generation int64) Cursor { return Cursor{generation: generation} }

// Behind returns the place behind an entry.
func Behind(generation int64, e *Entry) Cursor { return Cursor{generation, e.Sequence} }

// News are the entries behind a place, oldest first.
type News struct {
	Entries []*Entry
	Missed  uint64 // how many came behind the place, before these, and are no longer kept
	Anew    bool   // the world was reset meanwhile, or forgotten: these are the new one's
	Next    Cursor // the place behind the last
}

func (j *memory) since(_ context.Context, world string, from Cursor) (News, error) {
	s := j.shard(world)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.books[world]
	if b == nil || b.generation < from.generation {
		return News{Next: from}, nil
	}
	news := News{Next: Cursor{b.generation, b.last}}
	if b.generation > from.generation {
		news.Anew, from.sequence = true, 0
	}
	news.Entries = b.entries(from.sequence)
	if b.last > from.sequence {
		news.Missed = b.last - from.sequence - uint64(len(news.Entries))
	}
	return news, nil
}

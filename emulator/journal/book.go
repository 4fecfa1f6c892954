package journal

import "container/list"

// book has the entries of one generation of a world, in a ring.
type book struct {
	world      string
	generation int64
	ring       []*Entry // grows to the journal's size and then goes round
	oldest     int      // where it begins
	last       uint64   // the number of the last entry
	dropped    uint64   // how many entries had to go
	used       int64    // when, in uses of all worlds

	listed  *list.List // that has it; nil: none yet
	element *list.Element
}

// add adds an entry, and returns the one that had to go for it, nil when there is room.
func (b *book) add(e *Entry, size int) (gone *Entry) {
	if len(b.ring) < size {
		b.ring = append(b.ring, e)
		return nil
	}
	gone, b.ring[b.oldest] = b.ring[b.oldest], e
	b.oldest = (b.oldest + 1) % len(b.ring)
	b.dropped++
	return gone
}

// put adds an entry to a book.
func (s *shard) put(j *memory, b *book, e *Entry) {
	change := s.charge(e)
	if oldest := b.add(e, j.size); oldest != nil {
		change -= s.discharge(oldest)
		j.overrun.Add(1)
	}
	j.held.Add(change)
}

// entries returns those behind a number, in order.
func (b *book) entries(behind uint64) []*Entry {
	kept := uint64(len(b.ring))
	skip := uint64(0)
	if first := b.last - kept + 1; behind >= first {
		skip = min(behind-first+1, kept)
	}
	entries := make([]*Entry, 0, kept-skip)
	older, newer := b.ring[b.oldest:], b.ring[:b.oldest]
	if skip >= uint64(len(older)) {
		return append(entries, newer[skip-uint64(len(older)):]...)
	}
	return append(append(entries, older[skip:]...), newer...)
}

// sharedBody is a body that several entries have.
type sharedBody struct {
	entries int
	size    int64
}

// sharedFrom is from what length on a body is looked up among those that other entries have, in bytes.
const sharedFrom = 1 << 10

// charge returns what an entry adds to the bytes that are held. The bytes of a document that is answered many times are
// there once.
func (s *shard) charge(e *Entry) int64 {
	size := e.size()
	body := e.answer.text
	if len(body) < sharedFrom {
		return size + int64(len(body))
	}
	shared := s.bodies[&body[0]]
	if shared == nil {
		shared = &sharedBody{size: int64(len(body))}
		s.bodies[&body[0]] = shared
		size += shared.size
	}
	shared.entries++
	return size
}

// discharge returns what is free when an entry goes.
func (s *shard) discharge(e *Entry) int64 {
	size := e.size()
	body := e.answer.text
	if len(body) < sharedFrom {
		return size + int64(len(body))
	}
	shared := s.bodies[&body[0]]
	shared.entries--
	if shared.entries == 0 {
		delete(s.bodies, &body[0])
		size += shared.size
	}
	return size
}

// empty lets all entries of a book go, and returns what that frees. The book is known for a while yet, so that it can be
// told how many there were.
func (s *shard) empty(b *book) (freed int64) {
	for _, e := range b.ring {
		freed += s.discharge(e)
	}
	b.ring, b.oldest = nil, 0
	s.list(b, &s.forgotten)
	if s.forgotten.Len() > mostForgotten {
		s.remove(s.forgotten.Back().Value.(*book))
	}
	return freed
}

// halve lets the older half of a book's entries go, at least one, and returns what that frees.
func (s *shard) halve(b *book) (freed int64) {
	entries := b.entries(0)
	half := (len(entries) + 1) / 2
	for _, e := range entries[:half] {
		freed += s.discharge(e)
	}
	b.ring, b.oldest = append([]*Entry(nil), entries[half:]...), 0
	b.dropped += uint64(half)
	return freed
}

// keepWithin has entries go when all together take too much, unless somebody is at it.
func (j *memory) keepWithin(now int64) {
	if j.held.Load() > j.most && j.clearing.TryLock() {
		j.makeRoom(now)
		j.clearing.Unlock()
	}
}

// makeRoom lets entries go until the others are few enough: those of the worlds that were not used for the longest time,
// and at last the older ones of the world that was used just now.
func (j *memory) makeRoom(now int64) {
	for j.held.Load() > j.most {
		s := j.longestUnused()
		if s == nil {
			return
		}
		s.mu.Lock()
		if last := s.used.Back(); last != nil {
			b := last.Value.(*book)
			before := b.dropped
			j.held.Add(-s.letGo(b, now))
			j.evicted.Add(b.dropped - before)
		}
		s.mu.Unlock()
	}
}

// longestUnused returns the shard with the book that was not used for the longest time.
func (j *memory) longestUnused() (found *shard) {
	var earliest int64
	for i := range j.shards {
		s := &j.shards[i]
		s.mu.Lock()
		if last := s.used.Back(); last != nil {
			if used := last.Value.(*book).used; found == nil || used < earliest {
				found, earliest = s, used
			}
		}
		s.mu.Unlock()
	}
	return found
}

// letGo lets entries of a book go and returns what that frees.
func (s *shard) letGo(b *book, now int64) (freed int64) {
	if b.used >= now && len(b.ring) > 1 {
		return s.halve(b)
	}
	b.dropped += uint64(len(b.ring))
	return s.empty(b)
}

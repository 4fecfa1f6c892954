package journal

import (
	"container/list"
	"context"
	"slices"
	"sync"
)

const (
	maxBytes = 64 << 20 // of all worlds, about
	ringSize = 512      // bytes of a ring without entries
)

// rings have the entries of all worlds in memory.
type rings struct {
	size   int   // entries a world
	budget int64 // bytes of all worlds

	mu       sync.Mutex
	rings    map[Place]*ring
	current  map[string]int64 // generations of worlds; a ring of a later one is restored and has not begun
	used     list.List        // all rings, the most recently used first
	watchers map[string][]chan struct{}
	bytes    int64
	overrun  uint64 // entries that made room for one of their world
	evicted  uint64 // entries that made room for those of other worlds
}

// ring is a ring buffer of the entries of a place.
type ring struct {
	place Place
	counters
	entries []*Entry // grows to the size of the journal, and wraps around then
	oldest  int      // its index
	element *list.Element
}

func newRings(size int) *rings {
	return &rings{
		size: size, budget: maxBytes,
		rings: make(map[Place]*ring), current: make(map[string]int64), watchers: make(map[string][]chan struct{}),
	}
}

func (m *rings) append(_ context.Context, p Place, e *Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.begin(p)
	if r == nil {
		return nil
	}
	r.Last++
	e.Sequence = r.Last
	m.put(r, e)
	m.evict(r)
	m.wake(p.World)
	return nil
}

// begin returns the ring of a place, which replaces one of an older generation; nil when there is one of a newer.
func (m *rings) begin(p Place) *ring {
	generation, ok := m.current[p.World]
	if ok && generation > p.Generation {
		return nil
	}
	if ok && generation < p.Generation {
		m.remove(m.rings[Place{p.World, generation}])
	}
	m.current[p.World] = p.Generation
	if r := m.rings[p]; r != nil {
		return r
	}
	return m.add(&ring{place: p})
}

func (m *rings) add(r *ring) *ring {
	m.rings[r.place] = r
	r.element = m.used.PushFront(r)
	m.bytes += ringSize
	return r
}

func (m *rings) put(r *ring, e *Entry) {
	m.used.MoveToFront(r.element)
	m.bytes += e.size()
	if len(r.entries) < m.size {
		r.entries = append(r.entries, e)
		return
	}
	m.bytes -= r.entries[r.oldest].size()
	m.overrun++
	r.entries[r.oldest] = e
	r.oldest = (r.oldest + 1) % len(r.entries)
}

// after returns the entries behind a number, in order.
func (r *ring) after(number uint64) []*Entry {
	ordered := slices.Concat(r.entries[r.oldest:], r.entries[:r.oldest])
	if number >= r.Last {
		return nil
	}
	return ordered[max(0, len(ordered)-int(min(r.Last-number, uint64(len(ordered))))):]
}

// drop deletes the n oldest entries.
func (m *rings) drop(r *ring, n int) {
	ordered := r.after(0)
	for _, e := range ordered[:n] {
		m.bytes -= e.size()
	}
	r.entries, r.oldest = slices.Clone(ordered[n:]), 0
}

// remove deletes a ring and its entries.
func (m *rings) remove(r *ring) {
	m.drop(r, len(r.entries))
	m.bytes -= ringSize
	m.used.Remove(r.element)
	delete(m.rings, r.place)
	if m.current[r.place.World] == r.place.Generation {
		delete(m.current, r.place.World)
	}
}

// evict keeps all worlds within the budget. The least recently used world loses its entries; its ring, which tells how many
// there were, goes when it is the least recently used again. At last the world in use loses its older half.
func (m *rings) evict(now *ring) {
	for m.bytes > m.budget {
		r := m.used.Back().Value.(*ring)
		n := len(r.entries)
		switch {
		case n == 0:
			m.remove(r)
			continue
		case r == now:
			n = (n + 1) / 2
		default:
			m.used.MoveToFront(r.element)
		}
		m.drop(r, n)
		m.evicted += uint64(n)
	}
}

func (m *rings) read(_ context.Context, p Place, after Cursor) (contents, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Generation == 0 {
		p.Generation = m.current[p.World]
	}
	r := m.rings[p]
	if r == nil {
		return contents{generation: p.Generation}, nil
	}
	if after.generation != p.Generation {
		after.sequence = 0
	}
	return contents{p.Generation, r.after(after.sequence), r.counters}, nil
}

func (m *rings) restore(_ context.Context, p Place, entries []*Entry, dropped uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.rings[p]; before != nil {
		m.remove(before)
	}
	r := m.add(&ring{place: p, counters: restored(entries, dropped)})
	for _, e := range entries {
		m.put(r, e)
	}
	m.evict(r)
	return nil
}

func (m *rings) clear(_ context.Context, p Place) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.rings[p]; r != nil {
		m.drop(r, len(r.entries))
		r.Base = int64(r.Last)
	}
	return nil
}

func (m *rings) renew(p Place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.current[p.World]
	if known || m.rings[p] != nil || m.watchers[p.World] != nil {
		m.begin(p)
		m.wake(p.World)
	}
}

func (m *rings) forget(world string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.rings[Place{world, m.current[world]}]; r != nil {
		m.remove(r)
	}
}

func (m *rings) watch(world string) (wake <-chan struct{}, stop func()) {
	watcher := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[world] = append(m.watchers[world], watcher)
	return watcher, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watchers[world] = slices.DeleteFunc(m.watchers[world], func(w chan struct{}) bool { return w == watcher })
		if len(m.watchers[world]) == 0 {
			delete(m.watchers, world)
		}
	}
}

func (m *rings) wake(world string) {
	for _, watcher := range m.watchers[world] {
		notify(watcher)
	}
}

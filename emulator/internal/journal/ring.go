package journal

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	maxBytes = 64 << 20 // of all worlds, about
	ringSize = 512      // bytes of a ring without entries
)

// rings have the entries of all worlds in memory.
type rings struct {
	size   int   // entries a world
	budget int64 // bytes of all worlds
	onFull func(bytes int64)

	mu       sync.Mutex
	rings    *simplelru.LRU[Place, *ring]
	current  map[string]int64 // generations of worlds that have a ring; one of a later generation is restored and has not begun
	watchers map[chan struct{}]string
	bytes    int64
	overrun  uint64 // entries that made room for one of their world
	evicted  uint64 // entries that made room for those of other worlds
}

// ring has the last entries of a place, the oldest first.
type ring struct {
	counters
	entries []*Entry
}

func newRings(c Config) *rings {
	all, _ := simplelru.NewLRU[Place, *ring](math.MaxInt, nil) // it is bounded by the budget; it fails on a size below 1 only
	return &rings{
		size: c.Size, budget: maxBytes, onFull: c.Evicted,
		rings: all, current: make(map[string]int64), watchers: make(map[chan struct{}]string),
	}
}

func (m *rings) Append(_ context.Context, p Place, e *Entry) error {
	if m.size == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.begin(p)
	if r == nil {
		return nil
	}
	r.Last++
	e.Sequence = r.Last
	r.entries = append(r.entries, e)
	m.bytes += e.size()
	if len(r.entries) > m.size {
		m.drop(r, 1)
		m.overrun++
	}
	m.evict(r)
	return nil
}

// begin wakes who watches a world, and returns the ring of a place in it, which replaces one of an older generation; nil
// when there is one of a newer.
func (m *rings) begin(p Place) *ring {
	if generation := m.current[p.World]; generation != p.Generation {
		if generation > p.Generation {
			return nil
		}
		m.remove(Place{p.World, generation})
		m.current[p.World] = p.Generation
	}
	for watcher, world := range m.watchers {
		if world == p.World {
			notify(watcher)
		}
	}
	if r, ok := m.rings.Get(p); ok {
		return r
	}
	return m.add(p, &ring{})
}

func (m *rings) add(p Place, r *ring) *ring {
	m.rings.Add(p, r)
	m.bytes += ringSize
	for _, e := range r.entries {
		m.bytes += e.size()
	}
	return r
}

// drop deletes the n oldest entries.
func (m *rings) drop(r *ring, n int) {
	for _, e := range r.entries[:n] {
		m.bytes -= e.size()
	}
	clear(r.entries[:n])
	if r.entries = r.entries[n:]; len(r.entries) == 0 {
		r.entries = nil
	}
}

// remove deletes the ring of a place and its entries.
func (m *rings) remove(p Place) {
	r, ok := m.rings.Peek(p)
	if !ok {
		return
	}
	m.drop(r, len(r.entries))
	m.bytes -= ringSize
	m.rings.Remove(p)
	if m.current[p.World] == p.Generation {
		delete(m.current, p.World)
	}
}

// evict keeps all worlds within the budget. The least recently used world loses its entries; its ring, which tells how many
// there were, goes when it is the least recently used again. At last the world in use loses its older half.
func (m *rings) evict(now *ring) {
	for m.bytes > m.budget {
		p, r, _ := m.rings.GetOldest()
		n := len(r.entries)
		switch {
		case n == 0:
			m.remove(p)
			continue
		case r == now:
			n = (n + 1) / 2
		default:
			m.rings.Get(p)
		}
		if m.evicted == 0 && m.onFull != nil {
			m.onFull(m.bytes)
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
	c := contents{generation: p.Generation}
	if r, ok := m.rings.Peek(p); ok {
		if after.Generation != p.Generation {
			after.Sequence = 0
		}
		behind := min(r.Last-min(r.Last, after.Sequence), uint64(len(r.entries)))
		c.entries, c.counters = slices.Clone(r.entries[len(r.entries)-int(behind):]), r.counters
	}
	return c, nil
}

func (m *rings) restore(_ context.Context, p Place, entries []*Entry, dropped uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(p)
	m.evict(m.add(p, &ring{restored(entries, dropped), slices.Clone(entries)}))
	return nil
}

func (m *rings) Clear(_ context.Context, p Place) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.rings.Peek(p); ok {
		m.drop(r, len(r.entries))
		r.Base = int64(r.Last)
	}
	return nil
}

func (m *rings) renew(p Place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.current[p.World]
	if !known && !m.rings.Contains(p) && !slices.Contains(slices.Collect(maps.Values(m.watchers)), p.World) {
		return // nobody would miss it
	}
	if r := m.begin(p); r != nil {
		m.evict(r)
	}
}

func (m *rings) forget(world string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(Place{world, m.current[world]})
}

func (m *rings) Watch(world string) (wake <-chan struct{}, stop func()) {
	watcher := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[watcher] = world
	return watcher, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.watchers, watcher)
	}
}

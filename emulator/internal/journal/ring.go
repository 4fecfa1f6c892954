package journal

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// DefaultBudget is the default of [Config].Budget.
const DefaultBudget = 64 << 20

const ringSize = 512 // bytes of a ring without entries

// rings are the ring buffers of all worlds in memory.
type rings struct {
	size    int   // entries per world
	budget  int64 // bytes of all worlds
	onEvict func(bytes int64)

	mu        sync.Mutex
	rings     *simplelru.LRU[Ref, *ring]
	begun     map[string]generations // by world; a ring of a later one is restored and has not begun
	watchers  map[chan struct{}]string
	followers map[*Arrivals]bool
	bytes     int64
	overrun   uint64 // entries dropped for a newer one of their world
	evicted   uint64 // entries dropped for the budget
}

// generations are the last one of a world that has begun, and the one before, whose entries stay until the next one begins.
type generations struct{ current, before int64 }

// ring is the latest entries of a journal, the oldest first.
type ring struct {
	counters
	entries []*Entry
}

func newRings(c Config) *rings {
	all, _ := simplelru.NewLRU[Ref, *ring](math.MaxInt, nil) // the budget limits it; NewLRU fails only for a size below 1
	return &rings{
		size: c.Size, budget: cmp.Or(c.Budget, DefaultBudget), onEvict: c.Evicted,
		rings: all, begun: make(map[string]generations), watchers: make(map[chan struct{}]string), followers: make(map[*Arrivals]bool),
	}
}

func (m *rings) Append(_ context.Context, ref Ref, e *Entry) error {
	if m.size == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.open(ref)
	if r == nil {
		return nil
	}
	r.Last++
	e.Sequence = r.Last
	m.announce(Arrival{ref.World, e.ID, e.Status})
	r.entries = append(r.entries, e)
	m.bytes += e.size()
	if len(r.entries) > m.size {
		m.drop(r, 1)
		m.overrun++
	}
	m.evict(r)
	return nil
}

// open wakes the watchers of a world and returns its ring, a new one if needed. It removes the ring of the generation before the
// last one, and returns nil if there is a newer one.
func (m *rings) open(ref Ref) *ring {
	if g := m.begun[ref.World]; g.current != ref.Generation {
		if g.current > ref.Generation {
			return nil
		}
		m.remove(Ref{ref.World, g.before})
		m.begun[ref.World] = generations{ref.Generation, g.current}
	}
	for watcher, world := range m.watchers {
		if world == ref.World {
			notify(watcher)
		}
	}
	if r, ok := m.rings.Get(ref); ok {
		return r
	}
	return m.add(ref, &ring{})
}

func (m *rings) add(ref Ref, r *ring) *ring {
	m.rings.Add(ref, r)
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

// remove deletes a ring and its entries.
func (m *rings) remove(ref Ref) {
	r, ok := m.rings.Peek(ref)
	if !ok {
		return
	}
	m.drop(r, len(r.entries))
	m.bytes -= ringSize
	m.rings.Remove(ref)
	if g := m.begun[ref.World]; g.current == ref.Generation {
		delete(m.begun, ref.World)
		m.remove(Ref{ref.World, g.before})
	}
}

// evict drops the entries of the least recently used ring first. It removes a ring that is already empty, with its count of
// dropped entries. The ring in use loses its older half.
func (m *rings) evict(inUse *ring) {
	for m.bytes > m.budget {
		ref, r, _ := m.rings.GetOldest()
		n := len(r.entries)
		switch {
		case n == 0:
			m.remove(ref)
			continue
		case r == inUse:
			n = (n + 1) / 2
		default:
			m.rings.Get(ref) // makes it the most recently used
		}
		if m.evicted == 0 && m.onEvict != nil {
			m.onEvict(m.bytes)
		}
		m.drop(r, n)
		m.evicted += uint64(n)
	}
}

func (m *rings) read(_ context.Context, ref Ref, after Cursor) (contents, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ref.Generation == 0 {
		ref.Generation = m.begun[ref.World].current
	}
	c := contents{generation: ref.Generation}
	if r, ok := m.rings.Peek(ref); ok {
		if after.Generation != ref.Generation {
			after.Sequence = 0
		}
		behind := min(r.Last-min(r.Last, after.Sequence), uint64(len(r.entries)))
		c.entries, c.counters = slices.Clone(r.entries[len(r.entries)-int(behind):]), r.counters
	}
	return c, nil
}

// restore adds one entry at a time, so that the budget holds at all times. The ring may be evicted between two.
func (m *rings) restore(_ context.Context, ref Ref, r Restored) error {
	now := counters{Last: r.Dropped}
	add := func(entries ...*Entry) {
		m.mu.Lock()
		defer m.mu.Unlock()
		filled, ok := m.rings.Get(ref)
		if !ok {
			filled = m.add(ref, &ring{})
		}
		for _, e := range entries {
			m.bytes += e.size()
		}
		filled.counters, filled.entries = now, append(filled.entries, entries...)
		m.evict(filled)
	}
	add()
	first := true
	for e, err := range r.Entries {
		if err != nil {
			return err
		}
		if first {
			now.Base = int64(e.Sequence) - 1 - int64(r.Dropped)
		}
		now.Last, first = e.Sequence, false
		add(e)
	}
	return nil
}

func (m *rings) Clear(_ context.Context, ref Ref) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.rings.Peek(ref); ok {
		m.drop(r, len(r.entries))
		r.Base = int64(r.Last)
		m.announce(Arrival{World: ref.World})
	}
	return nil
}

func (m *rings) startGeneration(ref Ref) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, exists := m.begun[ref.World]
	if !exists && !m.rings.Contains(ref) && !slices.Contains(slices.Collect(maps.Values(m.watchers)), ref.World) {
		return // there is nothing to replace, and no watcher
	}
	m.announce(Arrival{World: ref.World})
	if r := m.open(ref); r != nil {
		m.evict(r)
	}
}

func (m *rings) Follow(a *Arrivals) (stop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.followers[a] = true
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.followers, a)
	}
}

func (m *rings) announce(arrived Arrival) {
	for follower := range m.followers {
		follower.add(arrived)
	}
}

func (m *rings) delete(world string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(Ref{world, m.begun[world].current})
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

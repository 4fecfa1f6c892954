package journal

import (
	"fmt"
	"testing"
)

func refOf(world string) Ref { return Ref{world, 1} }

// add appends an entry with an answer of 500 bytes.
func add(t testing.TB, m *rings, world string) {
	t.Helper()
	if err := m.Append(t.Context(), refOf(world), NewEntry(Request{Method: "GET"}, make([]byte, 500), nil)); err != nil {
		t.Error(err)
	}
}

func wantEntries(t *testing.T, m *rings, world string, entries int, dropped uint64) {
	t.Helper()
	if c, _ := m.read(t.Context(), refOf(world), Cursor{}); len(c.entries) != entries || c.dropped(entries) != dropped {
		t.Errorf("%s has %d entries, %d dropped, want %d, %d", world, len(c.entries), c.dropped(len(c.entries)), entries, dropped)
	}
}

// wantBytes checks that the counted bytes are those of the entries, and within the budget.
func wantBytes(t *testing.T, m *rings) {
	t.Helper()
	total := int64(m.rings.Len()) * ringSize
	for _, r := range m.rings.Values() {
		for _, e := range r.entries {
			total += e.size()
		}
	}
	if m.bytes != total || total > m.budget {
		t.Errorf("%d bytes counted, %d present, budget %d", m.bytes, total, m.budget)
	}
}

func TestEvictLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 100})
	m.budget = 100 << 10
	for i := range 30 {
		add(t, m, fmt.Sprint("w", i))
	}
	for range 50 {
		add(t, m, "busy")
	}
	wantBytes(t, m)
	wantEntries(t, m, "w0", 0, 1)
	wantEntries(t, m, "w29", 1, 0)
	wantEntries(t, m, "busy", 50, 0)
	add(t, m, "w0")
	if c, _ := m.read(t.Context(), refOf("w0"), Cursor{}); len(c.entries) != 1 || c.entries[0].Sequence != 2 {
		t.Errorf("an evicted world has %v", c.entries)
	}
	if m.evicted == 0 || m.overrun != 0 {
		t.Errorf("%d evicted, %d overrun", m.evicted, m.overrun)
	}
}

func TestEvictWorldInUse(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 100_000})
	m.budget = 100 << 10
	for range 1000 {
		add(t, m, "w")
	}
	wantBytes(t, m)
	c, _ := m.read(t.Context(), refOf("w"), Cursor{})
	if n := len(c.entries); n < 40 || c.dropped(n) != uint64(1000-n) || c.entries[n-1].Sequence != 1000 {
		t.Errorf("%d entries, %d dropped", n, c.dropped(n))
	}
	if m.evicted != c.dropped(len(c.entries)) {
		t.Errorf("%d evicted", m.evicted)
	}
}

func TestAppendNewGeneration(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	add(t, m, "w")
	before := m.bytes
	for generation := range int64(3) {
		if err := m.Append(t.Context(), Ref{"w", 2 + generation}, NewEntry(Request{Method: "GET"}, make([]byte, 500), nil)); err != nil {
			t.Error(err)
		}
	}
	if wantBytes(t, m); m.bytes != 2*before || m.rings.Len() != 2 { // the one before stays
		t.Errorf("%d rings of %d bytes, one had %d", m.rings.Len(), m.bytes, before)
	}
	if c, _ := m.read(t.Context(), Ref{"w", 3}, Cursor{}); len(c.entries) != 1 {
		t.Errorf("the generation before has %d entries", len(c.entries))
	}
	if m.delete("w"); m.bytes != 0 || m.rings.Len() != 0 || len(m.begun) != 0 {
		t.Errorf("%d rings of %d bytes of a deleted world", m.rings.Len(), m.bytes)
	}
}

func TestEvictLargeEntry(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	m.budget = 1000
	add(t, m, "w")
	wantBytes(t, m)
}

func TestEvictManyWorlds(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	m.budget = 1 << 20
	for i := range 50_000 {
		world := fmt.Sprint("w", i)
		add(t, m, world)
		if i%3 == 0 {
			if err := m.Clear(t.Context(), refOf(world)); err != nil {
				t.Error(err)
			}
		}
	}
	wantBytes(t, m)
	if len(m.begun) > m.rings.Len() || m.rings.Len() > 2000 {
		t.Errorf("%d rings, %d generations", m.rings.Len(), len(m.begun))
	}
}

func TestEvictRestored(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	m.budget = 20 << 10
	e := NewEntry(Request{Method: "GET"}, make([]byte, 500), nil)
	e.Sequence = 3
	if err := m.restore(t.Context(), Ref{"w", 7}, RestoredOf(2, e)); err != nil {
		t.Error(err)
	}
	for i := range 100 {
		add(t, m, fmt.Sprint(i))
	}
	wantBytes(t, m)
	if r, ok := m.rings.Peek(Ref{"w", 7}); ok && len(r.entries) > 0 {
		t.Error("the restored generation is not evicted")
	}
}

// RestoredOf returns the journal of a snapshot.
func RestoredOf(dropped uint64, entries ...*Entry) Restored {
	return Restored{Count: len(entries), Dropped: dropped, Entries: func(yield func(*Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}}
}

func TestWatchStop(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 2})
	wake, stop := m.Watch("w")
	add(t, m, "w")
	add(t, m, "w")
	<-wake
	stop()
	add(t, m, "w")
	select {
	case <-wake:
		t.Error("received after stop, or twice")
	default:
	}
}

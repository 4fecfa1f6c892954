package journal

import (
	"fmt"
	"testing"
)

func place(world string) Place { return Place{world, 1} }

// add appends an entry with an answer of 500 bytes.
func add(t testing.TB, m *rings, world string) {
	t.Helper()
	if err := m.Append(t.Context(), place(world), NewEntry(Asked{Method: "GET"}, make([]byte, 500))); err != nil {
		t.Error(err)
	}
}

func wantKept(t *testing.T, m *rings, world string, entries int, dropped uint64) {
	t.Helper()
	if c, _ := m.read(t.Context(), place(world), Cursor{}); len(c.entries) != entries || c.dropped(entries) != dropped {
		t.Errorf("%s has %d entries, %d dropped, want %d, %d", world, len(c.entries), c.dropped(len(c.entries)), entries, dropped)
	}
}

// wantBytes wants the bytes to be what is there, and within the budget.
func wantBytes(t *testing.T, m *rings) {
	t.Helper()
	total := int64(m.rings.Len()) * ringSize
	for _, r := range m.rings.Values() {
		for _, e := range r.entries {
			total += e.size()
		}
	}
	if m.bytes != total || total > m.budget {
		t.Errorf("%d bytes are counted, %d are there, %d are the budget", m.bytes, total, m.budget)
	}
}

func TestEvict_least_recently_used_world_first(t *testing.T) {
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
	wantKept(t, m, "w0", 0, 1)
	wantKept(t, m, "w29", 1, 0)
	wantKept(t, m, "busy", 50, 0)
	add(t, m, "w0")
	if c, _ := m.read(t.Context(), place("w0"), Cursor{}); len(c.entries) != 1 || c.entries[0].Sequence != 2 {
		t.Errorf("an emptied world goes on with %v", c.entries)
	}
	if m.evicted == 0 || m.overrun != 0 {
		t.Errorf("%d are evicted, %d overrun", m.evicted, m.overrun)
	}
}

func TestEvict_world_in_use_loses_its_older_half(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 100_000})
	m.budget = 100 << 10
	for range 1000 {
		add(t, m, "w")
	}
	wantBytes(t, m)
	c, _ := m.read(t.Context(), place("w"), Cursor{})
	if n := len(c.entries); n < 40 || c.dropped(n) != uint64(1000-n) || c.entries[n-1].Sequence != 1000 {
		t.Errorf("%d entries, %d dropped", n, c.dropped(n))
	}
	if m.evicted != c.dropped(len(c.entries)) {
		t.Errorf("%d are evicted", m.evicted)
	}
}

func TestAppend_new_generation_frees_the_old(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	add(t, m, "w")
	before := m.bytes
	for generation := range int64(3) {
		if err := m.Append(t.Context(), Place{"w", 2 + generation}, NewEntry(Asked{Method: "GET"}, make([]byte, 500))); err != nil {
			t.Error(err)
		}
	}
	if wantBytes(t, m); m.bytes != before || m.rings.Len() != 1 {
		t.Errorf("%d rings take %d bytes, one took %d", m.rings.Len(), m.bytes, before)
	}
}

func TestEvict_entry_larger_than_the_budget(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	m.budget = 1000
	add(t, m, "w")
	wantBytes(t, m)
}

// Issue: a million keys do not exhaust memory.
func TestEvict_many_worlds(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	m.budget = 1 << 20
	for i := range 50_000 {
		world := fmt.Sprint("w", i)
		add(t, m, world)
		if i%3 == 0 {
			if err := m.Clear(t.Context(), place(world)); err != nil {
				t.Error(err)
			}
		}
	}
	wantBytes(t, m)
	if len(m.current) > m.rings.Len() || m.rings.Len() > 2000 {
		t.Errorf("%d worlds are known, %d have a generation", m.rings.Len(), len(m.current))
	}
}

func TestRestore_not_begun_can_be_evicted(t *testing.T) {
	t.Parallel()
	m := newRings(Config{Size: 10})
	m.budget = 20 << 10
	e := NewEntry(Asked{Method: "GET"}, make([]byte, 500))
	e.Sequence = 3
	if err := m.restore(t.Context(), Place{"w", 7}, []*Entry{e}, 2); err != nil {
		t.Error(err)
	}
	for i := range 100 {
		add(t, m, fmt.Sprint(i))
	}
	wantBytes(t, m)
	if r, ok := m.rings.Peek(Place{"w", 7}); ok && len(r.entries) > 0 {
		t.Error("it is not evicted")
	}
}

func TestWatch_stopped(t *testing.T) {
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
		t.Error("woken after the end, or twice")
	default:
	}
}

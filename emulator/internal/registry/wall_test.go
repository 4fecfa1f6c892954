package registry_test

import (
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
)

// machine is a clock that is set by hand, and the time since some instant.
type machine struct {
	wall    time.Time
	elapsed time.Duration
}

func (m *machine) pass(span time.Duration) { m.wall, m.elapsed = m.wall.Add(span), m.elapsed+span }

func (m *machine) walls(shared bool, ttl time.Duration) *registry.Walls {
	return registry.NewWalls(clock.Clock{Wall: func() time.Time { return m.wall }, Elapsed: func() time.Duration { return m.elapsed }}, shared, ttl)
}

// A process that begins while the machine's clock is behind the last use of a world goes on from there: from after all that may
// have been shown since, where it has the store alone and the world's clock runs.
func TestWallAfterRestart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shared bool
		frozen *time.Time
		ahead  time.Duration
	}{
		"alone":            {false, nil, time.Second},
		"alone and frozen": {false, &now, 0},
		"shared":           {true, nil, 0},
	} {
		m := &machine{wall: now.Add(-time.Hour)}
		walls := m.walls(tt.shared, 0)
		record := registry.Record{Used: now, Frozen: tt.frozen, Generation: 1}
		wall, late := walls.Wall("a", record)
		if want := now.Add(tt.ahead + 1); !wall.Equal(want) || !late {
			t.Errorf("%s: %v, late %t, want %v", name, wall, late, want)
		}
		if got, want := walls.Skew(), time.Hour+tt.ahead; got != want {
			t.Errorf("%s: the skew is %v, want %v", name, got, want)
		}
		m.pass(time.Minute)
		if later, _ := walls.Wall("a", record); later.Sub(wall) < time.Minute {
			t.Errorf("%s: a minute later it is %v after %v", name, later, wall)
		}
		if other, _ := walls.Wall("b", registry.Record{Generation: 1}); !other.Equal(m.wall) {
			t.Errorf("%s: another world is at %v", name, other)
		}
	}
}

// The last use is to be written again when it may be as old as UsedEvery, and not before.
func TestWallLate(t *testing.T) {
	t.Parallel()
	for ttl, every := range map[time.Duration]time.Duration{0: time.Minute, 100 * time.Second: 10 * time.Second, 24 * time.Hour: time.Minute} {
		m := &machine{wall: now}
		walls := m.walls(true, ttl)
		if got := walls.UsedEvery(); got != every {
			t.Errorf("TTL %v: every %v, want %v", ttl, got, every)
		}
		record := registry.Record{Used: now.Add(-every), Generation: 1}
		record.Used, _ = walls.Wall("a", record) // it is written now
		for _, tt := range []struct {
			pass time.Duration
			late bool
		}{{0, false}, {every - 1, false}, {1, true}} {
			m.pass(tt.pass)
			if _, late := walls.Wall("a", record); late != tt.late {
				t.Errorf("TTL %v, after %v: late %t", ttl, m.elapsed, late)
			}
		}
		walls.Purge("a")
		if _, late := walls.Wall("a", record); !late {
			t.Errorf("TTL %v: what was seen of a deleted world is still there", ttl)
		}
	}
}

// A new world's generation is later than all that the process has seen, whatever the machine's clock shows.
func TestNewGeneration(t *testing.T) {
	t.Parallel()
	m := &machine{wall: now}
	walls := m.walls(false, 0)
	if got := walls.NewGeneration(); got != now.UnixMicro() {
		t.Errorf("the first is %d", got)
	}
	walls.Wall("a", registry.Record{Used: now, Generation: now.UnixMicro() + 7})
	walls.Wall("b", registry.Record{Generation: now.UnixMicro() + 9}) // is not stored
	if got := walls.NewGeneration(); got != now.UnixMicro()+8 {
		t.Errorf("the next is %d", got-now.UnixMicro())
	}
}

// Package journal records the last requests of every world, their answers, and why they were answered so, without keys and
// social security numbers. The entries are in memory, or in a store that all replicas share.
package journal

import (
	"context"
	"math"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
)

// DefaultSize is how many entries a world has unless [Config] says otherwise.
const DefaultSize = 1000

// ErrOff is what callers answer when the journal is off.
var ErrOff = api.Because(409, "The journal is off: serve with a --journal-size above 0")

// Place is the journal of a world in one generation. A new generation begins with an empty journal, and later entries of
// the one before are dropped.
type Place struct {
	World      string
	Generation int64
}

// Config says how many entries a journal has, and where they are.
type Config struct {
	Size    int               // entries a world; 0: the journal is off
	Evicted func(bytes int64) // called once, when entries in memory make room for those of other worlds; nil: nobody
	Store   store.Store       // nil: the entries are in memory

	// The following are needed with a Store only.
	Current   func(tx store.Tx, world string) (generation int64, err error) // 0: there is no such world
	RecordKey func(world string) string                                     // the key that changes when the world begins another generation
	Prefix    func(Place) string                                            // begins the keys of a place, of all of a world's for the generation 0
}

// Journal is the journal of all worlds. It is safe for concurrent use. Its errors are those of the store.
type Journal struct {
	size  int
	rings *rings // empty when the entries are in a store
	backend
}

// backend has the entries.
type backend interface {
	// Append numbers an entry, which must not change any more, and adds it. In a store it is written when Append returns,
	// and every later [Journal.Read], on whatever replica, finds it. A ctx that ends does not stop that. After an error it
	// is unknown whether the entry was written.
	Append(context.Context, Place, *Entry) error

	// Clear deletes the entries of a place. Those that follow are numbered on.
	Clear(context.Context, Place) error

	// Watch returns a channel that receives when a world has new entries or is reset; several changes may be received as
	// one. stop ends that.
	Watch(world string) (wake <-chan struct{}, stop func())

	restore(ctx context.Context, p Place, entries []*Entry, dropped uint64) error

	// read returns the entries after a cursor, all of them when the cursor is of another generation than the place. In a
	// place without a generation it finds the world's current one.
	read(ctx context.Context, p Place, after Cursor) (contents, error)
}

// contents are entries of a place at one instant, the oldest first.
type contents struct {
	generation int64
	entries    []*Entry
	counters
}

// counters number the entries of a place. Last - Base is how many there would be if none had been dropped.
type counters struct {
	Last uint64 `json:"last"`
	Base int64  `json:"base"` // Last when the place was cleared
}

func (c counters) dropped(entries int) uint64 { return uint64(int64(c.Last)-c.Base) - uint64(entries) }

// restored returns the counters of entries before which some were dropped.
func restored(entries []*Entry, dropped uint64) counters {
	if len(entries) == 0 {
		return counters{Last: dropped}
	}
	last := entries[len(entries)-1].Sequence
	return counters{last, int64(last) - int64(len(entries)) - int64(dropped)}
}

// New returns a journal.
func New(c Config) *Journal {
	j := &Journal{size: c.Size, rings: newRings(c)}
	j.backend = j.rings
	if c.Store != nil && c.Size > 0 {
		j.backend = &shared{Config: c}
	}
	return j
}

// On reports whether anything is recorded.
func (j *Journal) On() bool { return j.size > 0 }

// Size returns how many entries a world has at most.
func (j *Journal) Size() int { return j.size }

// Read returns the entries of a place, the oldest first, and how many earlier ones were dropped. The slice is the caller's;
// the entries do not change.
func (j *Journal) Read(ctx context.Context, p Place) (entries []*Entry, dropped uint64, err error) {
	c, err := j.read(ctx, p, Cursor{})
	return c.entries, c.dropped(len(c.entries)), err
}

// Restore makes the journal of a place what [Journal.Read] returned elsewhere; of too many entries the last remain. It
// comes before the world's record leads to the place: until then nobody reads what is restored, and the journal of the
// world stays as it is, also when the restore fails halfway. Then [Journal.Renew] begins the generation.
func (j *Journal) Restore(ctx context.Context, p Place, entries []*Entry, dropped uint64) error {
	if j.size == 0 {
		return nil
	}
	over := max(0, len(entries)-j.size)
	return j.restore(ctx, p, entries[over:], dropped+uint64(over))
}

// Renew begins a generation of a world, with what was restored to it, and wakes who watches the world. In a store the
// world's record does both.
func (j *Journal) Renew(p Place) {
	if j.backend == j.rings {
		j.rings.renew(p)
	}
}

// Forget deletes the entries of a world that is deleted. In a store they go with the keys of its generation.
func (j *Journal) Forget(world string) { j.rings.forget(world) }

// Bytes returns about how many bytes of memory the entries take.
func (j *Journal) Bytes() int64 {
	j.rings.mu.Lock()
	defer j.rings.mu.Unlock()
	return j.rings.bytes
}

// Dropped returns how many entries of all worlds made room in memory, for newer ones of their world and of other worlds.
func (j *Journal) Dropped() (overrun, evicted uint64) {
	j.rings.mu.Lock()
	defer j.rings.mu.Unlock()
	return j.rings.overrun, j.rings.evicted
}

func notify(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // it has one to receive already
	}
}

// Cursor is a position in the journal of a world: after the entry of a number in a generation, 0 for before all of them.
type Cursor struct {
	Generation int64
	Sequence   uint64
}

// End returns the cursor after the last entry of a place.
func (j *Journal) End(ctx context.Context, p Place) (Cursor, error) {
	c, err := j.read(ctx, p, Cursor{p.Generation, math.MaxUint64})
	return Cursor{p.Generation, c.Last}, err
}

// News are the entries after a cursor, the oldest first.
type News struct {
	Entries []*Entry
	Missed  uint64 // how many between the cursor and these were dropped
	Anew    bool   // the world was reset since, or deleted and made again
	Next    Cursor // after the last
}

// Since returns what a world has recorded after a cursor.
func (j *Journal) Since(ctx context.Context, world string, from Cursor) (News, error) {
	c, err := j.read(ctx, Place{World: world}, from)
	if err != nil || c.generation < from.Generation { // the world is deleted
		return News{Next: from}, err
	}
	news := News{Entries: c.entries, Anew: c.generation > from.Generation, Next: Cursor{c.generation, c.Last}}
	if news.Anew {
		from.Sequence = 0
	}
	if c.Last > from.Sequence {
		news.Missed = c.Last - from.Sequence - uint64(len(c.entries))
	}
	return news, nil
}

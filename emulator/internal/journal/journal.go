// Package journal records the latest requests of every world, their answers and the diagnosis. API keys and social security
// numbers are masked before an entry is stored or shown.
//
// Each world has a ring buffer of [Config].Size entries, numbered from 1. A [Ref] names it by the world and its generation;
// a reset or a restore begins a new one. A [Cursor] is a position in it, for readers that follow new entries. The ring buffers
// are in memory (ring.go), within a budget of bytes that evicts the entries of the least recently used world, or in a store
// that replicas share (store.go), which writes the entries of concurrent requests in one batch.
//
// Requests and answers flow in, and entries flow out. Begin with [NewEntry] and [Journal]. Package query asks for entries.
package journal

import (
	"context"
	"math"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
)

// DefaultSize is the default of [Config].Size.
const DefaultSize = 1000

// ErrOff is the error of callers that need entries when the journal is off.
var ErrOff = api.Because(409, "The journal is off: serve with a --journal-size above 0")

// Ref names the journal of a world in one generation. A new generation has an empty journal, and drops entries that are
// appended to the previous one.
type Ref struct {
	World      string
	Generation int64
}

// Config configures a [Journal].
type Config struct {
	Size    int               // entries per world; 0 turns the journal off
	Budget  int64             // approximate bytes of all entries in memory; 0: DefaultBudget
	Evicted func(bytes int64) // called once, when the first entries are evicted from memory; may be nil
	Store   store.Store       // nil for entries in memory

	Unmatched *Journal // of the requests that reached no world, under the zero Ref; nil for that journal itself

	// The following are required with a Store.
	Current   func(tx store.Tx, world string) (generation int64, err error) // 0 if there is no such world
	RecordKey func(world string) string                                     // a key that changes with the world's generation
	Prefix    func(Ref) string                                              // the key prefix of a journal; of all of a world's for generation 0, of all for the zero Ref
}

// Journal is the journal of all worlds. It is safe for concurrent use. Its errors are those of the store.
type Journal struct {
	size      int
	unmatched *Journal
	rings     *rings // unused with a store
	backend
}

// backend stores the entries.
type backend interface {
	// Append numbers and adds an entry, which the caller must not change later. When it returns, every Read of every
	// replica finds the entry. The end of ctx does not stop it. After an error the entry may have been written or not.
	Append(context.Context, Ref, *Entry) error

	// Clear deletes the entries of a journal. Later entries continue the numbering.
	Clear(context.Context, Ref) error

	// Watch returns a channel that receives when a world has new entries or a new generation; several changes may be
	// received as one. It receives nothing after stop.
	Watch(world string) (wake <-chan struct{}, stop func())

	// Follow adds the requests of all worlds to arrivals, from now on until stop.
	Follow(*Arrivals) (stop func())

	restore(ctx context.Context, ref Ref, r Restored) error

	// read returns the entries after a cursor, or all if the cursor is of another generation than ref. Generation 0 in ref
	// stands for the current one.
	read(ctx context.Context, ref Ref, after Cursor) (contents, error)
}

// contents are the entries of a journal at one instant, the oldest first.
type contents struct {
	generation int64
	entries    []*Entry
	counters
}

// counters number the entries of a journal. Without drops it would have Last - Base entries.
type counters struct {
	Last uint64 `json:"last"` // the number of the last entry
	Base int64  `json:"base"` // Last when the journal was cleared
}

func (c counters) dropped(entries int) uint64 { return uint64(int64(c.Last)-c.Base) - uint64(entries) }

// New returns a journal.
func New(c Config) *Journal {
	j := &Journal{size: c.Size, unmatched: c.Unmatched, rings: newRings(c)}
	j.backend = j.rings
	if c.Store != nil && c.Size > 0 {
		j.backend = newShared(c)
	}
	return j
}

// On reports whether requests are recorded.
func (j *Journal) On() bool { return j.size > 0 }

// Size returns the maximum number of entries per world.
func (j *Journal) Size() int { return j.size }

// Read returns the entries of a journal, the oldest first, and the number of earlier ones that were dropped. The caller may
// change the slice, not the entries.
func (j *Journal) Read(ctx context.Context, ref Ref) (entries []*Entry, dropped uint64, err error) {
	c, err := j.read(ctx, ref, Cursor{})
	return c.entries, c.dropped(len(c.entries)), err
}

// Find returns the entry of a request, nil without one.
func Find(entries []*Entry, id string) *Entry {
	if i := slices.IndexFunc(entries, func(e *Entry) bool { return e.ID == id }); i >= 0 {
		return entries[i]
	}
	return nil
}

// Unmatched returns the journal of the requests that reached no world, nil for that journal itself.
func (j *Journal) Unmatched() *Journal { return j.unmatched }

// Restore fills the journal of a future generation with the entries of a snapshot; if there are too many, with the last of
// them. Readers do not see it before the world's record has the generation, so a restore that
// fails halfway changes nothing. [Journal.Begin] follows.
func (j *Journal) Restore(ctx context.Context, ref Ref, r Restored) error {
	if j.size == 0 {
		return nil
	}
	return j.restore(ctx, ref, r.last(j.size))
}

// Begin begins a generation, with the entries that were restored to it, and wakes the watchers of its world. With a store,
// writing the world's record has done both.
func (j *Journal) Begin(ref Ref) {
	if j.backend == j.rings {
		j.rings.startGeneration(ref)
	}
}

// Delete deletes the entries of a deleted world. With a store, they are deleted with the other keys of its generation.
func (j *Journal) Delete(world string) { j.rings.delete(world) }

// Bytes returns the approximate memory of all entries.
func (j *Journal) Bytes() int64 {
	j.rings.mu.Lock()
	defer j.rings.mu.Unlock()
	return j.rings.bytes
}

// Dropped returns how many entries were dropped from memory: overrun by newer ones of their world, or evicted by the budget.
func (j *Journal) Dropped() (overrun, evicted uint64) {
	j.rings.mu.Lock()
	defer j.rings.mu.Unlock()
	return j.rings.overrun, j.rings.evicted
}

func notify(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// Cursor is a position in the journal of a world: after the entry Sequence of a generation. Sequence 0 is before all.
type Cursor struct {
	Generation int64
	Sequence   uint64
}

// End returns the cursor after the last entry of a journal.
func (j *Journal) End(ctx context.Context, ref Ref) (Cursor, error) {
	c, err := j.read(ctx, ref, Cursor{ref.Generation, math.MaxUint64})
	return Cursor{ref.Generation, c.Last}, err
}

// Page is the entries after a cursor, the oldest first.
type Page struct {
	Entries []*Entry
	Missed  uint64 // number of entries after the cursor that were dropped
	Reset   bool   // the world has a new generation
	Next    Cursor // after the last entry
}

// Since returns the entries of a world after a cursor.
func (j *Journal) Since(ctx context.Context, world string, from Cursor) (Page, error) {
	c, err := j.read(ctx, Ref{World: world}, from)
	// In memory a generation begins after it is stored. In a store a later one may have a lower number: another machine's clock.
	if err != nil || c.generation == 0 || j.backend == j.rings && c.generation < from.Generation {
		return Page{Next: from}, err // the world was deleted, or the generation has not begun
	}
	page := Page{Entries: c.entries, Reset: c.generation != from.Generation, Next: Cursor{c.generation, c.Last}}
	if page.Reset {
		from.Sequence = 0
	}
	if c.Last > from.Sequence {
		page.Missed = c.Last - from.Sequence - uint64(len(c.entries))
	}
	return page, nil
}

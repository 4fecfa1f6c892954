package journal

import (
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

const (
	// What every store takes in one transaction.
	maxKeys        = 100
	maxTransaction = 1 << 20 // bytes

	// What a batch has at most. Each entry may have a key of its own, the record and the head of its world, and an older
	// entry to delete.
	maxBatch      = maxKeys / 4
	maxBatchBytes = maxTransaction / 2
)

// shared has the entries in a store: each below the prefix of its place, by its number, and beside them a head.
type shared struct {
	Config
	mu         sync.Mutex
	open       *batch     // that entries may join
	committing sync.Mutex // one batch at a time, while the next one fills
}

// batch is entries that are written in one transaction.
type batch struct {
	values map[Place][][]byte
	count  int
	bytes  int
	commit func() error // the first to call it writes the batch, and the others wait for that
}

// Append writes the entry in a batch with those that other requests add meanwhile.
func (s *shared) Append(_ context.Context, p Place, e *Entry) error {
	value, err := encode(e)
	if err != nil {
		return err
	}
	return s.join(p, value).commit()
}

// join adds an entry to the open batch, or opens another one.
func (s *shared) join(p Place, value []byte) *batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.open
	if b == nil || b.count == maxBatch || b.bytes+len(value) > maxBatchBytes {
		b = &batch{values: make(map[Place][][]byte)}
		b.commit = sync.OnceValue(func() error { return s.commit(b) })
		s.open = b
	}
	b.values[p] = append(b.values[p], value)
	b.count++
	b.bytes += len(value)
	return b
}

// commit writes a batch, without entries of generations that have ended. Its requests wait for it together: the context
// of one of them must not end it.
func (s *shared) commit(b *batch) error {
	s.committing.Lock()
	defer s.committing.Unlock()
	s.mu.Lock()
	if s.open == b {
		s.open = nil
	}
	s.mu.Unlock()
	// Each place has a record and a head, and may delete as many entries as it adds: so that it never grows.
	spare := (maxKeys - 2*b.count - 2*len(b.values)) / len(b.values)
	return s.update(context.Background(), "written", func(tx store.Tx) error {
		for p, values := range b.values {
			if err := s.add(tx, p, values, len(values)+spare); err != nil {
				return err
			}
		}
		return nil
	})
}

// update makes a transaction. Its error says what is not done to the journal.
func (s *shared) update(ctx context.Context, done string, fn func(store.Tx) error) error {
	if err := s.Store.Update(ctx, fn); err != nil {
		return fmt.Errorf("the journal is not %s: %w", done, err)
	}
	return nil
}

// add numbers entries and writes them, and deletes older ones. A place without a head is a new one, or one of a generation
// that has ended and is collected: then there is nothing to write to. Its head is deleted first.
func (s *shared) add(tx store.Tx, p Place, values [][]byte, deletes int) error {
	prefix := s.Prefix(p)
	h, err := readHead(tx, prefix)
	if err != nil {
		return err
	}
	if h.Last == 0 {
		if generation, err := s.Current(tx, p.World); err != nil || generation != p.Generation {
			return err
		}
	}
	for _, value := range values {
		h.Last++
		if err := tx.Put(entryKey(prefix, h.Last), value); err != nil {
			return err
		}
	}
	return h.trim(tx, prefix, s.Size, deletes)
}

const headKey = "#" // behind the prefix of a place, before all entries

// head is what the store has of a place beside its entries.
type head struct {
	counters
	First uint64 `json:"first"` // the oldest entry that is not deleted
}

func entryKey(prefix string, number uint64) string { return fmt.Sprintf("%s%020d", prefix, number) }

func readHead(tx store.Tx, prefix string) (head, error) {
	h := head{First: 1}
	value, err := tx.Get(prefix + headKey)
	if err == nil && value != nil {
		err = json.Unmarshal(value, &h)
	}
	return h, err
}

func (h head) put(tx store.Tx, prefix string) error {
	value, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return tx.Put(prefix+headKey, value)
}

// from returns the number of the first entry that is to be read.
func (h head) from(size int) uint64 {
	return max(h.First, uint64(max(h.Base, 0))+1, h.Last-min(h.Last, uint64(size))+1)
}

// trim deletes entries that are no longer read, up to a number of them, and puts the head. The next trim deletes the rest.
func (h *head) trim(tx store.Tx, prefix string, size, most int) error {
	for end := min(h.from(size), h.First+uint64(most)); h.First < end; h.First++ {
		if err := tx.Delete(entryKey(prefix, h.First)); err != nil {
			return err
		}
	}
	return h.put(tx, prefix)
}

func (s *shared) read(ctx context.Context, p Place, after Cursor) (c contents, err error) {
	err = s.Store.View(ctx, func(tx store.Tx) (err error) {
		c = contents{generation: p.Generation}
		if p.Generation == 0 {
			if c.generation, err = s.Current(tx, p.World); err != nil {
				return err
			}
		}
		prefix := s.Prefix(Place{p.World, c.generation})
		h, err := readHead(tx, prefix)
		if err != nil {
			return err
		}
		c.counters = h.counters
		inflate := flate.NewReader(nil)
		from := h.from(s.Size)
		if after.Generation == c.generation {
			from = max(from, min(after.Sequence, h.Last)+1)
		}
		for stored, err := range tx.Scan(prefix, entryKey(prefix, from-1)) {
			if err != nil {
				return err
			}
			e, err := decode(inflate, stored.Value)
			if err != nil {
				return fmt.Errorf("the journal cannot be read at %s: %w", stored.Key, err)
			}
			e.Sequence = from + uint64(len(c.entries))
			c.entries = append(c.entries, e)
		}
		return nil
	})
	return c, err
}

// restore writes the entries in several transactions: nobody reads the place yet.
func (s *shared) restore(ctx context.Context, p Place, entries []*Entry, dropped uint64) error {
	prefix := s.Prefix(p)
	for some := range slices.Chunk(entries, maxTransaction/mostBytes) {
		err := s.update(ctx, "restored", func(tx store.Tx) error {
			for _, e := range some {
				value, err := encode(e)
				if err == nil {
					err = tx.Put(entryKey(prefix, e.Sequence), value)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	h := head{counters: restored(entries, dropped)}
	h.First = h.Last - uint64(len(entries)) + 1
	return s.update(ctx, "restored", func(tx store.Tx) error { return h.put(tx, prefix) })
}

// Clear takes all entries from readers in its first transaction, and deletes them in that and more.
func (s *shared) Clear(ctx context.Context, p Place) error {
	prefix := s.Prefix(p)
	for first, more := true, true; more; first = false {
		err := s.update(ctx, "cleared", func(tx store.Tx) error {
			h, err := readHead(tx, prefix)
			if more = false; err != nil || h.Last == 0 { // see add
				return err
			}
			if first {
				h.Base = int64(h.Last)
			}
			err = h.trim(tx, prefix, s.Size, maxKeys-1)
			more = h.First < h.from(s.Size)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rewatch is how long a watch that has ended rests.
const rewatch = 500 * time.Millisecond

func (s *shared) Watch(world string) (<-chan struct{}, func()) {
	ctx, stop := context.WithCancel(context.Background())
	wake := make(chan struct{}, 1)
	for _, prefix := range []string{s.RecordKey(world), s.Prefix(Place{World: world})} {
		go func() {
			for ctx.Err() == nil {
				changes, err := s.Store.Watch(ctx, prefix)
				notify(wake) // of what changed between two watches
				if err == nil {
					for range changes {
						notify(wake)
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(rewatch):
				}
			}
		}()
	}
	return wake, stop
}

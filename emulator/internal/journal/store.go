package journal

import (
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

const (
	// The limits of a transaction that every store accepts.
	maxKeys        = 100
	maxTransaction = 1 << 20 // bytes

	// The limits of a batch. An entry may need four keys: its own, its world's record and metadata, and an old entry to delete.
	maxBatch      = maxKeys / 4
	maxBatchBytes = maxTransaction / 2
)

// shared is the journals in a store. Below the prefix of a journal are its metadata and each entry by its number.
type shared struct {
	Config
	mu         sync.Mutex
	open       *batch        // the write buffer
	committing chan struct{} // has one element during the commit of a batch, while the next batch fills
}

func newShared(c Config) *shared { return &shared{Config: c, committing: make(chan struct{}, 1)} }

// batch is entries to be written in one transaction.
type batch struct {
	values map[Ref][][]byte
	count  int
	bytes  int
	done   chan struct{} // closed once it is written
	err    error         // final then
}

// Append writes the entry in one batch with the entries of concurrent requests.
func (s *shared) Append(_ context.Context, ref Ref, e *Entry) error {
	value, err := encode(e)
	if err != nil {
		return err
	}
	b, first := s.join(ref, value)
	if first {
		func() {
			defer close(b.done)
			b.err = s.commit(b)
		}()
	}
	<-b.done
	return b.err
}

// join adds an entry to the open batch, or to a new one, of which it is the first.
func (s *shared) join(ref Ref, value []byte) (b *batch, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b = s.open
	if first = b == nil || b.count == maxBatch || b.bytes+len(value) > maxBatchBytes; first {
		b = &batch{values: make(map[Ref][][]byte), done: make(chan struct{}), err: errNotWritten}
		s.open = b
	}
	b.values[ref] = append(b.values[ref], value)
	b.count++
	b.bytes += len(value)
	return b, first
}

// errNotWritten is the error of a batch whose writer has panicked.
var errNotWritten = errors.New("the journal was not written")

// commit writes a batch, except for entries of ended generations. Several requests wait for it, so the end of one request's
// context must not stop it.
func (s *shared) commit(b *batch) error {
	s.committing <- struct{}{}
	defer func() { <-s.committing }()
	s.mu.Lock()
	if s.open == b {
		s.open = nil
	}
	s.mu.Unlock()
	// Each journal has a record and metadata, and deletes at least as many old entries as it adds, so that it does not grow.
	spare := (maxKeys - 2*b.count - 2*len(b.values)) / len(b.values)
	return s.update(context.Background(), "written", func(tx store.Tx) error {
		for ref, values := range b.values {
			if err := s.add(tx, ref, values, len(values)+spare); err != nil {
				return err
			}
		}
		return nil
	})
}

// update runs a transaction. Its error says that the journal was not written, restored or cleared.
func (s *shared) update(ctx context.Context, done string, fn func(store.Tx) error) error {
	if err := s.Store.Update(ctx, fn); err != nil {
		return fmt.Errorf("the journal was not %s: %w", done, err)
	}
	return nil
}

// add numbers and writes entries, and deletes old ones. A journal without metadata is new, or its generation has ended: then
// add writes nothing. The collection of an ended generation deletes the metadata first.
func (s *shared) add(tx store.Tx, ref Ref, values [][]byte, deletes int) error {
	prefix := s.Prefix(ref)
	m, err := readMeta(tx, prefix)
	if err != nil {
		return err
	}
	if m.Last == 0 {
		if generation, err := s.Current(tx, ref.World); err != nil || generation != ref.Generation {
			return err
		}
	}
	for _, value := range values {
		m.Last++
		if err := tx.Put(entryKey(prefix, m.Last), value); err != nil {
			return err
		}
	}
	return m.trim(tx, prefix, s.Size, deletes)
}

const metaKey = "#" // sorts before the keys of entries

// metadata is what a journal has in the store beside its entries.
type metadata struct {
	counters
	First uint64 `json:"first"` // the oldest entry that was not deleted
}

func entryKey(prefix string, number uint64) string { return fmt.Sprintf("%s%020d", prefix, number) }

func readMeta(tx store.Tx, prefix string) (metadata, error) {
	m := metadata{First: 1}
	value, err := tx.Get(prefix + metaKey)
	if err == nil && value != nil {
		err = json.Unmarshal(value, &m)
	}
	return m, err
}

func (m metadata) put(tx store.Tx, prefix string) error {
	value, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return tx.Put(prefix+metaKey, value)
}

// firstVisible returns the number of the first entry for readers.
func (m metadata) firstVisible(size int) uint64 {
	return max(m.First, uint64(max(m.Base, 0))+1, m.Last-min(m.Last, uint64(size))+1)
}

// trim deletes invisible entries and writes the metadata. It deletes at most so many; later calls delete the rest.
func (m *metadata) trim(tx store.Tx, prefix string, size, most int) error {
	for end := min(m.firstVisible(size), m.First+uint64(most)); m.First < end; m.First++ {
		if err := tx.Delete(entryKey(prefix, m.First)); err != nil {
			return err
		}
	}
	return m.put(tx, prefix)
}

func (s *shared) read(ctx context.Context, ref Ref, after Cursor) (c contents, err error) {
	err = s.Store.View(ctx, func(tx store.Tx) (err error) {
		c = contents{generation: ref.Generation}
		if ref.Generation == 0 {
			if c.generation, err = s.Current(tx, ref.World); err != nil {
				return err
			}
		}
		prefix := s.Prefix(Ref{ref.World, c.generation})
		m, err := readMeta(tx, prefix)
		if err != nil {
			return err
		}
		c.counters = m.counters
		inflate := flate.NewReader(nil)
		from := m.firstVisible(s.Size)
		if after.Generation == c.generation {
			from = max(from, min(after.Sequence, m.Last)+1)
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

// restore writes the entries in several transactions, because readers do not see the new generation yet.
func (s *shared) restore(ctx context.Context, ref Ref, r Restored) error {
	prefix := s.Prefix(ref)
	m := metadata{counters: counters{Last: r.Dropped}, First: r.Dropped + 1}
	batch, size, first := make(map[string][]byte), 0, true
	put := func() error {
		return s.update(ctx, "restored", func(tx store.Tx) error {
			for key, value := range batch {
				if err := tx.Put(key, value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for e, err := range r.Entries {
		var value []byte
		if err == nil {
			value, err = encode(e)
		}
		if size += len(value); err == nil && (size > maxTransaction || len(batch) == maxKeys) {
			err = put()
			batch, size = make(map[string][]byte), len(value)
		}
		if err != nil {
			return err
		}
		if first {
			m.First, m.Base = e.Sequence, int64(e.Sequence)-1-int64(r.Dropped)
		}
		batch[entryKey(prefix, e.Sequence)], m.Last, first = value, e.Sequence, false
	}
	if err := put(); err != nil {
		return err
	}
	return s.update(ctx, "restored", func(tx store.Tx) error { return m.put(tx, prefix) })
}

// Clear hides all entries from readers in its first transaction, and deletes them in that and later ones.
func (s *shared) Clear(ctx context.Context, ref Ref) error {
	prefix := s.Prefix(ref)
	for first, more := true, true; more; first = false {
		err := s.update(ctx, "cleared", func(tx store.Tx) error {
			m, err := readMeta(tx, prefix)
			if more = false; err != nil || m.Last == 0 { // see add
				return err
			}
			if first {
				m.Base = int64(m.Last)
			}
			err = m.trim(tx, prefix, s.Size, maxKeys-1)
			more = m.First < m.firstVisible(s.Size)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// watchPause is the pause before an ended watch is renewed.
const watchPause = 500 * time.Millisecond

func (s *shared) Watch(world string) (<-chan struct{}, func()) {
	wake := make(chan struct{}, 1)
	return wake, s.watch(func() { notify(wake) }, s.RecordKey(world), s.Prefix(Ref{World: world}))
}

func (s *shared) Follow(a *Arrivals) (stop func()) {
	return s.watch(func() { a.add() }, s.Prefix(Ref{}))
}

// watch calls changed after a key with one of the prefixes has changed.
func (s *shared) watch(changed func(), prefixes ...string) (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	for _, prefix := range prefixes {
		go func() {
			for ctx.Err() == nil {
				changes, err := s.Store.Watch(ctx, prefix)
				changed() // between two watches
				if err == nil {
					for range changes {
						changed()
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(watchPause):
				}
			}
		}()
	}
	return stop
}

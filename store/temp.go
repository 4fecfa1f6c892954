package store

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// What is gathered at most before it is committed.
const (
	pendingKeys = 1024
	pendingSize = 4 << 20 // bytes
)

// fill is how full a page becomes before it is split. Most keys come in the order of their making, so that a page that is
// left half empty stays so.
const fill = 0.9

// tempStore is a store that need not outlive its process: its writes are gathered in memory, and committed together, while
// others are gathered already.
type tempStore struct {
	*boltStore

	writing sync.Mutex // held by who changes something: from the value that it finds to the value that it leaves
	landing chan error // what comes of the commit that is under way; nil when none is. Of who is writing

	mu         sync.RWMutex
	pending    gathering // what was written since the last commit began
	committing gathering // what that commit writes
}

// gathering is what was written, by key; nil: it was deleted.
type gathering struct {
	values map[string][]byte
	size   int // in bytes
}

func newGathering() gathering { return gathering{values: make(map[string][]byte)} }

func (g *gathering) put(key string, value []byte) {
	g.values[key] = value
	g.size += len(key) + len(value)
}

func (g *gathering) full() bool { return len(g.values) >= pendingKeys || g.size >= pendingSize }

func newTempStore(under *boltStore) *tempStore {
	return &tempStore{boltStore: under, pending: newGathering()}
}

func (s *tempStore) Get(ctx context.Context, key string) ([]byte, error) {
	if value, ok := s.gathered(key); ok && ctx.Err() == nil {
		return bytes.Clone(value), nil
	}
	return s.boltStore.Get(ctx, key)
}

// gathered returns what was written of late under a key, which nobody changes.
func (s *tempStore) gathered(key string) (value []byte, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if value, ok = s.pending.values[key]; !ok {
		value, ok = s.committing.values[key]
	}
	return value, ok
}

func (s *tempStore) Recall(ctx context.Context, key string, _ func([]byte) bool) ([]byte, error) {
	return s.Get(ctx, key)
}

func (s *tempStore) Amend(ctx context.Context, key string, change Change) error {
	defer s.epoch.Add(1)
	return s.Update(ctx, key, change)
}

func (s *tempStore) Update(ctx context.Context, key string, change Change) error {
	if err := checkKey(key); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	old, err := s.present(ctx, key)
	if err != nil {
		return err
	}
	next, err := change(old)
	if err != nil || next == nil && old == nil || next != nil && old != nil && bytes.Equal(old, next) {
		return err
	}
	if s.pending.full() {
		if err := s.makeRoom(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending.put(key, bytes.Clone(next))
	return nil
}

// present returns the value of key for a change, which does not keep it, to the one who is writing.
func (s *tempStore) present(ctx context.Context, key string) ([]byte, error) {
	if value, ok := s.gathered(key); ok && ctx.Err() == nil {
		return value, nil
	}
	return s.read(ctx, key)
}

func (s *tempStore) Scan(ctx context.Context, prefix, after string, visit func(key string, value []byte) error) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	return s.boltStore.Scan(ctx, prefix, after, visit)
}

func (s *tempStore) DeletePrefix(ctx context.Context, prefix string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.land() // where it failed, all of it is pending again
	if err := s.boltStore.DeletePrefix(ctx, prefix); err != nil {
		return err
	}
	s.mu.Lock() // only now: until then what is pending hides what it has replaced
	defer s.mu.Unlock()
	maps.DeleteFunc(s.pending.values, func(key string, _ []byte) bool { return strings.HasPrefix(key, prefix) })
	return nil
}

// Check has bbolt check its file, with all that was written.
func (s *tempStore) Check(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	return s.boltStore.Check(ctx)
}

func (s *tempStore) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.land() // the file goes, whatever is in it
	s.mu.Lock()
	s.pending = newGathering()
	s.mu.Unlock()
	return s.boltStore.Close()
}

// settle commits what is pending.
func (s *tempStore) settle(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.commit()
}

// makeRoom has what is pending be committed while more is gathered, for the one who is writing. When the commit before has
// failed, it is tried again at once: its error is that of the write for which there is no room.
func (s *tempStore) makeRoom() error {
	if err := s.land(); err != nil {
		return s.commit()
	}
	s.mu.Lock()
	s.pending, s.committing = newGathering(), s.pending
	s.mu.Unlock()
	values, landing := s.committing.values, make(chan error, 1)
	s.landing = landing
	go func() { landing <- s.write(values) }()
	return nil
}

// land waits for the commit that is under way, if one is, for the one who is writing. When it failed, all of it is pending
// again.
func (s *tempStore) land() error {
	if s.landing == nil {
		return nil
	}
	err := <-s.landing
	s.landing = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		for key, value := range s.committing.values {
			if _, later := s.pending.values[key]; !later {
				s.pending.put(key, value)
			}
		}
	}
	s.committing = gathering{}
	return err
}

// commit commits all that was gathered, for the one who is writing. When it fails, all stays pending.
func (s *tempStore) commit() error {
	_ = s.land() // where it failed, it is tried again with the rest
	if len(s.pending.values) == 0 {
		return nil
	}
	if err := s.write(s.pending.values); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = newGathering()
	return nil
}

// write commits values.
func (s *tempStore) write(values map[string][]byte) error {
	return s.committer.do(func(data records) (changed bool, err error) {
		data.bucket.FillPercent = fill
		for _, key := range slices.Sorted(maps.Keys(values)) { // in order, which bbolt likes best
			if value := values[key]; value == nil {
				err = data.delete([]byte(key))
			} else {
				err = data.put([]byte(key), value)
			}
			if err != nil {
				return true, err
			}
		}
		return true, nil
	})
}

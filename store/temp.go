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

// tempStore is a store that need not outlive its process: its writes are gathered in memory, and committed together.
type tempStore struct {
	*boltStore

	writing sync.Mutex // held by who changes something: from the value that it finds to the value that it leaves

	mu      sync.RWMutex
	pending map[string][]byte // what was written since the last commit; nil: it was deleted
	size    int               // of it, in bytes
}

func newTempStore(under *boltStore) *tempStore {
	return &tempStore{boltStore: under, pending: make(map[string][]byte)}
}

func (s *tempStore) Get(ctx context.Context, key string) ([]byte, error) {
	s.mu.RLock()
	value, ok := s.pending[key]
	s.mu.RUnlock()
	if ok && ctx.Err() == nil {
		return bytes.Clone(value), nil
	}
	return s.boltStore.Get(ctx, key)
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
	if len(s.pending) >= pendingKeys || s.size >= pendingSize {
		if err := s.commit(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[key] = bytes.Clone(next)
	s.size += len(key) + len(next)
	return nil
}

// present returns the value of key for a change, which does not keep it, to the one who is writing.
func (s *tempStore) present(ctx context.Context, key string) ([]byte, error) {
	if value, ok := s.pending[key]; ok && ctx.Err() == nil {
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
	if err := s.boltStore.DeletePrefix(ctx, prefix); err != nil {
		return err
	}
	s.mu.Lock() // only now: until then what is pending hides what it has replaced
	defer s.mu.Unlock()
	maps.DeleteFunc(s.pending, func(key string, _ []byte) bool { return strings.HasPrefix(key, prefix) })
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
	s.mu.Lock()
	clear(s.pending) // the file goes with it
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

// commit commits what is pending, for the one who is writing. When it fails, all stays pending.
func (s *tempStore) commit() error {
	if len(s.pending) == 0 {
		return nil
	}
	err := s.committer.do(func(data records) (changed bool, err error) {
		data.bucket.FillPercent = fill
		for _, key := range slices.Sorted(maps.Keys(s.pending)) { // in order, which bbolt likes best
			if value := s.pending[key]; value == nil {
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
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.pending)
	s.size = 0
	return nil
}

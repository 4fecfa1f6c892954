package emulator_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store"
)

// brokenStore fails every read in one way, and is otherwise a store.
type brokenStore struct {
	store.Store
	read func() ([]byte, error)
}

func (s brokenStore) Get(context.Context, string) ([]byte, error) { return s.read() }

func (s brokenStore) Recall(context.Context, string, func([]byte) bool) ([]byte, error) {
	return s.read()
}

func broken(t *testing.T, read func() ([]byte, error)) emulator.Option {
	t.Helper()
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	return emulator.WithStore(brokenStore{temp, read})
}

// countingStore is a temporary store that counts its writes.
type countingStore struct {
	store.Store
	updates atomic.Int64
}

func (s *countingStore) Update(ctx context.Context, key string, change store.Change) error {
	s.updates.Add(1)
	return s.Store.Update(ctx, key, change)
}

func (s *countingStore) Amend(ctx context.Context, key string, change store.Change) error {
	s.updates.Add(1)
	return s.Store.Amend(ctx, key, change)
}

func (s *countingStore) option(t *testing.T) emulator.Option {
	t.Helper()
	var err error
	if s.Store, err = store.Open("temp"); err != nil {
		t.Fatal(err)
	}
	return emulator.WithStore(s)
}

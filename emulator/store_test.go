package emulator_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store"
)

// brokenStore fails every transaction in one way, and is otherwise a store.
type brokenStore struct {
	store.Store
	fail func() error
}

func (s brokenStore) View(context.Context, func(store.Tx) error) error   { return s.fail() }
func (s brokenStore) Update(context.Context, func(store.Tx) error) error { return s.fail() }
func (s brokenStore) Ready(context.Context) error                        { return s.fail() }

// Watch fails without a panic: it is called in the background, where a panic ends the process.
func (s brokenStore) Watch(context.Context, string) (<-chan struct{}, error) {
	return nil, errors.New("nothing can be watched")
}

func broken(t *testing.T, fail func() error) emulator.Option {
	t.Helper()
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	return emulator.WithStore(brokenStore{temp, fail})
}

// countingStore is a temporary store that counts its Updates.
type countingStore struct {
	store.Store
	updates atomic.Int64
}

func (s *countingStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.updates.Add(1)
	return s.Store.Update(ctx, fn)
}

func (s *countingStore) option(t *testing.T) emulator.Option {
	t.Helper()
	var err error
	if s.Store, err = store.Open("temp"); err != nil {
		t.Fatal(err)
	}
	return emulator.WithStore(s)
}

package storetest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// Counting is a Store that counts the calls of Update.
type Counting struct {
	store.Store
	Updates atomic.Int64
}

func (s *Counting) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.Updates.Add(1)
	return s.Store.Update(ctx, fn)
}

// Put sets the value of a key.
func Put(t testing.TB, s store.Store, key string, value []byte) {
	t.Helper()
	update(t, s, func(tx store.Tx) error { return tx.Put(key, value) })
}

// Increment adds one to the decimal number at a key. A missing key counts as zero.
func Increment(t testing.TB, s store.Store, key string) {
	t.Helper()
	update(t, s, func(tx store.Tx) error { return increment(tx, key) })
}

// WantValue checks the value of a key. nil means that the key is missing.
func WantValue(t testing.TB, s store.Store, key string, want []byte) {
	t.Helper()
	view(t, s, func(tx store.Tx) error {
		got, err := tx.Get(key)
		if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("the value of %.40q is %.40q, want %.40q", key, got, want)
		}
		return err
	})
}

// WantKeys checks the keys with a prefix.
func WantKeys(t testing.TB, s store.Store, prefix string, want ...string) {
	t.Helper()
	if got := keys(t, s, prefix); !slices.Equal(got, want) {
		t.Errorf("the keys with %q are %q, want %q", prefix, got, want)
	}
}

func keys(t testing.TB, s store.Store, prefix string) (all []string) {
	t.Helper()
	view(t, s, func(tx store.Tx) error {
		all = nil
		for entry, err := range tx.Scan(prefix, "") {
			if err != nil {
				return err
			}
			all = append(all, entry.Key)
		}
		return nil
	})
	return all
}

func view(t testing.TB, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Errorf("View returned %v", err)
	}
}

func update(t testing.TB, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(context.WithoutCancel(t.Context()), fn); err != nil {
		t.Errorf("Update returned %v", err)
	}
}

// rounds returns how often a test of concurrency or chance repeats: long with CI=true, else short.
func rounds(short, long int) int {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return long
	}
	return short
}

// transactions returns View and Update by name.
func transactions(s store.Store) map[string]func(context.Context, func(store.Tx) error) error {
	return map[string]func(context.Context, func(store.Tx) error) error{"View": s.View, "Update": s.Update}
}

// together runs writers concurrently and waits for them.
func together(writers int, write func(writer int)) {
	var running sync.WaitGroup
	for writer := range writers {
		running.Go(func() { write(writer) })
	}
	running.Wait()
}

func increment(tx store.Tx, key string) error {
	value, err := tx.Get(key)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi("0" + string(value))
	return errors.Join(err, tx.Put(key, []byte(strconv.Itoa(n+1))))
}

// putAll sets several keys to the same value in one transaction.
func putAll(t testing.TB, s store.Store, value string, keys ...string) {
	t.Helper()
	update(t, s, func(tx store.Tx) (err error) {
		for _, key := range keys {
			err = errors.Join(err, tx.Put(key, []byte(value)))
		}
		return err
	})
}

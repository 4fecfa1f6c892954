package storetest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// Counting is a store that counts its Updates.
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

// Increment adds one to the decimal number at a key; none is zero.
func Increment(t testing.TB, s store.Store, key string) {
	t.Helper()
	update(t, s, func(tx store.Tx) error { return increment(tx, key) })
}

// WantValue checks the value of a key; nil is nothing.
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

// WantKeys checks which keys have a prefix.
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

// transactions are the two kinds, by name.
func transactions(s store.Store) map[string]func(context.Context, func(store.Tx) error) error {
	return map[string]func(context.Context, func(store.Tx) error) error{"View": s.View, "Update": s.Update}
}

// together runs several writers at once and waits for them.
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

// putAll sets keys to one value in one transaction.
func putAll(t testing.TB, s store.Store, value string, keys ...string) {
	t.Helper()
	update(t, s, func(tx store.Tx) (err error) {
		for _, key := range keys {
			err = errors.Join(err, tx.Put(key, []byte(value)))
		}
		return err
	})
}

// testModel runs random transactions on the store and on a map, and compares them.
func testModel(t *testing.T, s store.Store) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func(minLen, maxLen int) string { // few enough strings that keys meet, and prefixes match
		drawn := make([]byte, minLen+r.IntN(maxLen-minLen+1))
		for i := range drawn {
			drawn[i] = "ab/\x00\xff"[r.IntN(5)]
		}
		return string(drawn)
	}
	committed := map[string]string{}
	for range 500 {
		var model map[string]string
		want := []error{nil, errors.New("drawn")}[r.IntN(2)]
		err := s.Update(t.Context(), func(tx store.Tx) error {
			model = maps.Clone(committed)
			for range r.IntN(6) {
				key, value := draw(1, 4), draw(0, 2)
				if err := tx.Delete(key); err != nil {
					return err
				}
				delete(model, key)
				if r.IntN(3) > 0 {
					_, model[key] = tx.Put(key, []byte(value)), value
				}
				wantModel(t, tx, model, draw(0, 2), draw(0, 4))
			}
			return want
		})
		if err != want {
			t.Fatalf("Update returned %v, want %v", err, want)
		}
		if err == nil {
			committed = model
		}
		if r.IntN(10) == 0 {
			prefix := draw(0, 2)
			if err := store.DeletePrefix(t.Context(), s, prefix); err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(committed, func(key, _ string) bool { return strings.HasPrefix(key, prefix) })
		}
		view(t, s, func(tx store.Tx) error { wantModel(t, tx, committed, "", ""); return nil })
		if t.Failed() {
			return
		}
	}
}

// wantModel wants a transaction to have what the model has with a prefix and after a key.
func wantModel(t *testing.T, tx store.Tx, model map[string]string, prefix, after string) {
	t.Helper()
	var got, want []store.Entry
	for entry, err := range tx.Scan(prefix, after) {
		if got = append(got, entry); err != nil {
			t.Error(err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(model)) {
		if strings.HasPrefix(key, prefix) && key > after {
			value, err := tx.Get(key)
			if want = append(want, store.Entry{Key: key, Value: []byte(model[key])}); err != nil || value == nil || string(value) != model[key] {
				t.Errorf("the value of %q is %q %v, want %q", key, value, err, model[key])
			}
		}
	}
	if !reflect.DeepEqual(got, want) { // nil is not an empty value
		t.Errorf("the entries with %q after %q are %q, want %q", prefix, after, got, want)
	}
}

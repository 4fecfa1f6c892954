package storetest

import (
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// testModel runs random transactions on the store and on a map, and compares the results.
func testModel(t *testing.T, s store.Store) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func(minLen, maxLen int) string { // few different strings, so that keys repeat and prefixes match
		drawn := make([]byte, minLen+r.IntN(maxLen-minLen+1))
		for i := range drawn {
			drawn[i] = "ab/\x00\xff"[r.IntN(5)]
		}
		return string(drawn)
	}
	committed := map[string]string{}
	for range rounds(250, 500) {
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

// wantModel compares what a transaction reads with the model.
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

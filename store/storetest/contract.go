// Package storetest has the tests that every engine of [store.Store] passes, and damages the files of those that have one.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// Contract checks what callers of any Store rely on. Each store that open returns must be empty.
func Contract(t *testing.T, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(t *testing.T, s store.Store){
		"put_then_get":                            testPutGet,
		"impossible_key_is_refused":               testImpossibleKey,
		"failure_leaves_no_trace":                 testFailure,
		"view_is_read_only":                       testReadOnly,
		"writes_within_a_scan":                    testWritesWithinScan,
		"delete_prefix":                           testDeletePrefix,
		"ended_context":                           testEndedContext,
		"increments_of_64_writers_are_kept":       testIncrements,
		"updates_are_serializable":                testSerializable,
		"large_transaction":                       testLarge,
		"watch":                                   testWatch,
		"closed":                                  testClosed,
		"close_waits":                             testCloseWaits,
		"transactions_behave_like_those_of_a_map": testModel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// The model does the rest of it, with small keys and values.
func testPutGet(t *testing.T, s store.Store) {
	WantValue(t, s, "a", nil)
	for key, size := range map[string]int{"long": 900_000, strings.Repeat("k", store.MaxKey): 1} {
		reused, want := bytes.Repeat([]byte("0"), size), bytes.Repeat([]byte("0"), size)
		Put(t, s, key, reused)
		clear(reused)
		WantValue(t, s, key, want)
	}
	Put(t, s, "empty", nil)
	WantValue(t, s, "empty", []byte{})
}

func testImpossibleKey(t *testing.T, s store.Store) {
	for _, key := range []string{"", strings.Repeat("k", store.MaxKey+1)} {
		update(t, s, func(tx store.Tx) error {
			if tx.Put(key, []byte("x")) == nil || tx.Delete(key) == nil {
				t.Errorf("a key of %d bytes was taken", len(key))
			}
			return nil
		})
		WantValue(t, s, key, nil)
	}
}

func testFailure(t *testing.T, s store.Store) {
	putAll(t, s, "1", "a", "b")
	want := errors.New("refused")
	for name, call := range transactions(s) {
		for _, panics := range []bool{false, true} {
			thrown, err := catch(func() error {
				return call(t.Context(), func(tx store.Tx) error {
					_, _ = tx.Put("a", []byte("x")), tx.Delete("b") // View refuses them
					if panics {
						panic(want)
					}
					return want
				})
			})
			if !panics && err != want || panics && thrown != want {
				t.Errorf("%s returned %v and threw %v, want the %v of its function", name, err, thrown, want)
			}
		}
	}
	WantValue(t, s, "a", []byte("1"))
	WantKeys(t, s, "", "a", "b")
	Put(t, s, "a", []byte("2"))
	WantValue(t, s, "a", []byte("2"))
}

func catch(call func() error) (thrown any, err error) {
	defer func() { thrown = recover() }()
	return nil, call()
}

func testReadOnly(t *testing.T, s store.Store) {
	view(t, s, func(tx store.Tx) error {
		for call, err := range map[string]error{"Put": tx.Put("a", nil), "Delete": tx.Delete("a")} {
			if !errors.Is(err, store.ErrReadOnly) {
				t.Errorf("%s returned %v", call, err)
			}
		}
		dry := store.NewBuffer(tx) // a dry run
		if err := dry.Put("a", []byte("1")); err != nil {
			t.Error(err)
		}
		if value, err := dry.Get("a"); err != nil || string(value) != "1" {
			t.Errorf("the dry run reads %q, %v", value, err)
		}
		return nil
	})
	WantValue(t, s, "a", nil)
}

// The model does the rest of Scan.
func testWritesWithinScan(t *testing.T, s store.Store) {
	putAll(t, s, "old", "p/1", "p/2", "q")
	update(t, s, func(tx store.Tx) (err error) {
		for entry, errScan := range tx.Scan("p/", "") {
			err = errors.Join(err, errScan, tx.Delete("p/1"), tx.Delete("p/2"), tx.Put(entry.Key+"x", entry.Value))
		}
		return err
	})
	WantKeys(t, s, "", "p/1x", "p/2x", "q")
}

// The model does the rest of it.
func testDeletePrefix(t *testing.T, s store.Store) {
	for part := range 5 { // more than one transaction deletes
		var keys []string
		for i := range 90 {
			keys = append(keys, fmt.Sprintf("a/%d/%d", part, i))
		}
		putAll(t, s, "x", keys...)
	}
	putAll(t, s, "x", "a.", "a0")
	if err := store.DeletePrefix(t.Context(), s, "a/"); err != nil {
		t.Fatal(err)
	}
	WantKeys(t, s, "", "a.", "a0")
}

func testEndedContext(t *testing.T, s store.Store) {
	putAll(t, s, "1", "a", "b")
	ctx, cancel := context.WithCancel(t.Context())
	err := s.View(ctx, func(tx store.Tx) (err error) {
		for _, err = range tx.Scan("", "") {
			cancel()
		}
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Scan goes on when its context has ended: %v", err)
	}
	wantRefusals(t, ctx, s, context.Canceled)
}

func testClosed(t *testing.T, s store.Store) {
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close returned %v", err)
		}
	}
	wantRefusals(t, t.Context(), s, store.ErrClosed)
}

// wantRefusals wants each method to return an error, and to call no function.
func wantRefusals(t *testing.T, ctx context.Context, s store.Store, want error) {
	t.Helper()
	_, watch := s.Watch(ctx, "")
	errs := map[string]error{"Watch": watch, "DeletePrefix": store.DeletePrefix(ctx, s, "")}
	if ready := s.Ready(ctx); ready != nil || want != context.Canceled { // an engine may know without waiting
		errs["Ready"] = ready
	}
	for name, call := range transactions(s) {
		errs[name] = call(ctx, func(store.Tx) error { t.Errorf("%s has called its function", name); return nil })
	}
	for call, err := range errs {
		if !errors.Is(err, want) {
			t.Errorf("%s returned %v, want %v", call, err, want)
		}
	}
}

// Writers add one to two keys: no transaction sees them differ, by Get or by Scan, and no increment is lost.
func testIncrements(t *testing.T, s store.Store) {
	const writers, each = 64, 20
	wantEqual := func(tx store.Tx) error {
		a, err := tx.Get("a")
		for entry, errScan := range tx.Scan("", "") {
			b, errGet := tx.Get("b")
			if err = errors.Join(err, errScan, errGet); string(b) != string(a) || string(entry.Value) != string(a) {
				t.Errorf("a is %s, b is %s, and %s is %s by Scan", a, b, entry.Key, entry.Value)
			}
		}
		return err
	}
	together(writers, func(int) {
		for range each {
			update(t, s, func(tx store.Tx) error { return errors.Join(wantEqual(tx), increment(tx, "a"), increment(tx, "b")) })
			view(t, s, wantEqual)
		}
	})
	WantValue(t, s, "a", []byte(strconv.Itoa(writers*each)))
}

// Writers that count the keys that are set, and set one of their own below a bound, never come above it.
func testSerializable(t *testing.T, s store.Store) {
	const writers, bound = 16, 5
	for name, count := range map[string]func(tx store.Tx, prefix string) (n int, err error){
		"Scan": func(tx store.Tx, prefix string) (n int, err error) {
			for _, err = range tx.Scan(prefix, "") {
				n++
			}
			return n, err
		},
		"Get": func(tx store.Tx, prefix string) (n int, err error) {
			for writer := range writers {
				value, errGet := tx.Get(fmt.Sprint(prefix, writer))
				if err = errors.Join(err, errGet); value != nil {
					n++
				}
			}
			return n, err
		},
	} {
		for round := range 10 {
			prefix := fmt.Sprint(name, round, "/")
			together(writers, func(writer int) {
				update(t, s, func(tx store.Tx) error {
					n, err := count(tx, prefix)
					if err != nil || n == bound {
						return err
					}
					return tx.Put(fmt.Sprint(prefix, writer), []byte("x"))
				})
			})
			if n := len(keys(t, s, prefix)); n != bound {
				t.Errorf("by %s, %d keys were set, want %d", name, n, bound)
			}
		}
	}
}

// What the documentation of Store says that every engine takes.
func testLarge(t *testing.T, s store.Store) {
	for _, value := range []string{"x", "y"} {
		update(t, s, func(tx store.Tx) (err error) {
			for i := range 100 {
				key := fmt.Sprintf("%03d", i)
				_, errGet := tx.Get(key)
				err = errors.Join(err, errGet, tx.Put(key, bytes.Repeat([]byte(value), 10<<10)))
			}
			return err
		})
	}
	if n := len(keys(t, s, "")); n != 100 {
		t.Errorf("%d keys, want 100", n)
	}
}

func testWatch(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	changed, err := s.Watch(ctx, "p/")
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.Watch(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(store.Tx) error{
		func(tx store.Tx) error { return tx.Put("p/a", []byte("1")) },
		func(tx store.Tx) error { return tx.Put("p/a", []byte("2")) },
		func(tx store.Tx) error { return tx.Delete("p/a") },
	} {
		update(t, s, change)
		if _, ok := <-changed; !ok {
			t.Fatal("the channel is closed")
		}
	}
	Put(t, s, "q", []byte("1"))
	_ = s.Update(t.Context(), func(tx store.Tx) error { _ = tx.Put("p/b", []byte("x")); return errors.New("no") })
	<-open // at the latest of q
	select {
	case _, ok := <-changed:
		t.Errorf("a change of another key was received: %t", ok)
	default:
	}
	cancel()
	for range changed { // until it is closed
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range open {
	}
}

func testCloseWaits(t *testing.T, s store.Store) {
	begun, resume, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	finished := false
	go func() {
		done <- s.Update(t.Context(), func(tx store.Tx) error {
			close(begun)
			<-resume
			finished = true
			return tx.Put("a", []byte("1"))
		})
	}()
	<-begun
	go close(resume)
	if err := s.Close(); err != nil || !finished {
		t.Errorf("Close returned %v; the transaction had ended: %t", err, finished)
	}
	if err := <-done; err != nil {
		t.Errorf("Update returned %v", err)
	}
}

// Package storetest has the contract suite that every engine of [store.Store] passes, and helpers for tests of stores:
//
//	func TestStore(t *testing.T) {
//		storetest.Contract(t, func(t *testing.T) store.Store { return openEmpty(t) })
//	}
//
// The suite has a few direct tests of each method, and in model.go one that compares random transactions with a map.
// [Put], [Increment], [WantValue] and [WantKeys] are transactions of one line; [Counting] counts updates; [Damage] damages
// store files. Begin with [Contract].
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

// Contract tests the contract of [store.Store]. Each store that open returns must be empty.
func Contract(t *testing.T, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(t *testing.T, s store.Store){
		"put/get returns the value":      testPutGet,
		"put/invalid key is refused":     testInvalidKey,
		"scan/does not see later writes": testWritesDuringScan,
		"scan/finds many keys":           testLongScan,
		"view/is read-only":              testReadOnly,
		"update/failure leaves no trace": testFailure,
		"update/no increment is lost":    testIncrements,
		"update/is serializable":         testSerializable,
		"update/100 keys and 1 MiB":      testLarge,
		"update/behaves like a map":      testModel,
		"delete prefix/deletes all":      testDeletePrefix,
		"context/end stops transactions": testEndedContext,
		"watch/receives changes":         testWatch,
		"close/refuses later calls":      testClosed,
		"close/waits for transactions":   testCloseWaits,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// testPutGet tests extreme keys and values; testModel tests small ones.
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

func testInvalidKey(t *testing.T, s store.Store) {
	for _, key := range []string{"", strings.Repeat("k", store.MaxKey+1)} {
		update(t, s, func(tx store.Tx) error {
			if tx.Put(key, []byte("x")) == nil || tx.Delete(key) == nil {
				t.Errorf("a key of %d bytes is accepted", len(key))
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
			panicked, err := catch(func() error {
				return call(t.Context(), func(tx store.Tx) error {
					_, _ = tx.Put("a", []byte("x")), tx.Delete("b") // ignored: View refuses them
					if panics {
						panic(want)
					}
					return want
				})
			})
			if !panics && err != want || panics && panicked != want {
				t.Errorf("%s returned %v and panicked with %v, want %v of its function", name, err, panicked, want)
			}
		}
	}
	WantValue(t, s, "a", []byte("1"))
	WantKeys(t, s, "", "a", "b")
	Put(t, s, "a", []byte("2"))
	WantValue(t, s, "a", []byte("2"))
}

func catch(call func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, call()
}

func testReadOnly(t *testing.T, s store.Store) {
	view(t, s, func(tx store.Tx) error {
		for call, err := range map[string]error{"Put": tx.Put("a", nil), "Delete": tx.Delete("a")} {
			if !errors.Is(err, store.ErrReadOnly) {
				t.Errorf("%s returned %v", call, err)
			}
		}
		dryRun := store.NewBuffer(tx)
		if err := dryRun.Put("a", []byte("1")); err != nil {
			t.Error(err)
		}
		if value, err := dryRun.Get("a"); err != nil || string(value) != "1" {
			t.Errorf("the dry run reads %q, %v", value, err)
		}
		return nil
	})
	WantValue(t, s, "a", nil)
}

func testWritesDuringScan(t *testing.T, s store.Store) {
	putAll(t, s, "old", "p/1", "p/2", "q")
	update(t, s, func(tx store.Tx) (err error) {
		for entry, errScan := range tx.Scan("p/", "") {
			err = errors.Join(err, errScan, tx.Delete("p/1"), tx.Delete("p/2"), tx.Put(entry.Key+"x", entry.Value))
		}
		return err
	})
	WantKeys(t, s, "", "p/1x", "p/2x", "q")
}

// testLongScan scans more keys than an engine reads at once.
func testLongScan(t *testing.T, s store.Store) {
	var all []string
	for part := range 6 { // too many keys for one transaction
		var keys []string
		for i := range 90 {
			keys = append(keys, fmt.Sprintf("a/%d/%02d", part, i))
		}
		putAll(t, s, "x", keys...)
		all = append(all, keys...)
	}
	WantKeys(t, s, "a/", all...)
}

func testDeletePrefix(t *testing.T, s store.Store) {
	for part := range 5 { // too many keys for one transaction
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
		t.Errorf("Scan continues after the end of its context: %v", err)
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

// wantRefusals checks that each method returns the error want without calling a function.
func wantRefusals(t *testing.T, ctx context.Context, s store.Store, want error) {
	t.Helper()
	_, watch := s.Watch(ctx, "")
	errs := map[string]error{"Watch": watch, "DeletePrefix": store.DeletePrefix(ctx, s, "")}
	if ready := s.Ready(ctx); ready != nil || want != context.Canceled { // an engine may answer without waiting
		errs["Ready"] = ready
	}
	for name, call := range transactions(s) {
		errs[name] = call(ctx, func(store.Tx) error { t.Errorf("%s called its function", name); return nil })
	}
	for call, err := range errs {
		if !errors.Is(err, want) {
			t.Errorf("%s returned %v, want %v", call, err, want)
		}
	}
}

// Concurrent writers increment two keys: every transaction sees them equal by Get and by Scan, and no increment is lost.
func testIncrements(t *testing.T, s store.Store) {
	const writers = 8 // few, since a transaction gives up after some seconds of conflicts
	each := rounds(64, 160)
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

// Concurrent writers count keys and add one if there are fewer than bound: together they never add more.
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
		for round := range rounds(4, 10) {
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
				t.Errorf("with %s, %d keys were added, want %d", name, n, bound)
			}
		}
	}
}

// Store documents that every engine accepts this.
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
	all, err := s.Watch(t.Context(), "")
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
	<-all // of q at the latest
	select {
	case _, ok := <-changed:
		t.Errorf("received a change of another key: %t", ok)
	default:
	}
	cancel()
	for range changed { // until it is closed
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range all {
	}
}

func testCloseWaits(t *testing.T, s store.Store) {
	started, resume, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	finished := false
	go func() {
		done <- s.Update(t.Context(), func(tx store.Tx) error {
			close(started)
			<-resume
			finished = true
			return tx.Put("a", []byte("1"))
		})
	}()
	<-started
	go close(resume)
	if err := s.Close(); err != nil || !finished {
		t.Errorf("Close returned %v, the transaction had ended: %t", err, finished)
	}
	if err := <-done; err != nil {
		t.Errorf("Update returned %v", err)
	}
}

// Package storetest has the tests that every engine of [store.Store] passes, damages the files of those that have one, and
// reads logs.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// Contract checks what callers of any Store rely on. Each store that open returns must be empty.
func Contract(t *testing.T, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(t *testing.T, s store.Store){
		"a key that was never set has no value":                     testNoValue,
		"what Update puts Get returns, also an empty value":         testRoundTrip,
		"the bytes from Get are the caller's":                       testOwnBytes,
		"a Change is given the present value":                       testOldValue,
		"a nil value deletes the key":                               testNilDeletes,
		"an error of a Change comes back as it is and has no trace": testErrorHasNoTrace,
		"a panic of a Change meets its caller and has no trace":     testPanicHasNoTrace,
		"Recall finds what was amended last":                        testRecall,
		"an amendment begins another epoch":                         testEpoch,
		"Scan visits the keys with a prefix in byte order":          testScanOrder,
		"Scan begins behind a key, there or not":                    testScanAfter,
		"Scan stops at an error of visit and returns it as it is":   testScanStops,
		"DeletePrefix deletes the keys with a prefix and no other":  testDeletePrefix,
		"an impossible key is refused and its Change not called":    testImpossibleKey,
		"a context that has ended stops a call before it begins":    testContextEnded,
		"64 writers add to one key and nothing is lost":             testIncrements,
		"after Close every call returns ErrClosed":                  testClosed,
		"Close lets the Update under way finish":                    testCloseWaits,
		"it behaves like a map":                                     testModel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func testNoValue(t *testing.T, s store.Store) {
	WantValue(t, s, "a", nil)
	err := s.Update(t.Context(), "a", func(old []byte) ([]byte, error) {
		if old != nil {
			t.Errorf("Change was given %q, want nil", old)
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func testRoundTrip(t *testing.T, s store.Store) {
	long := bytes.Repeat([]byte("0123456789"), 100_000)
	Put(t, s, "a", []byte("1"))
	Put(t, s, "empty", []byte{})
	Put(t, s, "long", long)
	Put(t, s, "a\x00\xff", []byte("2"))
	Put(t, s, strings.Repeat("k", 32768), []byte("3"))
	WantValue(t, s, "a", []byte("1"))
	WantValue(t, s, "empty", []byte{})
	WantValue(t, s, "long", long)
	WantValue(t, s, "a\x00\xff", []byte("2"))
	WantValue(t, s, strings.Repeat("k", 32768), []byte("3"))
}

func testOwnBytes(t *testing.T, s store.Store) {
	long := bytes.Repeat([]byte("1"), 10_000)
	Put(t, s, "a", bytes.Clone(long))
	value, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	clear(value)
	WantValue(t, s, "a", long)
}

func testOldValue(t *testing.T, s store.Store) {
	for _, value := range [][]byte{[]byte("1"), {}, []byte("3")} {
		Put(t, s, "a", value)
		err := s.Update(t.Context(), "a", func(old []byte) ([]byte, error) {
			if old == nil || !bytes.Equal(old, value) {
				t.Errorf("Change was given %q, want %q", old, value)
			}
			return old, nil
		})
		if err != nil {
			t.Error(err)
		}
		WantValue(t, s, "a", value)
	}
}

func testRecall(t *testing.T, s store.Store) {
	recall := func(want []byte) {
		t.Helper()
		for range 2 {
			value, err := s.Recall(t.Context(), "a", func(value []byte) bool {
				if !bytes.Equal(value, want) || (value == nil) != (want == nil) {
					t.Errorf("it was asked whether %q is still, want %q", value, want)
				}
				return true
			})
			if err != nil || !bytes.Equal(value, want) || (value == nil) != (want == nil) {
				t.Errorf("Recall returned %q %v, want %q", value, err, want)
			}
		}
	}
	recall(nil)
	for _, value := range [][]byte{[]byte("1"), []byte("2"), {}, nil, []byte("3")} {
		err := s.Amend(t.Context(), "a", func([]byte) ([]byte, error) { return value, nil })
		if err != nil {
			t.Fatal(err)
		}
		recall(value)
		WantValue(t, s, "a", value)
	}
}

func testEpoch(t *testing.T, s store.Store) {
	for range 3 {
		before := s.Epoch()
		if err := s.Amend(t.Context(), "a", Increment); err != nil {
			t.Fatal(err)
		}
		if s.Epoch() == before {
			t.Errorf("the epoch is %d still", before)
		}
	}
}

func testNilDeletes(t *testing.T, s store.Store) {
	Put(t, s, "a", []byte("1"))
	Put(t, s, "b", []byte("2"))
	Put(t, s, "a", nil)
	WantValue(t, s, "a", nil)
	WantValue(t, s, "b", []byte("2"))
	WantKeys(t, s, "", "b")
}

// conflict is an error type of a caller.
type conflict struct{ state string }

func (c *conflict) Error() string { return "in state " + c.state }

func testErrorHasNoTrace(t *testing.T, s store.Store) {
	Put(t, s, "a", []byte("1"))
	want := &conflict{"done"}
	for _, key := range []string{"a", "b"} {
		if err := s.Update(t.Context(), key, func([]byte) ([]byte, error) { return []byte("x"), want }); err != error(want) {
			t.Errorf("Update returned %v, want the error of its Change", err)
		}
	}
	WantValue(t, s, "a", []byte("1"))
	WantKeys(t, s, "", "a")
}

func testPanicHasNoTrace(t *testing.T, s store.Store) {
	Put(t, s, "a", []byte("1"))
	func() {
		defer func() {
			if p := recover(); p != "oh" {
				t.Errorf("recovered %v, want what was thrown", p)
			}
		}()
		_ = s.Update(t.Context(), "a", func([]byte) ([]byte, error) { panic("oh") })
	}()
	WantValue(t, s, "a", []byte("1"))
	Put(t, s, "a", []byte("2"))
	WantValue(t, s, "a", []byte("2"))
}

func testScanOrder(t *testing.T, s store.Store) {
	WantKeys(t, s, "")
	for _, key := range []string{"b", "a\xff\xff", "a/2", "\xff\xff", "a/10", "a", "\x00", "a\xff", "\xff", "a\xffb"} {
		Put(t, s, key, []byte(key))
	}
	WantKeys(t, s, "", "\x00", "a", "a/10", "a/2", "a\xff", "a\xffb", "a\xff\xff", "b", "\xff", "\xff\xff")
	WantKeys(t, s, "a", "a", "a/10", "a/2", "a\xff", "a\xffb", "a\xff\xff")
	WantKeys(t, s, "a/", "a/10", "a/2")
	WantKeys(t, s, "a\xff", "a\xff", "a\xffb", "a\xff\xff")
	WantKeys(t, s, "\xff", "\xff", "\xff\xff")
	WantKeys(t, s, "\xff\xff\xff")
	WantKeys(t, s, "c")
}

func testScanAfter(t *testing.T, s store.Store) {
	for _, key := range []string{"a", "p/1", "p/3", "p/5", "q"} {
		Put(t, s, key, []byte("v"))
	}
	for after, want := range map[string][]string{
		"": {"p/1", "p/3", "p/5"}, "p/1": {"p/3", "p/5"}, "p/2": {"p/3", "p/5"}, "p/5": nil, "a": {"p/1", "p/3", "p/5"}, "z": nil,
	} {
		var keys []string
		err := s.Scan(t.Context(), "p/", after, func(key string, _ []byte) error { keys = append(keys, key); return nil })
		if err != nil || !slices.Equal(keys, want) {
			t.Errorf("behind %q: %v %v, want %v", after, keys, err, want)
		}
	}
}

func testScanStops(t *testing.T, s store.Store) {
	Put(t, s, "a", []byte("1"))
	Put(t, s, "b", []byte("2"))
	want, visits := &conflict{"done"}, 0
	err := s.Scan(t.Context(), "", "", func(string, []byte) error { visits++; return want })
	if err != error(want) || visits != 1 {
		t.Errorf("Scan returned %v after %d visits, want the error of the first", err, visits)
	}
}

func testDeletePrefix(t *testing.T, s store.Store) {
	var kept []string
	for i := range 1000 {
		Put(t, s, "a/"+strconv.Itoa(i), []byte("x"))
	}
	for _, key := range []string{"a", "a.", "a0", "a\xff", "b"} {
		Put(t, s, key, []byte("x"))
		kept = append(kept, key)
	}
	for range 2 {
		if err := s.DeletePrefix(t.Context(), "a/"); err != nil {
			t.Fatal(err)
		}
		WantKeys(t, s, "", kept...)
	}
	if err := s.DeletePrefix(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	WantKeys(t, s, "")
}

func testImpossibleKey(t *testing.T, s store.Store) {
	for _, key := range []string{"", strings.Repeat("k", 32769)} {
		err := s.Update(t.Context(), key, func([]byte) ([]byte, error) {
			t.Errorf("the Change of a key of %d bytes was called", len(key))
			return nil, nil
		})
		if err == nil {
			t.Errorf("a key of %d bytes was taken", len(key))
		}
		WantValue(t, s, key, nil)
	}
}

func testContextEnded(t *testing.T, s store.Store) {
	Put(t, s, "a", []byte("1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for call, err := range calls(ctx, s) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s returned %v, want %v", call, err, context.Canceled)
		}
	}
	WantValue(t, s, "a", []byte("1"))
}

func testIncrements(t *testing.T, s store.Store) {
	const writers, each = 64, 200
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := s.Update(t.Context(), "n", Increment); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	WantValue(t, s, "n", []byte(strconv.Itoa(writers*each)))
}

func testClosed(t *testing.T, s store.Store) {
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close returned %v", err)
		}
	}
	for call, err := range calls(t.Context(), s) {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s returned %v, want %v", call, err, store.ErrClosed)
		}
	}
}

func testCloseWaits(t *testing.T, s store.Store) {
	begun, resume := make(chan struct{}), make(chan struct{})
	var finished bool
	updated := make(chan error, 1)
	go func() {
		updated <- s.Update(t.Context(), "a", func([]byte) ([]byte, error) {
			close(begun)
			<-resume
			finished = true
			return []byte("1"), nil
		})
	}()
	<-begun
	go close(resume)
	if err := s.Close(); err != nil {
		t.Errorf("Close returned %v", err)
	}
	if !finished {
		t.Error("Close did not wait for the Change")
	}
	if err := <-updated; err != nil {
		t.Errorf("Update returned %v", err)
	}
}

// Increment is a [store.Change] that adds one to a decimal number; none is zero.
func Increment(old []byte) ([]byte, error) {
	n, err := strconv.Atoi("0" + string(old))
	return []byte(strconv.Itoa(n + 1)), err
}

// calls makes every call but Close and returns their errors.
func calls(ctx context.Context, s store.Store) map[string]error {
	_, get := s.Get(ctx, "a")
	_, recall := s.Recall(ctx, "a", func([]byte) bool { return true })
	return map[string]error{
		"Get":          get,
		"Recall":       recall,
		"Amend":        s.Amend(ctx, "a", func([]byte) ([]byte, error) { return []byte("x"), nil }),
		"Update":       s.Update(ctx, "a", func([]byte) ([]byte, error) { return []byte("x"), nil }),
		"Scan":         s.Scan(ctx, "", "", func(string, []byte) error { return nil }),
		"DeletePrefix": s.DeletePrefix(ctx, ""),
	}
}

// Tester is what *testing.T and *rapid.T have in common here.
type Tester interface {
	Context() context.Context
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Put sets the value of a key.
func Put(t Tester, s store.Store, key string, value []byte) {
	t.Helper()
	if err := s.Update(t.Context(), key, func([]byte) ([]byte, error) { return value, nil }); err != nil {
		t.Fatalf("Update(%q) returned %v", key, err)
	}
}

// WantValue checks what Get returns; nil is nothing.
func WantValue(t Tester, s store.Store, key string, want []byte) {
	t.Helper()
	value, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("Get(%q) returned %v", key, err)
	}
	if !bytes.Equal(value, want) || (value == nil) != (want == nil) {
		t.Errorf("the value of %q is %q, want %q", key, value, want)
	}
}

// WantKeys checks what keys with a prefix Scan visits.
func WantKeys(t Tester, s store.Store, prefix string, want ...string) {
	t.Helper()
	var keys []string
	err := s.Scan(t.Context(), prefix, "", func(key string, _ []byte) error { keys = append(keys, key); return nil })
	if err != nil {
		t.Fatalf("Scan(%q) returned %v", prefix, err)
	}
	if !slices.Equal(keys, want) {
		t.Errorf("the keys that begin with %q are %q, want %q", prefix, keys, want)
	}
}

package store_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// What one reader has seen, or a writer was told, all who ask afterwards see: nothing that is kept of earlier reads is
// shown after it.
func TestNoReaderSeesWhatIsOlderThanAnotherHasSeen(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	const writes = 2000
	var newest atomic.Int64
	saw := func(n int64) {
		for {
			before := newest.Load()
			if n <= before || newest.CompareAndSwap(before, n) {
				return
			}
		}
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				before := newest.Load()
				value, err := s.Get(t.Context(), "n")
				if err != nil {
					t.Error(err)
					return
				}
				n, _ := strconv.ParseInt(string(value), 10, 64) // 0 while there is none
				if n < before {
					t.Errorf("read %d, after %d was seen", n, before)
					return
				}
				saw(n)
			}
		})
	}
	for i := range writes {
		if err := s.Update(t.Context(), "n", increment); err != nil {
			t.Error(err)
		}
		saw(int64(i + 1))
	}
	close(done)
	readers.Wait()
}

// The bytes that Get returns are the caller's, also when they come from memory.
func TestWhatACallerDoesToBytesNobodyElseSees(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	mustPut(t, s, "a", []byte("one"))
	for range 3 {
		value, err := s.Get(t.Context(), "a")
		if err != nil || string(value) != "one" {
			t.Fatalf("%q, %v", value, err)
		}
		value[0] = 'x'
	}
}

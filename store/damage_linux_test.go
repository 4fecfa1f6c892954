package store_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// Somebody cuts a file while many read and write: each of them is told, and none waits for ever.
func TestAFileThatIsCutUnderItsUsersLeavesNobodyWaiting(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]int64{"to its headers": 2 * int64(os.Getpagesize()), "to a part": 10 * int64(os.Getpagesize())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s, err := store.Open("file:" + path)
			if err != nil {
				t.Fatal(err)
			}
			const keys = 100
			for i := range keys {
				mustPut(t, s, fmt.Sprint("key", i), make([]byte, 10_000)) // too large to be kept in memory
			}
			var running sync.WaitGroup
			var reads atomic.Int64
			enough := make(chan struct{})
			for user := range 32 {
				running.Go(func() {
					for i := user; ; i++ {
						key := fmt.Sprint("key", i%keys)
						_, err := s.Get(t.Context(), key)
						if err == nil && user%8 == 0 {
							err = s.Update(t.Context(), key, func(old []byte) ([]byte, error) { return old[:len(old)-1], nil })
						}
						if err != nil {
							if !errors.Is(err, store.ErrDamaged) {
								t.Errorf("it is told %v", err)
							}
							return
						}
						if reads.Add(1) == 200 {
							close(enough)
						}
					}
				})
			}
			<-enough
			if err := os.Truncate(path, left); err != nil {
				t.Fatal(err)
			}
			running.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Somebody empties a file that is in use.
func TestAFileThatIsEmptiedUnderItsUserIsDamaged(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, err := store.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "a", []byte("1"))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	want := "store file " + path + " is damaged (it has become too short): stop, and restore it, or name another file"
	for range 2 {
		_, err := s.Get(t.Context(), "b")
		for _, err := range []error{err, s.Update(t.Context(), "a", increment)} {
			if err == nil || err.Error() != want || !errors.Is(err, store.ErrDamaged) {
				t.Errorf("it is told %v", err)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

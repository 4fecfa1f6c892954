package store_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/understudy-sandbox/understudy/store"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

func TestWhatChangesNothingIsNotCommitted(t *testing.T) {
	t.Parallel()
	s := openFile(t, newPath(t))
	mustPut(t, s, "a", []byte("1"))
	before := commits(t, s)
	mustPut(t, s, "a", []byte("1"))
	mustPut(t, s, "none", nil)
	_ = s.Update(t.Context(), "a", func([]byte) ([]byte, error) { return nil, errors.New("no") })
	if err := s.DeletePrefix(t.Context(), "none"); err != nil {
		t.Error(err)
	}
	if n := commits(t, s) - before; n != 0 {
		t.Errorf("%d commits, want none", n)
	}
}

func TestWritersThatArriveDuringABatchShareTheNextCommits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ writers, commits int }{
		"a batch takes all who wait":  {100, 1 + 1},
		"but not more than its bound": {2500, 1 + 3}, // 1024 + 1024 + 452
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openFile(t, newPath(t))
			before := commits(t, s)
			synctest.Test(t, func(t *testing.T) {
				release := hold(t, s, "n")
				for range tt.writers {
					go func() {
						if err := s.Update(t.Context(), "n", increment); err != nil {
							t.Error(err)
						}
					}()
				}
				synctest.Wait()
				release()
			})
			wantValue(t, s, "n", []byte(strconv.Itoa(1+tt.writers)))
			if n := commits(t, s) - before; n != tt.commits {
				t.Errorf("%d commits, want %d", n, tt.commits)
			}
		})
	}
}

func TestNoChangeOfAKeySlipsIntoAnother(t *testing.T) {
	t.Parallel()
	s := openFile(t, newPath(t))
	synctest.Test(t, func(t *testing.T) {
		release := hold(t, s, "n")
		called := false
		go func() {
			err := s.Update(t.Context(), "n", func(old []byte) ([]byte, error) {
				called = true
				return increment(old)
			})
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if called {
			t.Error("the second Change was called while the first was under way")
		}
		wantValue(t, s, "n", nil)
		release()
	})
	wantValue(t, s, "n", []byte("2"))
}

func TestWhatGoesWrongInABatchMeetsItsOwnCaller(t *testing.T) {
	t.Parallel()
	s := openFile(t, newPath(t))
	before := commits(t, s)
	refused := errors.New("refused")
	synctest.Test(t, func(t *testing.T) {
		release := hold(t, s, "n")
		const each = 10
		for i := range each {
			go func() { mustPut(t, s, fmt.Sprint("fine", i), []byte("1")) }()
			go func() {
				if err := s.Update(t.Context(), "n", func([]byte) ([]byte, error) { return []byte("x"), refused }); err != refused {
					t.Errorf("Update returned %v, want its own error", err)
				}
			}()
			go func() {
				defer func() {
					if p := recover(); p != i {
						t.Errorf("recovered %v, want %v", p, i)
					}
				}()
				_ = s.Update(t.Context(), "n", func([]byte) ([]byte, error) { panic(i) })
			}()
			go func() { // as t.Fatal in a Change does
				_ = s.Update(t.Context(), "n", func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil })
			}()
		}
		synctest.Wait()
		release()
		synctest.Wait()
		for i := range each {
			wantValue(t, s, fmt.Sprint("fine", i), []byte("1"))
		}
	})
	wantValue(t, s, "n", []byte("1"))
	if n := commits(t, s) - before; n != 2 {
		t.Errorf("%d commits, want 2", n)
	}
}

func TestAFailedCommitIsToldToTheWholeBatch(t *testing.T) {
	t.Parallel()
	s := openFile(t, newPath(t))
	mustPut(t, s, "a", []byte("1"))
	synctest.Test(t, func(t *testing.T) {
		release := hold(t, s, "a")
		for _, change := range []store.Change{
			func([]byte) ([]byte, error) {
				store.DB(s).MaxSize = 1 // no room for what follows
				return make([]byte, 1<<20), nil
			},
			func(old []byte) ([]byte, error) { return old, nil },
			func([]byte) ([]byte, error) { return nil, errors.New("seen too early") },
		} {
			go func() {
				if err := s.Update(t.Context(), "a", change); !errors.Is(err, berrors.ErrMaxSizeReached) {
					t.Errorf("Update returned %v, want the error of the commit", err)
				}
			}()
		}
		synctest.Wait()
		release()
	})
	wantValue(t, s, "a", []byte("2"))
	store.DB(s).MaxSize = 0
	mustPut(t, s, "b", []byte("2"))
}

// A panic of bbolt is an error of all who wrote, and of whoever asks after that: nobody waits, and nothing is told that may
// be wrong.
func TestAPanicOfBboltInACommitLeavesNobodyWaiting(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, err := store.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "a", []byte("1"))
	damage(t, s, path)
	store.DB(s).StrictMode = true // bbolt checks the file before a commit is final, and panics
	wantDamaged := func(err error) {
		t.Helper()
		if !errors.Is(err, store.ErrDamaged) || !strings.HasPrefix(err.Error(), "store file "+path+" is damaged (check fail: ") ||
			!strings.HasSuffix(err.Error(), "): stop, and restore it, or name another file") {
			t.Errorf("the error is %v", err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		begun, resume := make(chan struct{}), make(chan struct{})
		go func() {
			wantDamaged(s.Update(t.Context(), "a", func([]byte) ([]byte, error) {
				close(begun)
				<-resume
				return []byte("2"), nil
			}))
		}()
		<-begun
		for range 3 {
			go func() { wantDamaged(s.Update(t.Context(), "a", increment)) }()
		}
		synctest.Wait()
		close(resume)
	})
	_, err = s.Get(t.Context(), "a")
	wantDamaged(err)
	wantDamaged(s.Update(t.Context(), "b", increment))
	wantDamaged(s.Scan(t.Context(), "", "", func(string, []byte) error { return nil }))
	wantDamaged(s.DeletePrefix(t.Context(), ""))
	wantDamaged(s.(store.Checker).Check(t.Context()))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseAmidWritesLosesNoneThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := openFile(t, path)
	var acknowledged atomic.Int64
	var wg sync.WaitGroup
	enough := make(chan struct{})
	for range 16 {
		wg.Go(func() {
			for {
				err := s.Update(t.Context(), "n", increment)
				if errors.Is(err, store.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if acknowledged.Add(1) == 100 {
					close(enough)
				}
			}
		})
	}
	<-enough
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	wantValue(t, openFile(t, path), "n", []byte(strconv.FormatInt(acknowledged.Load(), 10)))
}

// hold begins an Update that adds one to the number at key and returns when it is under way, still to be released.
func hold(t *testing.T, s store.Store, key string) (release func()) {
	begun, resume := make(chan struct{}), make(chan struct{})
	go func() {
		err := s.Update(t.Context(), key, func(old []byte) ([]byte, error) {
			close(begun)
			<-resume
			return increment(old)
		})
		if err != nil {
			t.Error(err)
		}
	}()
	<-begun
	return func() { close(resume) }
}

// commits returns how many commits the database under s has had.
func commits(t *testing.T, s store.Store) (n int) {
	t.Helper()
	err := store.DB(s).View(func(tx *bolt.Tx) error { n = tx.ID(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// damage adds a bucket to the file that bbolt's check complains of and the store never reads.
func damage(t *testing.T, s store.Store, path string) {
	t.Helper()
	bucket := []byte("damaged")
	err := store.DB(s).Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket(bucket)
		if err != nil {
			return err
		}
		return b.Put([]byte("k"), make([]byte, 10_000)) // more than is kept within the page above
	})
	if err != nil {
		t.Fatal(err)
	}
	err = store.DB(s).View(func(tx *bolt.Tx) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		size := tx.DB().Info().PageSize
		_, err = f.WriteAt(make([]byte, size), int64(tx.Bucket(bucket).RootPage())*int64(size))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

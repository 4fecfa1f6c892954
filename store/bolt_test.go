package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/understudy-sandbox/understudy/store"
)

func TestUpdateUnchanged(t *testing.T) {
	t.Parallel()
	s := open(t, "file:"+newPath(t))
	mustPut(t, s, "a", []byte("1"))
	before := commits(t, s)
	mustPut(t, s, "a", []byte("1"))
	_ = s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("none") })
	_ = s.Update(t.Context(), func(tx store.Tx) error { return errors.Join(tx.Put("a", nil), errors.New("no")) })
	if err := store.DeletePrefix(t.Context(), s, "none"); err != nil {
		t.Error(err)
	}
	if n := commits(t, s) - before; n != 0 {
		t.Errorf("%d commits, want none", n)
	}
}

func TestGroupCommit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ writers, commits int }{
		"one commit for all waiting writers": {100, 1},
		"at most 1024 writers per commit":    {2500, 3}, // 1024 + 1024 + 453
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := open(t, "file:"+newPath(t))
				before := commits(t, s)
				release := hold(t, s, "n")
				for range tt.writers {
					go increment(t, s, "m")
				}
				synctest.Wait()
				wantValue(t, s, "n", nil) // readers do not wait
				release()
				synctest.Wait()
				wantValue(t, s, "m", []byte(strconv.Itoa(tt.writers)))
				if n := commits(t, s) - before; n != tt.commits {
					t.Errorf("%d commits, want %d", n, tt.commits)
				}
			})
		})
	}
}

// A writer that fails does not affect the others of its commit.
func TestGroupCommitFailures(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "file:"+newPath(t))
		before := commits(t, s)
		release := hold(t, s, "n")
		const each = 10
		ctx, cancel := context.WithCancel(t.Context())
		for i := range each {
			go mustPut(t, s, fmt.Sprint("ok", i), []byte("1"))
			go func() {
				err := s.Update(t.Context(), func(tx store.Tx) error { _ = tx.Put("n", []byte("x")); return refused })
				if err != refused {
					t.Errorf("Update returned %v, want its own error", err)
				}
			}()
			go func() {
				defer func() {
					if p := recover(); p != i {
						t.Errorf("recovered %v, want %v", p, i)
					}
				}()
				_ = s.Update(t.Context(), func(tx store.Tx) error { _ = tx.Put("n", []byte("x")); panic(i) })
			}()
			go func() { // as t.Fatal does
				_ = s.Update(t.Context(), func(tx store.Tx) error { _ = tx.Put("n", []byte("x")); runtime.Goexit(); return nil })
			}()
			go func() {
				err := s.Update(ctx, func(tx store.Tx) error { return tx.Put("n", []byte("x")) })
				if !errors.Is(err, context.Canceled) {
					t.Errorf("Update returned %v after its context had ended", err)
				}
			}()
		}
		synctest.Wait()
		cancel()
		release()
		synctest.Wait()
		for i := range each {
			wantValue(t, s, fmt.Sprint("ok", i), []byte("1"))
		}
		wantValue(t, s, "n", []byte("1"))
		if n := commits(t, s) - before; n != 1 {
			t.Errorf("%d commits, want 1", n)
		}
	})
}

// Every writer of a batch gets the error of its commit. The store works again once there is room.
func TestGroupCommitError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "file:"+newPath(t))
		mustPut(t, s, "a", []byte("1"))
		release := hold(t, s, "a", berrors.ErrMaxSizeReached)
		for _, fn := range []func(store.Tx) error{
			func(tx store.Tx) error {
				store.DB(s).MaxSize = 1 // no room for what follows
				return tx.Put("large", make([]byte, 32<<20))
			},
			func(tx store.Tx) error { return tx.Put("a", []byte("3")) },
			func(tx store.Tx) error { return errors.New("hidden by the error of the commit") },
		} {
			go func() {
				if err := s.Update(context.Background(), fn); !errors.Is(err, berrors.ErrMaxSizeReached) {
					t.Errorf("Update returned %v, want the error of the commit", err)
				}
			}()
			synctest.Wait() // one after another
		}
		release()
		synctest.Wait()
		wantValue(t, s, "a", []byte("1"))
		wantKeys(t, s, "", "a")
		store.DB(s).MaxSize = 0
		mustPut(t, s, "b", []byte("2"))
		wantKeys(t, s, "", "a", "b")
	})
}

func TestCloseDuringUpdates(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, "file:"+path)
	var acknowledged atomic.Int64
	var running sync.WaitGroup
	enough := make(chan struct{})
	for writer := range 16 {
		running.Go(func() {
			for i := 0; ; i++ {
				err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Put(fmt.Sprint(writer, "/", i), nil) })
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
	running.Wait()
	stored := int64(0)
	err := open(t, "file:"+path).View(t.Context(), func(tx store.Tx) (err error) {
		for _, err = range tx.Scan("", "") {
			stored++
		}
		return err
	})
	if err != nil || stored != acknowledged.Load() {
		t.Errorf("%d of %d writes, %v", stored, acknowledged.Load(), err)
	}
}

// A write to a file that was moved away would be lost when the process ends.
func TestFileMoved(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, "file:"+path)
	mustPut(t, s, "a", []byte("1"))
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	want := "store file " + path + " is no longer where it was: put it back, or stop"
	update := s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("a", []byte("2")) })
	for name, err := range map[string]error{"Update": update, "Ready": s.Ready(t.Context())} {
		if err == nil || err.Error() != want {
			t.Errorf("%s returned %v", name, err)
		}
	}
	wantValue(t, s, "a", []byte("1"))
	if err := os.Rename(moved, path); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	mustPut(t, s, "a", []byte("2"))
}

// hold starts an Update that adds one to the number at key, and returns once it runs. It ends after release.
func hold(t *testing.T, s store.Store, key string, want ...error) (release func()) {
	started, resume := make(chan struct{}), make(chan struct{})
	go func() {
		err := s.Update(t.Context(), func(tx store.Tx) error {
			close(started)
			<-resume
			value, err := tx.Get(key)
			n, _ := strconv.Atoi(string(value))
			return errors.Join(err, tx.Put(key, []byte(strconv.Itoa(n+1))))
		})
		if err != nil && (len(want) == 0 || !errors.Is(err, want[0])) {
			t.Error(err)
		}
	}()
	<-started
	return func() { close(resume) }
}

// commits returns the number of commits of the database so far.
func commits(t *testing.T, s store.Store) (n int) {
	t.Helper()
	err := store.DB(s).View(func(tx *bolt.Tx) error { n = tx.ID(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

// boltStore is a Store in one bucket of a bbolt file. Readers see the last commit and do not wait for the next; writers
// share commits (see Update).
type boltStore struct {
	spec     string
	db       *bolt.DB
	path     string      // "" for a temporary store
	opened   os.FileInfo // of path
	leftover string      // a temporary file that could not be removed while open
	watchers watchers

	waiting atomic.Int64  // writers that wait for their turn
	turn    chan struct{} // holds one: whose turn it is
	batch   *batch        // the transaction under way, of the one whose turn it is; nil: there is none
}

func newBoltStore(spec string) *boltStore {
	return &boltStore{spec: spec, turn: make(chan struct{}, 1), watchers: watchers{open: make(map[chan struct{}]string)}}
}

func (s *boltStore) View(ctx context.Context, fn func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(func(tx *bolt.Tx) error { return fn(boltTx{ctx, tx.Bucket(dataBucket)}) })
}

func (s *boltStore) Watch(ctx context.Context, prefix string) (<-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.watchers.add(ctx, prefix)
}

// Ready looks whether the file is where it was opened.
func (s *boltStore) Ready(ctx context.Context) error {
	if err := s.View(ctx, func(Tx) error { return nil }); err != nil {
		return err
	}
	return s.there()
}

func (s *boltStore) Shared() bool { return false }

func (s *boltStore) String() string { return s.spec }

// Close waits as bbolt's Close does. Writers that wait for their turn meet a database that is closed.
func (s *boltStore) Close() error {
	err := s.db.Close()
	s.watchers.close()
	if err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	if s.leftover == "" {
		return nil
	}
	if err := os.Remove(s.leftover); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: remove the temporary file: %w", err)
	}
	return nil
}

// boltTx reads a bucket. Writes are kept by a Buffer over it.
type boltTx struct {
	ctx  context.Context
	data *bolt.Bucket
}

func (t boltTx) Get(key string) ([]byte, error) { return t.data.Get([]byte(key)), nil }

func (t boltTx) Scan(prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c := t.data.Cursor()
		for k, v := c.Seek([]byte(max(prefix, after+"\x00"))); k != nil && bytes.HasPrefix(k, []byte(prefix)); k, v = c.Next() {
			if err := t.ctx.Err(); err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(Entry{string(k), v}, nil) {
				return
			}
		}
	}
}

func (t boltTx) Put(string, []byte) error { return ErrReadOnly }

func (t boltTx) Delete(string) error { return ErrReadOnly }

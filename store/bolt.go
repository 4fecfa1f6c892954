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

// boltStore is a Store in one bucket of a bbolt file. Readers see the last commit and never wait for a writer; concurrent
// writers share commits, see Update.
type boltStore struct {
	spec     string
	db       *bolt.DB
	path     string      // "" for a temporary store
	opened   os.FileInfo // of path
	leftover string      // a temporary file that could not be unlinked while open
	watchers watchers

	waiting atomic.Int64  // writers that wait for their turn
	turn    chan struct{} // a lock: has one element while a writer has its turn
	batch   *batch        // the open batch, guarded by turn; nil if there is none
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

// Ready returns an error while the file is not at its path.
func (s *boltStore) Ready(ctx context.Context) error {
	if err := s.View(ctx, func(Tx) error { return nil }); err != nil {
		return err
	}
	return s.checkPath()
}

func (s *boltStore) Shared() bool { return false }

func (s *boltStore) String() string { return s.spec }

// Close relies on bbolt, which waits for running transactions. A writer that still waits for its turn gets ErrClosed.
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

// boltTx reads a bucket. A Buffer over it collects the writes.
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

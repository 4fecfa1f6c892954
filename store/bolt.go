package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// boltStore is a Store in one bucket of a bbolt file. Readers see the last commit and do not wait for the next; writers share
// commits (see committer).
type boltStore struct {
	spec      string
	db        *bolt.DB
	health    *health
	committer committer
	recent    *recent
	epoch     atomic.Uint64
	leftover  string // a temporary file that could not be removed while open
}

func newBoltStore(spec string, db *bolt.DB, h *health, leftover string) *boltStore {
	r := newRecent()
	return &boltStore{spec: spec, db: db, health: h, committer: committer{db: db, health: h, recent: r}, recent: r, leftover: leftover}
}

func (s *boltStore) Get(ctx context.Context, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.health.err(); err != nil {
		return nil, err // also of what was read of late
	}
	return s.recent.get(key, func() ([]byte, error) { return s.read(ctx, key) })
}

// read returns the value of key as of the last commit. The bytes are the caller's.
func (s *boltStore) read(ctx context.Context, key string) (value []byte, err error) {
	err = s.view(ctx, func(data records) error {
		found, err := data.get([]byte(key))
		value = found.value
		return err
	})
	return value, err
}

// Recall is Get: what one process has is at hand.
func (s *boltStore) Recall(ctx context.Context, key string, _ func([]byte) bool) ([]byte, error) {
	return s.Get(ctx, key)
}

// Amend is Update, and another epoch begins.
func (s *boltStore) Amend(ctx context.Context, key string, change Change) error {
	defer s.epoch.Add(1)
	return s.Update(ctx, key, change)
}

func (s *boltStore) Epoch() uint64 { return s.epoch.Load() }

func (s *boltStore) Update(ctx context.Context, key string, change Change) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.committer.do(func(data records) (changed bool, err error) {
		k := []byte(key)
		found, err := data.get(k)
		if err != nil {
			return false, err
		}
		old := found.value
		next, err := change(old)
		switch {
		case err != nil:
			return false, err
		case next == nil:
			return old != nil, data.delete(k)
		case old != nil && bytes.Equal(old, next):
			return false, nil
		default:
			return true, data.put(k, next)
		}
	})
}

func checkKey(key string) error {
	if len(key) == 0 || len(key) > bolt.MaxKeySize {
		return fmt.Errorf("store: a key has 1 to %d bytes, this one has %d", bolt.MaxKeySize, len(key))
	}
	return nil
}

func (s *boltStore) Scan(ctx context.Context, prefix, after string, visit func(key string, value []byte) error) error {
	return s.view(ctx, func(data records) error {
		for found, err := range data.all(prefix, after) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			if err := visit(string(found.key), found.value); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeletePrefix deletes all the keys in one transaction.
func (s *boltStore) DeletePrefix(ctx context.Context, prefix string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.committer.do(func(data records) (changed bool, err error) {
		// A cursor may skip keys when it deletes as it goes, so the keys are found first.
		var keys [][]byte
		for found, err := range data.all(prefix, "") {
			if err != nil {
				return false, err
			}
			keys = append(keys, bytes.Clone(found.key))
		}
		for _, k := range keys {
			if err := data.delete(k); err != nil {
				return true, err
			}
		}
		return len(keys) > 0, nil
	})
}

func (s *boltStore) Close() error {
	s.recent.committing() // without an end: what was read of late is read no more
	if s.health.panicked.Load() {
		return nil // it might wait for a lock for ever; the file goes with the process
	}
	if err := s.db.Close(); err != nil {
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

func (s *boltStore) String() string { return s.spec }

// Ready looks whether the file is there, and was not seen to be damaged.
func (s *boltStore) Ready() error { return cmp.Or(s.health.err(), s.health.there()) }

// view calls read with the data as of the last commit.
func (s *boltStore) view(ctx context.Context, read func(data records) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var tx *bolt.Tx
	var data records
	err := s.health.begin(func() (err error) {
		if tx, err = s.db.Begin(false); err == nil {
			data = records{tx.Bucket(dataBucket), s.health}
		}
		return err
	})
	if tx != nil {
		defer func() { _ = tx.Rollback() }() // of a reader it cannot fail
	}
	if err != nil {
		return closed(err)
	}
	return read(data)
}

// closed names bbolt's error for a closed database by our own.
func closed(err error) error {
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

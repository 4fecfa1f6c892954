package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// maxBatch limits the writers that share a commit, and so how long the first waits for the last.
const maxBatch = 1024

// batch is a bbolt transaction that several writers share.
type batch struct {
	tx      *bolt.Tx
	writers int
	changed []string // keys
	err     error    // final once done is closed
	done    chan struct{}
}

// Update shares commits among concurrent writers (group commit), because a commit costs one sync of the disk whatever its
// size. A lone writer commits at once. Writers that arrive during a commit take turns in the next transaction, and the last
// of them commits for all: if that fails, each gets the error. Each function runs in its caller's goroutine, so that a panic
// reaches that caller.
//
// bbolt's own Batch delays a lone writer by MaxBatchDelay, and runs the other functions of a batch again after one has
// failed. Here each writer has a Buffer, so that a failure does not affect the others.
func (s *boltStore) Update(ctx context.Context, fn func(Tx) error) error {
	s.waiting.Add(1)
	s.turn <- struct{}{}
	s.waiting.Add(-1)
	b, err := s.joinBatch(ctx, fn)
	<-b.done // also without a write: fn may have read writes of the batch
	if b.err != nil {
		return b.err
	}
	return err
}

// joinBatch runs fn in the open batch, or in a new one, and commits the batch if no other writer waits, even if fn panics.
func (s *boltStore) joinBatch(ctx context.Context, fn func(Tx) error) (b *batch, err error) {
	defer func() { <-s.turn }()
	if s.batch == nil {
		tx, err := s.db.Begin(true)
		s.batch = &batch{tx: tx, err: err, done: make(chan struct{})}
	}
	b = s.batch
	defer func() {
		if b.writers++; s.waiting.Load() == 0 || b.writers == maxBatch {
			s.batch = nil
			s.commit(b)
		}
	}()
	if b.err != nil {
		return b, nil
	}
	if err := ctx.Err(); err != nil {
		return b, err
	}
	buffer := NewBuffer(boltTx{ctx, b.tx.Bucket(dataBucket)})
	if err := fn(buffer); err != nil {
		return b, err
	}
	b.err = errPanicked // unless apply returns
	b.err = b.apply(buffer.Writes())
	return b, nil
}

var errPanicked = errors.New("store: bbolt panicked: nothing was committed")

// apply makes the writes, and skips those that change nothing.
func (b *batch) apply(writes []Entry) error {
	data := b.tx.Bucket(dataBucket)
	for _, write := range writes {
		key := []byte(write.Key)
		old := data.Get(key)
		if (write.Value == nil) == (old == nil) && bytes.Equal(write.Value, old) {
			continue
		}
		var err error
		if write.Value == nil {
			err = data.Delete(key)
		} else {
			err = data.Put(key, write.Value)
		}
		if err != nil {
			return fmt.Errorf("store: write: %w", err)
		}
		b.changed = append(b.changed, write.Key)
	}
	return nil
}

// commit commits a batch that has changed something.
func (s *boltStore) commit(b *batch) {
	defer close(b.done)
	if b.tx != nil {
		defer func() { _ = b.tx.Rollback() }() // after a commit it returns an error
	}
	if b.err != nil || len(b.changed) == 0 {
		return
	}
	if b.err = s.checkPath(); b.err != nil {
		return
	}
	b.err = errPanicked
	if err := b.tx.Commit(); err != nil {
		b.err = fmt.Errorf("store: commit: %w", err)
		return
	}
	b.err = nil
	s.watchers.notify(b.changed)
}

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// maxBatch bounds the writers that share one commit, and so how long the first of them waits for the last.
const maxBatch = 1024

// batch is a transaction that writers share. Once done is closed, err may be read by all.
type batch struct {
	tx      *bolt.Tx
	writers int
	changed []string // keys
	err     error
	done    chan struct{}
}

// Update lets writers share commits (group commit), because a commit costs a sync of the disk however much it holds. A
// writer that comes alone commits at once; those that come meanwhile take turns in the next transaction, and the last of
// them commits for all: when that fails, each gets its error. Each runs its function in its own goroutine, so that a panic
// reaches the caller that caused it.
//
// bbolt's Batch is not used: it delays a lone writer by MaxBatchDelay, and when one function of a batch fails it runs the
// others again. Here writes are buffered, so that a failure undoes nothing of the others.
func (s *boltStore) Update(ctx context.Context, fn func(Tx) error) error {
	s.waiting.Add(1)
	s.turn <- struct{}{}
	s.waiting.Add(-1)
	b, err := s.share(ctx, fn)
	<-b.done // also without a write: fn may have read what others of the batch wrote
	if b.err != nil {
		return b.err
	}
	return err
}

// share calls fn, begins a batch before it when there is none, and ends it when nobody waits, also when fn panics.
func (s *boltStore) share(ctx context.Context, fn func(Tx) error) (b *batch, err error) {
	defer func() { <-s.turn }()
	if s.batch == nil {
		tx, err := s.db.Begin(true)
		s.batch = &batch{tx: tx, err: err, done: make(chan struct{})}
	}
	b = s.batch
	defer func() {
		if b.writers++; s.waiting.Load() == 0 || b.writers == maxBatch {
			s.batch = nil
			s.end(b)
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
	b.err = errPanicked // unless all is applied
	b.err = b.apply(buffer.Writes())
	return b, nil
}

var errPanicked = errors.New("store: bbolt has panicked: nothing was committed")

// apply writes what differs from what is there.
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

// end commits what has changed.
func (s *boltStore) end(b *batch) {
	defer close(b.done)
	if b.tx != nil {
		defer func() { _ = b.tx.Rollback() }() // an error says that the commit came before it
	}
	if b.err != nil || len(b.changed) == 0 {
		return
	}
	if b.err = s.there(); b.err != nil {
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

package store

import (
	"fmt"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// maxBatch bounds the writes in one transaction, and so how long the first of them waits for the last.
const maxBatch = 1024

// committer lets writers share commits, for a commit costs a sync of the disk however much it holds. A writer that comes
// alone commits at once; those that come while a batch is on its way are the next one.
//
// It has no goroutine of its own: a batch goes from hand to hand. Each writer does its part in its own goroutine, so that
// a panic meets whoever caused it and nobody else; the last one commits for all and sends the next batch on its way.
type committer struct {
	db     *bolt.DB
	health *health
	recent *recent

	mu    sync.Mutex
	busy  bool          // a batch is on its way
	queue []chan *batch // the writers that wait for the next, in order of arrival
}

// batch is a transaction and the writers that share it. It belongs to the writer whose turn it is; once done is closed, err
// is for all to read.
type batch struct {
	committer *committer
	tx        *bolt.Tx
	data      records       // of tx
	waiting   []chan *batch // the writers whose turn is yet to come
	changed   bool
	err       error
	done      chan struct{}
}

// do calls write with the data within a transaction, and returns once that is committed. The error of a write is for its own
// caller and undoes nothing. When no write of a batch changed anything there is no commit; when the commit fails,
// every writer of the batch is told so.
func (c *committer) do(write func(data records) (changed bool, err error)) error {
	b := c.join()
	err := b.run(write)
	// Also a write that changed nothing has seen what others changed, and must not tell of it before it is there to stay.
	<-b.done
	if b.err != nil {
		return b.err
	}
	return err
}

// join waits for the caller's turn in a batch.
func (c *committer) join() *batch {
	turn := make(chan *batch, 1)
	c.mu.Lock()
	c.queue = append(c.queue, turn)
	alone := !c.busy
	c.busy = true
	c.mu.Unlock()

	if alone {
		c.next()
	}
	return <-turn
}

// next sends a batch of the writers that wait on its way, if there are any.
func (c *committer) next() {
	c.mu.Lock()
	n := min(len(c.queue), maxBatch)
	b := &batch{committer: c, waiting: c.queue[:n:n], done: make(chan struct{})}
	c.queue = c.queue[n:]
	c.busy = n > 0
	c.mu.Unlock()

	if n > 0 {
		b.begin()
	}
}

func (b *batch) begin() {
	b.err = closed(b.committer.health.begin(func() (err error) {
		if b.tx, err = b.committer.db.Begin(true); err == nil {
			b.data = records{b.tx.Bucket(dataBucket), b.committer.health}
		}
		return err
	}))
	b.pass()
}

// run does one writer's part and passes the batch on, also when write panics or ends its goroutine.
func (b *batch) run(write func(data records) (changed bool, err error)) error {
	defer b.pass()
	if b.err != nil {
		return nil
	}
	changed, err := write(b.data)
	b.changed = b.changed || changed
	return err
}

func (b *batch) pass() {
	if len(b.waiting) == 0 {
		b.end()
		return
	}
	turn := b.waiting[0]
	b.waiting = b.waiting[1:]
	turn <- b
}

// end commits, tells the writers, and lets the next batch begin, whatever happens on the way.
func (b *batch) end() {
	defer b.committer.next()
	defer close(b.done)
	defer b.rollback()
	if b.err != nil || !b.changed {
		return
	}
	b.err = b.committer.health.careful(func() error {
		if err := b.committer.health.there(); err != nil {
			return err
		}
		defer b.committer.recent.committing()()
		if err := b.tx.Commit(); err != nil {
			return fmt.Errorf("store: commit: %w", err)
		}
		return nil
	})
}

// rollback undoes what was not committed. After a panic bbolt is in no state to be asked, and there is no next batch.
func (b *batch) rollback() {
	if b.tx != nil && !b.committer.health.panicked.Load() {
		_ = b.tx.Rollback() // it says only that a commit was before it
	}
}

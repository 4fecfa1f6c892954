package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/store"
)

const (
	gatherFor = 50 * time.Millisecond // before entries are written
	retryIn   = 500 * time.Millisecond
)

// What one append takes: etcd allows 128 operations, of which a batch needs three, and far more bytes. But what another
// replica comes before is sent again.
const (
	writeLogs  = 40
	writeBytes = 256 << 10
)

// write is one append to the store.
type write struct {
	id      string
	batches []store.Batch
	of      map[string]generationOf // whose the logs are
	sizes   map[string]int64        // that the entries of the logs are counted with
	bytes   int                     // of the batches
}

// generationOf is a world in one generation.
type generationOf struct {
	world      string
	generation int64
}

// run writes what is gathered, until ctx ends.
func (s *shared) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.some:
		}
		wait(ctx, gatherFor, s.queue.full)
		for s.flush(ctx) != nil && wait(ctx, retryIn, nil) {
		}
	}
}

// wait waits for a span, or less where there is something sooner, and reports whether ctx goes on.
func wait(ctx context.Context, span time.Duration, sooner <-chan struct{}) bool {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-sooner:
	case <-timer.C:
	}
	return true
}

// flush writes what was gathered before. One does so at a time; what cannot be written stays for the next.
func (s *shared) flush(ctx context.Context) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := s.writeOut(ctx)
	if err == nil {
		s.unwritten = s.compose(s.queue.take())
		err = s.writeOut(ctx)
	}
	s.trouble.tell(ctx, err, s.queue.figures())
	return err
}

// writeOut writes what was taken. An append that failed is the same one when it is tried again, so that the store does not
// carry it out twice.
func (s *shared) writeOut(ctx context.Context) error {
	for len(s.unwritten) > 0 {
		w := &s.unwritten[0]
		begun, err := s.logs.AppendLogs(ctx, w.id, w.batches)
		if refused, ok := errors.AsType[*store.LogError](err); ok {
			if entries := w.without(s.queue, refused.Log); entries > 0 {
				s.trouble.refuses(refused.Log, err, entries)
				continue
			}
		}
		if err != nil && !errors.Is(err, store.ErrTooLarge) {
			return fmt.Errorf("the journal is not written: %w", err)
		}
		for _, batch := range w.batches {
			s.queue.done(int(batch.Entries), w.sizes[batch.Log], err == nil)
		}
		s.unwritten = s.unwritten[1:]
		for _, log := range begun {
			s.leave(ctx, log, w.of[log])
		}
	}
	return nil
}

// leave deletes a log of a world that has been reset, or forgotten, already: nothing leads to it. When it
// cannot be told, the log stays.
func (s *shared) leave(ctx context.Context, log string, of generationOf) {
	if now, err := s.worlds.Generation(ctx, of.world); err == nil && now != of.generation {
		_ = s.logs.DeletePrefix(ctx, log)
	}
}

// compose makes writes of entries. Those of a world are in order; of one log a write has one batch.
func (s *shared) compose(entries []gathered) []write {
	var order []generationOf
	byWorld := make(map[generationOf][]gathered)
	for _, g := range entries {
		of := generationOf{g.world, g.generation}
		if byWorld[of] == nil {
			order = append(order, of)
		}
		byWorld[of] = append(byWorld[of], g)
	}
	var writes []write
	redacted := make(map[*byte][]byte)
	for _, of := range order {
		from := 0 // the first write that comes behind the log's last batch
		for _, c := range chunks(byWorld[of], redacted) {
			batch := s.batch(of, c)
			for from < len(writes) && !writes[from].has(len(batch.Value)) {
				from++
			}
			if from == len(writes) {
				writes = append(writes, write{
					id: ulid.Make().String(), of: make(map[string]generationOf), sizes: make(map[string]int64),
				})
			}
			writes[from].add(of, batch, c)
			from++
		}
	}
	return writes
}

// has reports whether a write has room.
func (w *write) has(bytes int) bool { return len(w.batches) < writeLogs && w.bytes+bytes <= writeBytes }

func (w *write) add(of generationOf, batch store.Batch, c *chunk) {
	w.batches = append(w.batches, batch)
	w.of[batch.Log], w.sizes[batch.Log] = of, c.size
	w.bytes += len(batch.Value)
}

// without drops the entries of a log that takes none, so that the others are written, and returns how many there were.
func (w *write) without(q *queue, log string) (entries int) {
	at := slices.IndexFunc(w.batches, func(b store.Batch) bool { return b.Log == log })
	if at < 0 {
		return 0
	}
	entries = int(w.batches[at].Entries)
	q.done(entries, w.sizes[log], false)
	w.batches = slices.Delete(w.batches, at, at+1)
	return entries
}

func (s *shared) batch(of generationOf, c *chunk) store.Batch {
	return store.Batch{
		Log: s.worlds.JournalPlace(of.world, of.generation), Entries: uint64(c.entries), Value: c.value(), Keep: uint64(s.size),
	}
}

// chunks makes chunks of a world's entries.
func chunks(entries []gathered, redacted map[*byte][]byte) (all []*chunk) {
	c := newChunk(redacted)
	for _, g := range entries {
		if !c.add(g.entry) {
			all, c = append(all, c), newChunk(redacted)
			c.add(g.entry)
		}
		c.size += g.size
	}
	if c.entries > 0 {
		all = append(all, c)
	}
	return all
}

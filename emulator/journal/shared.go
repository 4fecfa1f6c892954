package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/understudy-sandbox/understudy/store"
)

// Worlds tell of worlds what a journal in their store must know.
type Worlds interface {
	// JournalPlace begins the keys of the journal of a world in one generation. When the generation ends they are deleted.
	JournalPlace(world string, generation int64) string

	// RecordKey returns the key whose value changes when the world begins another generation.
	RecordKey(world string) string

	// Generation returns the generation that a world is in, 0 when it is not there.
	Generation(ctx context.Context, world string) (int64, error)
}

// shared keeps entries in a store. Each process gathers those that it adds, and writes them a little later; what is read
// is what all of them have added.
type shared struct {
	size   int
	logs   store.Logs
	worlds Worlds
	queue  *queue

	writing   chan struct{} // held by who writes
	unwritten []write       // what was taken of the queue; of who writes
	trouble   trouble       // with that

	stop  context.CancelFunc
	ended chan struct{}
}

// Shared returns a journal in a store that several processes have open, each of which adds to it and reads all of it. It
// keeps a number of requests a world, 0 keeps none. The order of a world's entries is one for all, that in which they were
// written: requests to one replica stand as they were answered, and those to several within a tenth of a second may not. That
// they cannot be written, and that they can again, is logged.
func Shared(size int, logs store.Logs, worlds Worlds, log *slog.Logger) *Journal {
	if size == 0 {
		return New(0)
	}
	s := &shared{
		size: size, logs: logs, worlds: worlds, queue: newQueue(), trouble: newTrouble(log),
		writing: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		defer close(s.ended)
		s.run(ctx)
	}()
	logs.OnSettle(s.flush)
	return &Journal{size: size, shared: s, keeper: s}
}

// close writes what is gathered, and ends.
func (s *shared) close(ctx context.Context) error {
	s.stop()
	<-s.ended
	err := s.flush(ctx)
	s.logs.OnSettle(nil) // not before: who settles relies on what is written
	if err != nil {
		return fmt.Errorf("%d requests are missing in the journal: %w", s.queue.figures().Gathered, err)
	}
	return nil
}

func (s *shared) append(world string, generation int64, e *Entry) {
	s.queue.add(gathered{world: world, generation: generation, entry: e})
}

// settled has all replicas write what they have gathered.
func (s *shared) settled(ctx context.Context) error {
	if err := s.logs.Settle(ctx); err != nil {
		return fmt.Errorf("the journal is not whole: %w", err)
	}
	return nil
}

func (s *shared) read(ctx context.Context, world string, generation int64) (entries []*Entry, dropped uint64, err error) {
	if err := s.settled(ctx); err != nil {
		return nil, 0, err
	}
	entries, head, err := s.behind(ctx, world, generation, 0)
	if err != nil {
		return nil, 0, err
	}
	return entries, head.Last - uint64(len(entries)) - head.Base, nil
}

// behind returns the entries behind a number as far as they are kept.
func (s *shared) behind(ctx context.Context, world string, generation int64, number uint64) (entries []*Entry, head store.LogHead, err error) {
	head, err = s.logs.ReadLog(ctx, s.worlds.JournalPlace(world, generation), number, func(last uint64, value []byte) error {
		some, err := readChunk(value, last)
		entries = append(entries, some...)
		return err
	})
	for len(entries) > 0 && entries[0].Sequence <= number {
		entries = entries[1:]
	}
	return entries[max(0, len(entries)-s.size):], head, err
}

func (s *shared) restore(ctx context.Context, world string, generation int64, entries []*Entry, dropped uint64) error {
	if over := len(entries) - s.size; over > 0 {
		entries, dropped = entries[over:], dropped+uint64(over)
	}
	var head store.LogHead
	restored := make([]gathered, len(entries))
	for i, e := range entries {
		head.Last = e.Sequence
		restored[i].entry = e
	}
	head.Base = head.Last - uint64(len(entries)) - dropped
	of := generationOf{world, generation}
	var batches []store.Batch
	for _, c := range chunks(restored, make(map[*byte][]byte)) {
		batches = append(batches, s.batch(of, c))
	}
	log := s.worlds.JournalPlace(world, generation)
	if err := s.logs.ReplaceLog(ctx, log, head, batches); err != nil {
		return fmt.Errorf("the journal is not restored: %w", err)
	}
	s.leave(ctx, log, of)
	return nil
}

func (s *shared) clear(ctx context.Context, world string, generation int64) error {
	if err := s.settled(ctx); err != nil {
		return err
	}
	if err := s.logs.ClearLog(ctx, s.worlds.JournalPlace(world, generation)); err != nil {
		return fmt.Errorf("the journal is not cleared: %w", err)
	}
	return nil
}

// renew has nothing to do: a generation has a place of its own.
func (s *shared) renew(string, int64) {}

// forget has nothing to do: what a world has in the store goes with it.
func (s *shared) forget(string) {}

func (s *shared) end(ctx context.Context, world string, generation int64) (Cursor, error) {
	if err := s.settled(ctx); err != nil {
		return Cursor{}, err
	}
	_, head, err := s.behind(ctx, world, generation, math.MaxUint64)
	return Cursor{generation, head.Last}, err
}

// since does not wait for the other replicas: what they have gathered comes as soon as they have written it.
func (s *shared) since(ctx context.Context, world string, from Cursor) (News, error) {
	generation, err := s.worlds.Generation(ctx, world)
	if err != nil || generation < from.generation {
		return News{Next: from}, err
	}
	news := News{Anew: generation > from.generation}
	if news.Anew {
		from.sequence = 0
	}
	entries, head, err := s.behind(ctx, world, generation, from.sequence)
	if err != nil {
		return News{Next: from}, err
	}
	news.Entries, news.Next = entries, Cursor{generation, max(head.Last, from.sequence)}
	if head.Last > from.sequence {
		news.Missed = head.Last - from.sequence - uint64(len(entries))
	}
	return news, nil
}

func (s *shared) watch(world string) (<-chan struct{}, func()) {
	ctx, stop := context.WithCancel(context.Background())
	changed := make(chan struct{}, 1)
	go func() {
		for ctx.Err() == nil {
			err := s.follow(ctx, world, changed)
			notify(changed) // of what came between two watches
			if err != nil {
				wait(ctx, retryIn, nil)
			}
		}
	}()
	return changed, stop
}

// errEnded is why a watch is begun anew.
var errEnded = errors.New("the watch has ended")

// follow tells of what changes in the journal of a world, until that is in another generation.
func (s *shared) follow(ctx context.Context, world string, changed chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	record, err := s.logs.Watch(ctx, s.worlds.RecordKey(world))
	if err != nil {
		return err
	}
	generation, err := s.worlds.Generation(ctx, world)
	if err != nil {
		return err
	}
	log, err := s.logs.WatchLog(ctx, s.worlds.JournalPlace(world, generation))
	if err != nil {
		return err
	}
	notify(changed)
	for {
		select {
		case _, ok := <-log:
			if !ok {
				return errEnded
			}
			notify(changed)
		case _, ok := <-record:
			if !ok {
				return errEnded
			}
			if now, err := s.worlds.Generation(ctx, world); err != nil || now != generation {
				return err
			}
		}
	}
}

package world

import (
	"context"
	"io"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
)

// before returns the world as it was before its last reset, to be read, and when that was; nil for none.
func (tx *Tx) before() (*Tx, time.Time, error) {
	b, err := registry.ReadBefore(tx.Store, tx.World)
	if err != nil || b.At.IsZero() {
		return nil, b.At, err
	}
	earlier := *tx
	earlier.record, earlier.Now = b.Record, b.Record.Instant(b.At)
	earlier.Values.Prefix = registry.ValuesPrefix(tx.World, b.Record.Generation)
	return &earlier, b.At, nil
}

// ResetAt returns when a world was reset last; zero for never, and after a restore.
func ResetAt(ctx context.Context, w *World) (time.Time, error) {
	return read(ctx, w, func(tx *Tx) (time.Time, error) {
		_, at, err := tx.before()
		return at, err
	})
}

// EntriesBefore returns the requests from before the last reset of a world, the oldest first, and when that was.
func EntriesBefore(ctx context.Context, w *World) (entries []*journal.Entry, at time.Time, err error) {
	ref, err := read(ctx, w, func(tx *Tx) (ref journal.Ref, err error) {
		var earlier *Tx
		if earlier, at, err = tx.before(); earlier != nil {
			ref = earlier.Journal()
		}
		return ref, err
	})
	if err == nil && !at.IsZero() {
		entries, _, err = w.worlds.config.Journal.Read(ctx, ref)
	}
	return entries, at, err
}

// WriteBefore is [World.WriteSnapshot] of a world before its last reset.
func WriteBefore(ctx context.Context, w *World, rewind func() error, to io.Writer) error {
	return w.writeSnapshot(ctx, rewind, to, func(tx *Tx) (*Tx, error) {
		earlier, _, err := tx.before()
		if err == nil && earlier == nil {
			err = conflict("There is no reset to undo: a world keeps what it was before its last reset, until it is reset again or restored")
		}
		return earlier, err
	})
}

package world

import (
	"context"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// JournalRef returns the reference of the world's journal. Its error for a journal that is off is [journal.ErrOff], as
// is that of the other methods for the journal.
func (w *World) JournalRef(ctx context.Context) (journal.Ref, error) {
	if !w.worlds.config.Journal.On() {
		return journal.Ref{}, journal.ErrOff
	}
	return read(ctx, w, func(tx *Tx) (journal.Ref, error) { return tx.Journal(), nil })
}

// Journal returns the entries of the world that a filter selects, the latest first. The zero Filter selects all.
func (w *World) Journal(ctx context.Context, filter query.Filter) ([]*journal.Entry, error) {
	ref, err := w.JournalRef(ctx)
	if err != nil {
		return nil, err
	}
	return query.Select(ctx, w.worlds.config.Journal, ref, filter)
}

// JournalEntries returns all entries of the world, the oldest first, and how many earlier ones were dropped.
func (w *World) JournalEntries(ctx context.Context) (entries []*journal.Entry, dropped uint64, err error) {
	ref, err := w.JournalRef(ctx)
	if err != nil {
		return nil, 0, err
	}
	return w.worlds.config.Journal.Read(ctx, ref)
}

// EntryUnknown returns the 404 of an id that no entry of a world's journal has.
func (ws *Worlds) EntryUnknown(id string) error {
	return notFound(fmt.Sprintf("This world's journal has no request %s: it has the last %d only",
		api.Quote(id), ws.config.Journal.Size()))
}

// Verify compares an expectation with the journal. Its error for one that does not hold is a [*query.VerifyResult], which says
// what was requested instead.
func (w *World) Verify(ctx context.Context, expected query.Expectation) (query.VerifyResult, error) {
	ref, err := w.JournalRef(ctx)
	if err != nil {
		return query.VerifyResult{}, err
	}
	result, err := query.Verify(ctx, w.worlds.config.Journal, ref, expected)
	if err != nil {
		return query.VerifyResult{}, err
	}
	return result, result.Err()
}

// ClearJournal deletes the entries of the world.
func (w *World) ClearJournal(ctx context.Context) error {
	ref, err := w.JournalRef(ctx)
	if err != nil {
		return err
	}
	return w.worlds.config.Journal.Clear(ctx, ref)
}

package world

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// RestoreWith is Restore of a decoded snapshot, with fillJournal in place of the journal.
func (w *World) RestoreWith(ctx context.Context, s Snapshot, fillJournal func(journal.Ref) error) error {
	_, err := w.restore(ctx, s, fillJournal)
	return err
}

package world

import (
	"context"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// RestoreWith is Restore, with fillJournal in place of the journal.
func (w *World) RestoreWith(ctx context.Context, snapshot string, fillJournal func(journal.Ref) error) error {
	_, err := w.restore(ctx, document{strings.NewReader(snapshot)}, func(_ context.Context, ref journal.Ref, _ journal.Restored) error {
		return fillJournal(ref)
	})
	return err
}

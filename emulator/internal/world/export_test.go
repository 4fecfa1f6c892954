package world

import (
	"context"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
)

// RestoreWith is Restore, with fillJournal in place of the journal.
func (w *World) RestoreWith(ctx context.Context, text string, fillJournal func(journal.Ref) error) error {
	_, err := w.restore(ctx, snapshot.Text{ReadSeeker: strings.NewReader(text)}, func(_ context.Context, ref journal.Ref, _ journal.Restored) error {
		return fillJournal(ref)
	})
	return err
}

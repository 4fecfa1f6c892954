package world

import (
	"bytes"
	"context"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// RestoreWith is Restore of a decoded snapshot, with fillJournal in place of the journal.
func (w *World) RestoreWith(ctx context.Context, s Snapshot, fillJournal func(journal.Ref) error) error {
	s.Journal.Entries = []*journal.Entry{}
	text, err := api.Render(s)
	if err != nil {
		return err
	}
	_, err = w.restore(ctx, document{bytes.NewReader(text)}, func(_ context.Context, ref journal.Ref, _ journal.Restored) error {
		return fillJournal(ref)
	})
	return err
}

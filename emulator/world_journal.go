package emulator

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Journal returns the requests of the world that a filter wants, the latest first. The zero Filter wants all that are
// kept. Where none are kept, the error is [journal.ErrOff].
func (w *World) Journal(ctx context.Context, filter journal.Filter) ([]*journal.Entry, error) {
	if err := filter.Check(); err != nil {
		return nil, err
	}
	return asked(ctx, w, func(opened *world.World) ([]*journal.Entry, error) {
		if !w.emulator.journal.On() {
			return nil, journal.ErrOff
		}
		kept, _, err := w.emulator.journal.Read(ctx, opened.ID, opened.Generation())
		return filter.Select(kept), err
	})
}

// Verify holds an expectation against the requests of the world. When it does not hold, the error is a [*journal.Unmet]
// that says what was asked instead; where none are kept, [journal.ErrOff].
func (w *World) Verify(ctx context.Context, expected journal.Expectation) error {
	if err := expected.Check(); err != nil {
		return err
	}
	return w.do(ctx, func(opened *world.World) error {
		if !w.emulator.journal.On() {
			return journal.ErrOff
		}
		finding, err := w.emulator.journal.Verify(ctx, opened.ID, opened.Generation(), expected)
		if err != nil {
			return err
		}
		return finding.Err()
	})
}

// ClearJournal forgets what was asked in the world so far.
func (w *World) ClearJournal(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error {
		return w.emulator.journal.Clear(ctx, opened.ID, opened.Generation())
	})
}

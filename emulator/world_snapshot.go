package emulator

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Snapshot returns the whole world as one JSON document, as the control plane gives it: resources, timeline positions,
// counters, clock, its own scenarios, faults and journal.
func (w *World) Snapshot(ctx context.Context) ([]byte, error) {
	d, err := snapshot.Take(ctx, w.emulator.journal, func(act func(*world.World) error) error { return w.do(ctx, act) })
	if err != nil {
		return nil, err
	}
	return api.Render(d)
}

// Restore makes the world what a snapshot says, all at once: it answers from there on as the world would have of which
// it was taken. A snapshot that is not right is refused whole, and the world is as before.
func (w *World) Restore(ctx context.Context, document []byte) error {
	d, err := snapshot.Parse(document, operationNames())
	if err != nil {
		return err
	}
	return snapshot.Restore(ctx, w.emulator.journal, func(act func(*world.World) error) error { return w.do(ctx, act) }, d)
}

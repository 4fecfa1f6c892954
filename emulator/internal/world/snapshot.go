package world

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/store"
)

// Snapshot returns the whole world: resources, timeline positions, counters, clock, world scenarios, faults and journal. A
// request that is answered meanwhile may be in its journal only.
func (w *World) Snapshot(ctx context.Context) ([]byte, error) {
	var text bytes.Buffer
	err := w.WriteSnapshot(ctx, func() error { text.Reset(); return nil }, &text)
	return text.Bytes(), err
}

// WriteSnapshot writes what Snapshot returns, without holding it. It calls rewind before it begins, and when it begins again.
func (w *World) WriteSnapshot(ctx context.Context, rewind func() error, to io.Writer) error {
	return w.writeSnapshot(ctx, rewind, to, func(tx *Tx) (*Tx, error) { return tx, nil })
}

// writeSnapshot writes a snapshot of what of returns in a transaction.
func (w *World) writeSnapshot(ctx context.Context, rewind func() error, to io.Writer, of func(*Tx) (*Tx, error)) error {
	out := bufio.NewWriter(to)
	var ref journal.Ref
	err := w.Do(ctx, func(tx *Tx) error {
		tx, err := of(tx)
		if err == nil {
			err = rewind()
		}
		if err != nil {
			return err
		}
		out.Reset(to)
		ref = tx.Journal()
		r := tx.record
		return snapshot.WriteWorld(out, snapshot.Head{
			Version: snapshot.Version, Seed: r.Seed, Created: r.Created, Now: tx.Now.UTC(), Frozen: r.Frozen != nil,
			Scenarios: r.Scenarios, ScenariosMade: r.ScenariosMade, Faults: r.Faults, FaultsMade: r.FaultsMade,
			Subscriptions: r.Subscriptions, Settings: r.Settings,
		}, tx.Values)
	})
	if err != nil {
		return err
	}
	entries, dropped, err := w.worlds.config.Journal.Read(ctx, ref)
	return errors.Join(err, snapshot.WriteJournal(out, entries, dropped), out.Flush())
}

// Restore makes the world what a snapshot says, all at once. A malformed snapshot is refused, and the world and its
// journal are as before. A smaller journal gets the last entries; a journal that is off, none.
func (w *World) Restore(ctx context.Context, text []byte) (Status, error) {
	return w.RestoreFrom(ctx, bytes.NewReader(text))
}

// RestoreFrom is [World.Restore] of a snapshot that it does not hold in memory, but reads several times. One restore of all
// worlds is under way at a time.
func (w *World) RestoreFrom(ctx context.Context, text io.ReadSeeker) (Status, error) {
	ws := w.worlds
	if err := ws.restoring.Acquire(ctx, 1); err != nil {
		return Status{}, err
	}
	defer ws.restoring.Release(1)
	return w.restore(ctx, snapshot.Text{ReadSeeker: text}, ws.config.Journal.Restore)
}

// restore checks a snapshot, fills another generation, in as many transactions as that takes, calls fillJournal for the
// generation's journal, and makes the world begin the generation in a last transaction. Until then the generation is marked
// to be collected later: nothing is left of a restore that fails or whose process is killed.
func (w *World) restore(ctx context.Context, d snapshot.Text, fillJournal func(context.Context, journal.Ref, journal.Restored) error) (status Status, err error) {
	ws := w.worlds
	in := snapshot.World{Catalogues: ws.Catalogues, Hosts: ws.config.Targets.Hosts, Journal: ws.config.Journal.Checker()}
	if err := w.Preview(ctx, func(tx *Tx) error { in.Scene = tx.Scene; return nil }); err != nil {
		return status, err
	}
	checked, err := d.Check(in)
	if err != nil {
		return status, err
	}
	next, err := restored(checked.Head, ws.config.Clock.Wall())
	if err != nil {
		return status, err
	}
	filling, cancel := context.WithTimeout(ctx, registry.RestoreTime)
	defer cancel()
	err = ws.config.Store.Update(filling, func(tx store.Tx) (err error) {
		next.Generation, err = registry.Fill(tx, w.id, ws.NewGeneration(), ws.config.Clock.Wall())
		return err
	})
	if err != nil {
		return status, err
	}
	err = d.Fill(filling, ws.config.Store, registry.ValuesPrefix(w.id, next.Generation))
	if err == nil {
		err = fillJournal(filling, journal.Ref{World: w.id, Generation: next.Generation},
			journal.Restored{Entries: d.Entries(), Count: checked.Entries, Dropped: checked.Dropped})
	}
	if err == nil {
		status, err = update(filling, w, func(tx *Tx) (Status, error) {
			next.Key, next.Name, next.Turn = tx.record.Key, tx.record.Name, tx.record.Turn
			err := errors.Join(registry.Filled(tx.Store, tx.World, next.Generation), registry.EndBefore(tx.Store, tx.World), registry.End(tx.Store, tx.World, tx.record.Generation), tx.setRecord(next))
			if err == nil && tx.Outbox.Subscribed() {
				err = tx.Outbox.Rouse()
			}
			return tx.Status(), err
		})
	}
	if err != nil && !errors.Is(err, store.ErrOutcomeUnknown) {
		ctx := context.WithoutCancel(ctx) // the client may be gone
		err = errors.Join(err, ws.config.Store.Update(ctx, func(tx store.Tx) error { return registry.End(tx, w.id, next.Generation) }))
	}
	return status, err
}

// restored returns the record of a restored world, with a clock that goes on from an instant of its wall.
func restored(s snapshot.Head, wall time.Time) (r registry.Record, err error) {
	r = registry.Record{
		Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Scenarios: s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
		Subscriptions: s.Subscriptions, Settings: s.Settings,
	}
	if !s.Frozen {
		r.Frozen = nil
		r.Ahead, err = aheadOf(s.Now, wall)
	}
	return r, err
}

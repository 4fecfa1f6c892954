package world

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// A restore fills a generation so far ahead that resets, and worlds that begin within RestoreTime, have earlier ones.
const generationsAhead = 1 << 31

// RestoreTime bounds the duration of a restore.
const RestoreTime = 30 * time.Minute

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
	checked, err := w.check(ctx, d)
	if err != nil {
		return status, err
	}
	filling, cancel := context.WithTimeout(ctx, RestoreTime)
	defer cancel()
	ws, next := w.worlds, checked.world.record
	var name string
	err = ws.config.Store.Update(filling, func(tx store.Tx) error {
		last, err := Generation(tx, w.id) // which another restore may have filled since the check
		if err == nil {
			next.Generation, err = freeGeneration(tx, w.id, max(last, checked.world.record.Generation, ws.newGeneration())+generationsAhead)
		}
		if err != nil {
			return err
		}
		name = generationName(w.id, next.Generation)
		return tx.Put(endedPrefix+name, []byte(ws.config.Clock.Wall().Add(2*RestoreTime).Format(time.RFC3339)))
	})
	if err != nil {
		return status, err
	}
	err = ws.fill(filling, dataPrefix+name, d)
	if err == nil {
		err = fillJournal(filling, journal.Ref{World: w.id, Generation: next.Generation},
			journal.Restored{Entries: d.Entries(), Count: checked.entries, Dropped: checked.dropped})
	}
	if err == nil {
		status, err = update(filling, w, func(tx *Tx) (Status, error) {
			next.Key, next.Name, next.Turn = tx.record.Key, tx.record.Name, tx.record.Turn
			err := errors.Join(tx.Store.Delete(endedPrefix+name), endBefore(tx.Store, tx.World), endGeneration(tx.Store, tx.World, tx.record.Generation), tx.setRecord(next))
			if err == nil && tx.Outbox.Subscribed() {
				err = tx.Outbox.Rouse()
			}
			return tx.Status(), err
		})
	}
	if err != nil && !errors.Is(err, store.ErrOutcomeUnknown) {
		ctx := context.WithoutCancel(ctx) // the client may be gone
		err = errors.Join(err, ws.config.Store.Update(ctx, func(tx store.Tx) error { return endGeneration(tx, w.id, next.Generation) }))
	}
	return status, err
}

// restored returns the restored world, to check stored values with: it has no store.
func (tx *Tx) restored(s Snapshot) (_ *Tx, err error) {
	restored := *tx
	restored.Store = nil
	restored.record = record{
		Key: tx.record.Key, Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Generation: tx.record.Generation, // see restore
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
		Subscriptions: s.Subscriptions, Settings: s.Settings,
	}
	if err := s.Subscriptions.Check(delivery.Targets{Hosts: tx.worlds.config.Targets.Hosts}); err != nil {
		return nil, snapshot.Refused(err.Error())
	}
	if !s.Frozen {
		restored.record.Frozen = nil
		if restored.record.Ahead, err = aheadOf(s.Now, tx.worlds.config.Clock.Wall()); err != nil {
			return nil, err
		}
	}
	restored.Fixtures.Seed = s.Seed
	return &restored, nil
}

// Bounds of one transaction of fill.
const (
	filledKeys  = 100
	filledBytes = 512 << 10
)

// fill stores the values of a checked snapshot under the key prefix of a generation that has not begun, with the index of its
// sessions.
func (ws *Worlds) fill(ctx context.Context, prefix string, d snapshot.Text) error {
	var batch []stored.Value
	size := 0
	put := func() error {
		return ws.config.Store.Update(ctx, func(tx store.Tx) error {
			for _, v := range batch {
				earlier, err := tx.Get(prefix + v.Name)
				if err == nil && earlier != nil {
					err = snapshot.Refused(api.Quote(v.Name) + " is there twice")
				}
				if err == nil {
					err = tx.Put(prefix+v.Name, v.Bytes)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	for l, err := range d.Lines() {
		if err != nil {
			return err
		}
		at := l.Group()
		if at != snapshot.Scenarios && at != snapshot.Values {
			continue
		}
		value := stored.Value{Name: l.Key, Bytes: l.Value}
		if at == snapshot.Scenarios {
			if value.Bytes, err = jsontext.AppendUnquote(nil, l.Value); err != nil {
				return err
			}
		}
		for _, v := range append(indexOf(value), value) {
			if len(batch) == filledKeys || len(batch) > 0 && size+len(v.Bytes) > filledBytes {
				if err := put(); err != nil {
					return err
				}
				batch, size = nil, 0
			}
			batch, size = append(batch, v), size+len(v.Bytes)
		}
	}
	return put()
}

// indexOf returns what a world stores beside a value, to find it: nothing beside most.
func indexOf(value stored.Value) []stored.Value {
	if about := delivery.IndexOf(value.Name, value.Bytes); about != "" {
		return []stored.Value{{Name: about}}
	}
	return resource.IndexOf(value)
}

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/store"
)

// document is the text of a snapshot. It is read line by line, as often as needed, because it may be too large for memory.
type document struct{ io.ReadSeeker }

// Limits of a line, in bytes.
const (
	maxLine = 7 << 20 // a stored value has up to six bytes for each byte of a body
	maxHead = 1 << 20 // the first
)

// readLine is a line of a snapshot as it was read. The first one has no key.
type readLine struct {
	number int
	Key    string         `json:"key"`
	Value  jsontext.Value `json:"value"`
}

// refused returns the 400 of a snapshot with such a line.
func (l readLine) refused(why string) error {
	if l.Key == "" {
		return snapshotRefused(fmt.Sprintf("line %d %s", l.number, why))
	}
	return snapshotRefused(fmt.Sprintf("line %d, %s, %s", l.number, api.Quote(l.Key), why))
}

// snapshotRefused returns the 400 of an invalid snapshot.
func snapshotRefused(why string) error {
	return invalid("The snapshot is refused, and nothing is changed: " + why)
}

// lines goes through a snapshot. It ends with the first error.
func (d document) lines() iter.Seq2[readLine, error] {
	return func(yield func(readLine, error) bool) {
		l := readLine{number: 1}
		from := &lineReader{from: d, room: maxHead}
		in := jsontext.NewDecoder(from)
		_, err := d.Seek(0, io.SeekStart)
		for err == nil {
			var value jsontext.Value
			l.Key, l.Value = "", nil
			switch value, err = in.ReadValue(); {
			case err == io.EOF && l.number > 1:
				return
			case err != nil:
				err = l.unreadable(err, from.room <= 0)
			case l.number == 1:
				l.Value = bytes.Clone(value)
			default:
				if err = jsonv2.Unmarshal(value, &l, jsonv2.RejectUnknownMembers(true)); err == nil && (l.Key == "" || l.Value == nil) {
					err = errors.New("it has no key, or no value")
				}
				if err != nil {
					err = l.unreadable(err, false)
				}
			}
			if !yield(l, err) {
				return
			}
			l.number++
			from.room = maxLine
		}
		if l.number == 1 && err != nil {
			yield(l, err) // of Seek
		}
	}
}

// unreadable returns the 400 of a line that cannot be decoded. An error of the file is returned as it is.
func (l readLine) unreadable(err error, large bool) error {
	switch {
	case errors.As(err, new(*fs.PathError)):
		return err
	case err == io.EOF:
		return snapshotRefused("it is empty")
	case large && l.number == 1:
		return l.refused(fmt.Sprintf("is larger than %d MiB: a snapshot has one key a line", maxHead>>20))
	case large:
		return l.refused(fmt.Sprintf("is larger than %d MiB", maxLine>>20))
	}
	return l.refused("cannot be read: " + api.ExplainJSON(err))
}

// lineReader reads a snapshot for a decoder, which holds a line in memory to its end.
type lineReader struct {
	from io.Reader
	room int // bytes that may be read before the end of the line
}

func (r *lineReader) Read(into []byte) (n int, err error) {
	if r.room <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err = r.from.Read(into[:min(len(into), r.room)])
	r.room -= n
	return n, err
}

// entries goes through the journal of a checked snapshot. It ends with the first error.
func (d document) entries() iter.Seq2[*journal.Entry, error] {
	return func(yield func(*journal.Entry, error) bool) {
		for l, err := range d.lines() {
			e := new(journal.Entry)
			if err == nil && groupOf(l.Key) != journalLine {
				continue
			}
			if err == nil {
				err = jsonv2.Unmarshal(l.Value, e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// A restore fills a generation so far ahead that resets meanwhile begin earlier ones.
const generationsAhead = 1 << 30

// RestoreTime bounds the duration of a restore.
const RestoreTime = 30 * time.Minute

// Restore makes the world what a snapshot says, all at once. A malformed snapshot is refused, and the world and its
// journal are as before. A smaller journal gets the last entries; a journal that is off, none.
func (w *World) Restore(ctx context.Context, snapshot []byte) (Status, error) {
	return w.RestoreFrom(ctx, bytes.NewReader(snapshot))
}

// RestoreFrom is [World.Restore] of a snapshot that it does not hold in memory, but reads several times. One restore of all
// worlds is under way at a time.
func (w *World) RestoreFrom(ctx context.Context, snapshot io.ReadSeeker) (Status, error) {
	ws := w.worlds
	if err := ws.restoring.Acquire(ctx, 1); err != nil {
		return Status{}, err
	}
	defer ws.restoring.Release(1)
	return w.restore(ctx, document{snapshot}, ws.config.Journal.Restore)
}

// restore checks a snapshot, fills another generation, in as many transactions as that takes, calls fillJournal for the
// generation's journal, and makes the world begin the generation in a last transaction. Until then the generation is marked
// to be collected later: nothing is left of a restore that fails or whose process is killed.
func (w *World) restore(ctx context.Context, d document, fillJournal func(context.Context, journal.Ref, journal.Restored) error) (status Status, err error) {
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
			next.Generation, err = freeGeneration(tx, w.id, max(last, checked.world.record.Generation)+generationsAhead)
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
			journal.Restored{Entries: d.entries(), Count: checked.entries, Dropped: checked.dropped})
	}
	if err == nil {
		status, err = update(filling, w, func(tx *Tx) (Status, error) {
			next.Key, next.Name, next.Turn = tx.record.Key, tx.record.Name, tx.record.Turn
			err := errors.Join(tx.store.Delete(endedPrefix+name), endBefore(tx.store, tx.World), endGeneration(tx.store, tx.World, tx.record.Generation), tx.setRecord(next))
			if err == nil && tx.outbox.Subscribed() {
				err = tx.outbox.Rouse()
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
	restored.store = nil
	restored.record = record{
		Key: tx.record.Key, Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Generation: tx.record.Generation, // see restore
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
		Subscriptions: s.Subscriptions, Settings: s.Settings,
	}
	if err := s.Subscriptions.Check(delivery.Targets{Hosts: tx.worlds.config.Targets.Hosts}); err != nil {
		return nil, snapshotRefused(err.Error())
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

// storedValue is a value that a world stores, and its name.
type storedValue struct {
	name  string
	value []byte
}

// fill stores the values of a checked snapshot under the key prefix of a generation that has not begun, with the index of its
// sessions.
func (ws *Worlds) fill(ctx context.Context, prefix string, d document) error {
	var batch []storedValue
	size := 0
	put := func() error {
		return ws.config.Store.Update(ctx, func(tx store.Tx) error {
			for _, v := range batch {
				earlier, err := tx.Get(prefix + v.name)
				if err == nil && earlier != nil {
					err = snapshotRefused(api.Quote(v.name) + " is there twice")
				}
				if err == nil {
					err = tx.Put(prefix+v.name, v.value)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	for l, err := range d.lines() {
		if err != nil {
			return err
		}
		at := groupOf(l.Key)
		if l.number == 1 || at > valueLine {
			continue
		}
		stored := []byte(l.Value)
		if at == scenarioLine {
			if stored, err = jsontext.AppendUnquote(nil, l.Value); err != nil {
				return err
			}
		}
		for _, v := range append(indexOf(l.Key, stored), storedValue{l.Key, stored}) {
			if len(batch) == filledKeys || len(batch) > 0 && size+len(v.value) > filledBytes {
				if err := put(); err != nil {
					return err
				}
				batch, size = nil, 0
			}
			batch, size = append(batch, v), size+len(v.value)
		}
	}
	return put()
}

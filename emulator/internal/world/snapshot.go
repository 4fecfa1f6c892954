package world

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// SnapshotVersion is the format of the snapshots that this release writes and reads.
const SnapshotVersion = 1

// Snapshot is a whole world. It has the same bytes while nothing is requested and the clock stands. Two worlds with the
// same requests differ in the ids of requests, their times by the machine's clock and their durations only.
type Snapshot struct {
	Version int       `json:"understudy_snapshot"`
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Now     time.Time `json:"now"` // of the clock, which goes on from there
	Frozen  bool      `json:"frozen"`

	Scenarios     []scenarioFile `json:"scenarios"`
	ScenariosMade int            `json:"scenarios_made"`
	Faults        []storedFault  `json:"faults"`
	FaultsMade    int            `json:"faults_made"`

	Settings scenarios.Settings `json:"settings,omitzero"`

	// Stored is what the world has stored, by name: JSON, and the texts of its scenario files as strings.
	Stored map[string]json.RawMessage `json:"remembered"`

	Journal journal.Snapshot `json:"journal"`
}

// scenarioPrefix begins the names under which a world's scenario files are stored.
const scenarioPrefix = "scenario/"

// Snapshot returns the whole world as one JSON document: resources, timeline positions, counters, clock, world scenarios,
// faults and journal. A request that is answered meanwhile may be in its journal only.
func (w *World) Snapshot(ctx context.Context) ([]byte, error) {
	var text bytes.Buffer
	err := w.WriteSnapshot(ctx, func() error { text.Reset(); return nil }, &text)
	return text.Bytes(), err
}

// WriteSnapshot writes what Snapshot returns, without holding it. It calls rewind before it begins, and when it begins again.
func (w *World) WriteSnapshot(ctx context.Context, rewind func() error, to io.Writer) error {
	out := snapshotWriter{Writer: bufio.NewWriter(to)}
	var ref journal.Ref
	err := w.Do(ctx, func(tx *Tx) error {
		if err := rewind(); err != nil {
			return err
		}
		out.Reset(to)
		ref = tx.Journal()
		r := tx.record
		out.head(Snapshot{
			Version: SnapshotVersion, Seed: r.Seed, Created: r.Created, Now: tx.now.UTC(), Frozen: r.Frozen != nil,
			Scenarios: r.Scenarios, ScenariosMade: r.ScenariosMade, Faults: r.Faults, FaultsMade: r.FaultsMade, Settings: r.Settings,
		})
		first := true
		return tx.scan("", "", func(name string, stored []byte) (more bool, err error) {
			if strings.HasPrefix(name, sessionPrefix) || strings.HasPrefix(name, tokenPrefix) {
				return true, nil
			}
			out.separate(&first)
			out.json(name)
			out.text(":")
			if strings.HasPrefix(name, scenarioPrefix) {
				out.json(string(stored))
			} else {
				out.json(json.RawMessage(stored))
			}
			return out.err == nil, out.err
		})
	})
	if err != nil {
		return err
	}
	entries, dropped, err := w.worlds.config.Journal.Read(ctx, ref)
	if err != nil {
		return err
	}
	out.text(fmt.Sprintf(`},"journal":{"dropped":%d,"entries":[`, dropped))
	first := true
	for _, e := range entries {
		out.separate(&first)
		out.json(e)
	}
	out.text("]}}")
	return errors.Join(out.err, out.Flush())
}

// snapshotWriter writes JSON until the first error.
type snapshotWriter struct {
	*bufio.Writer
	err error
}

// head begins a snapshot, up to the values that are stored.
func (out *snapshotWriter) head(s Snapshot) {
	const rest = `null,"journal":{"dropped":0,"entries":null}}`
	text, err := api.Render(s)
	out.err = err
	out.text(strings.TrimSuffix(string(text), rest) + "{")
}

func (out *snapshotWriter) json(value any) {
	text, err := api.Render(value)
	out.err = cmp.Or(out.err, err)
	out.text(string(text))
}

func (out *snapshotWriter) separate(first *bool) {
	if !*first {
		out.text(",")
	}
	*first = false
}

func (out *snapshotWriter) text(text string) {
	if out.err == nil {
		_, out.err = out.WriteString(text)
	}
}

// A restore fills a generation at random within generationsAhead, so that two restores at once do not fill the same one.
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
	s, err := d.outline()
	if err != nil {
		return status, err
	}
	if err := s.check(); err != nil {
		return status, snapshotRefused(err.Error())
	}
	var restored *Tx
	err = w.Do(ctx, func(tx *Tx) (err error) {
		restored, err = tx.restored(s)
		return err
	})
	if err != nil {
		return status, err
	}
	ws, next := w.worlds, restored.record
	entries, err := d.check(restored, ws.config.Journal.Checker())
	if err != nil {
		return status, err
	}
	filling, cancel := context.WithTimeout(ctx, RestoreTime)
	defer cancel()
	name := generationName(w.id, next.Generation)
	err = ws.config.Store.Update(filling, func(tx store.Tx) error {
		return tx.Put(endedPrefix+name, []byte(ws.config.Clock.Wall().Add(2*RestoreTime).Format(time.RFC3339)))
	})
	if err == nil {
		err = ws.fill(filling, dataPrefix+name, d)
	}
	if err == nil {
		err = fillJournal(filling, journal.Ref{World: w.id, Generation: next.Generation},
			journal.Restored{Entries: d.entries(), Count: entries, Dropped: s.Journal.Dropped})
	}
	if err == nil {
		status, err = update(filling, w, func(tx *Tx) (Status, error) {
			next.Key, next.Name = tx.record.Key, tx.record.Name
			err := errors.Join(tx.store.Delete(endedPrefix+name), endGeneration(tx.store, tx.id, tx.record.Generation), tx.setRecord(next))
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
		Generation: tx.record.Generation + 1 + rand.Int64N(generationsAhead),
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade, Settings: s.Settings,
	}
	if !s.Frozen {
		restored.record.Frozen = nil
		if restored.record.Ahead, err = aheadOf(s.Now, tx.worlds.config.Clock.Wall()); err != nil {
			return nil, err
		}
	}
	restored.fixtures.Seed = s.Seed
	restored.catalogue, err = tx.catalogueIn(s)
	return &restored, err
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

// fill stores the values of a snapshot under the key prefix of a generation that has not begun.
func (ws *Worlds) fill(ctx context.Context, prefix string, d document) error {
	var batch []storedValue
	size := 0
	for v, err := range d.stored() {
		if err != nil {
			return err
		}
		if len(batch) == filledKeys || len(batch) > 0 && size+len(v.value) > filledBytes {
			if err := ws.putNew(ctx, prefix, batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
		batch, size = append(batch, v), size+len(v.value)
	}
	return ws.putNew(ctx, prefix, batch)
}

// putNew stores values under names that are not stored yet.
func (ws *Worlds) putNew(ctx context.Context, prefix string, batch []storedValue) error {
	return ws.config.Store.Update(ctx, func(tx store.Tx) error {
		for _, v := range batch {
			earlier, err := tx.Get(prefix + v.name)
			if err != nil {
				return err
			}
			if earlier != nil {
				return snapshotRefused("it cannot be read: remembered " + api.Quote(v.name) + " stands twice")
			}
			if err := tx.Put(prefix+v.name, v.value); err != nil {
				return err
			}
		}
		return nil
	})
}

// catalogueIn returns the catalogue with a snapshot's scenario files.
func (tx *Tx) catalogueIn(s Snapshot) (*scenarios.Catalogue, error) {
	var files scenarios.Files
	size := 0
	for _, f := range s.Scenarios {
		var text string
		if err := json.Unmarshal(s.Stored[f.name()], &text); err != nil {
			return nil, snapshotRefused("the text of the scenario file " + api.Quote(f.Name) + " is missing")
		}
		files, size = files.With(fileName(f.Name), []byte(text)), size+len(text)
	}
	catalogue, err := tx.worlds.limitedCatalogue(files, size)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return nil, snapshotRefused("its scenario files are invalid:\n" + problems.Error())
	}
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		return nil, snapshotRefused(refusal.Message)
	}
	return catalogue, err
}

// snapshotRefused returns the 400 of an invalid snapshot.
func snapshotRefused(why string) error {
	return invalid("The snapshot is refused, and nothing is changed: " + why)
}

package world

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

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

	// Stored is what the world has stored, by name: JSON, and the texts of its scenario files as strings.
	Stored map[string]json.RawMessage `json:"remembered"`

	Journal journal.Snapshot `json:"journal"`
}

// scenarioPrefix begins the names under which a world's scenario files are stored.
const scenarioPrefix = "scenario/"

// Snapshot returns the whole world as one JSON document: resources, timeline positions, counters, clock, world scenarios,
// faults and journal. A request that is answered meanwhile may be in its journal only.
func (w *World) Snapshot(ctx context.Context) ([]byte, error) {
	s := Snapshot{Version: SnapshotVersion}
	var ref journal.Ref
	err := w.Do(ctx, func(tx *Tx) error {
		r := tx.record
		s.Seed, s.Created, s.Now, s.Frozen = r.Seed, r.Created, tx.now.UTC(), r.Frozen != nil
		s.Scenarios, s.ScenariosMade, s.Faults, s.FaultsMade = r.Scenarios, r.ScenariosMade, r.Faults, r.FaultsMade
		s.Stored = make(map[string]json.RawMessage)
		ref = tx.Journal()
		return tx.scan("", "", func(name string, stored []byte) (more bool, err error) {
			value := slices.Clone(stored)
			if strings.HasPrefix(name, scenarioPrefix) {
				value, err = json.Marshal(string(stored))
			}
			s.Stored[name] = value
			return true, err
		})
	})
	if err != nil {
		return nil, err
	}
	if s.Journal, err = w.worlds.config.Journal.Snapshot(ctx, ref); err != nil {
		return nil, err
	}
	return api.Render(s)
}

// parseSnapshot reads a snapshot. Its journal may have entries of the named operations.
func parseSnapshot(text []byte, operations []string) (s Snapshot, err error) {
	if err := jsonv2.Unmarshal(text, &s, jsonv2.RejectUnknownMembers(true)); err != nil {
		return s, snapshotRefused("it cannot be read: " + api.ExplainJSON(err))
	}
	if s.Version != SnapshotVersion {
		return s, nil // another release's may have other members: restore refuses it by its version
	}
	if lack := api.Missing(text, reflect.TypeFor[Snapshot]()); lack != "" {
		return s, snapshotRefused(lack)
	}
	if s.Stored == nil {
		return s, snapshotRefused("remembered may not be null")
	}
	if err := s.Journal.Validate(operations); err != nil {
		return s, snapshotRefused("journal: " + err.Error())
	}
	return s, nil
}

// A restore fills a generation at random within generationsAhead, so that two restores at once do not fill the same one.
const generationsAhead = 1 << 30

// restoreTime bounds the duration of a restore.
const restoreTime = 30 * time.Minute

// Restore makes the world what a snapshot says, all at once. A malformed snapshot is refused, and the world and its
// journal are as before. A smaller journal gets the last entries; a journal that is off, none.
func (w *World) Restore(ctx context.Context, snapshot []byte) (Status, error) {
	s, err := parseSnapshot(snapshot, w.worlds.config.Operations)
	if err != nil {
		return Status{}, err
	}
	return w.restore(ctx, s, func(p journal.Ref) error {
		return w.worlds.config.Journal.Restore(ctx, p, s.Journal.Entries, s.Journal.Dropped)
	})
}

// restore fills another generation, in as many transactions as that takes, calls fillJournal for the generation's journal,
// and makes the world begin the generation in a last transaction. Until then the generation is marked to be collected
// later: nothing is left of a restore that fails or whose process is killed.
func (w *World) restore(ctx context.Context, s Snapshot, fillJournal func(journal.Ref) error) (status Status, err error) {
	if err := s.check(); err != nil {
		return status, snapshotRefused(err.Error())
	}
	var next record
	var values map[string][]byte
	err = w.Do(ctx, func(tx *Tx) (err error) {
		next, values, err = tx.restored(s)
		return err
	})
	if err != nil {
		return status, err
	}
	filling, cancel := context.WithTimeout(ctx, restoreTime)
	defer cancel()
	ws, name := w.worlds, generationName(w.id, next.Generation)
	err = ws.config.Store.Update(filling, func(tx store.Tx) error {
		return tx.Put(endedPrefix+name, []byte(ws.config.Clock.Wall().Add(2*restoreTime).Format(time.RFC3339)))
	})
	if err == nil {
		err = ws.fill(filling, dataPrefix+name, values)
	}
	if err == nil {
		err = fillJournal(journal.Ref{World: w.id, Generation: next.Generation})
	}
	if err == nil {
		status, err = update(filling, w, func(tx *Tx) (Status, error) {
			next.Key = tx.record.Key
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

// restored returns the record of the restored world, and its stored values by name.
func (tx *Tx) restored(s Snapshot) (next record, values map[string][]byte, err error) {
	next = record{
		Key: tx.record.Key, Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Generation: tx.record.Generation + 1 + rand.Int64N(generationsAhead),
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
	}
	if !s.Frozen {
		next.Frozen = nil
		if next.Ahead, err = tx.worlds.config.Clock.aheadOf(s.Now); err != nil {
			return next, nil, err
		}
	}
	restored := *tx
	restored.record = next
	restored.fixtures.Seed = s.Seed
	if restored.catalogue, err = tx.catalogueIn(s); err != nil {
		return next, nil, err
	}
	values = make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(s.Stored)) {
		if values[name], err = restored.check(name, s.Stored[name]); err != nil {
			return next, nil, snapshotRefused("remembered " + api.Quote(name) + " " + err.Error())
		}
	}
	return next, values, nil
}

// Bounds of one transaction of fill.
const (
	filledKeys  = 100
	filledBytes = 512 << 10
)

// fill stores values under the key prefix of a generation that has not begun.
func (ws *Worlds) fill(ctx context.Context, prefix string, values map[string][]byte) error {
	names := slices.Sorted(maps.Keys(values))
	for len(names) > 0 {
		count, size := 1, len(values[names[0]])
		for ; count < min(len(names), filledKeys) && size+len(values[names[count]]) <= filledBytes; count++ {
			size += len(values[names[count]])
		}
		err := ws.config.Store.Update(ctx, func(tx store.Tx) error {
			for _, name := range names[:count] {
				if err := tx.Put(prefix+name, values[name]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		names = names[count:]
	}
	return nil
}

// catalogueIn returns the catalogue with a snapshot's scenario files.
func (tx *Tx) catalogueIn(s Snapshot) (*scenarios.Catalogue, error) {
	var files scenarios.Files
	for _, f := range s.Scenarios {
		var text string
		if err := json.Unmarshal(s.Stored[f.name()], &text); err != nil {
			return nil, snapshotRefused("the text of the scenario file " + api.Quote(f.Name) + " is missing")
		}
		files = files.With(fileName(f.Name), []byte(text))
	}
	catalogue, err := files.Over(tx.worlds.catalogue.Load())
	if err != nil {
		return nil, snapshotRefused("its scenario files are invalid:\n" + err.Error())
	}
	return catalogue, nil
}

// snapshotRefused returns the 400 of an invalid snapshot.
func snapshotRefused(why string) error {
	return invalid("The snapshot is refused, and nothing is changed: " + why)
}

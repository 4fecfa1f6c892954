package world

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// SnapshotVersion is the form of the snapshots that this release writes and reads.
const SnapshotVersion = 1

// Snapshot is a whole world, to be taken elsewhere. It has the same bytes for the same world while the clock stands.
type Snapshot struct {
	Version int       `json:"understudy_snapshot"`
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Now     time.Time `json:"now"` // of the clock, which goes on from there
	Frozen  bool      `json:"frozen"`

	Scenarios     []ownFile     `json:"scenarios"`
	ScenariosMade int           `json:"scenarios_made"`
	Faults        []storedFault `json:"faults"`
	FaultsMade    int           `json:"faults_made"`

	// Remembered is what the world has stored, by name: JSON, and the texts of its own scenario files as strings.
	Remembered map[string]json.RawMessage `json:"remembered"`
}

// scenarioPrefix begins the names under which the world's own scenario files are stored.
const scenarioPrefix = "scenario/"

// Snapshot returns the whole world.
func (w *World) Snapshot() (Snapshot, error) {
	s := Snapshot{
		Version: SnapshotVersion, Seed: w.record.Seed, Created: w.record.Created, Now: w.now.UTC(), Frozen: w.Frozen(),
		Scenarios: w.record.Scenarios, ScenariosMade: w.record.ScenariosMade,
		Faults: w.record.Faults, FaultsMade: w.record.FaultsMade,
		Remembered: make(map[string]json.RawMessage),
	}
	err := w.scan("", "", func(name string, stored []byte) (more bool, err error) {
		value := slices.Clone(stored)
		if strings.HasPrefix(name, scenarioPrefix) {
			value, err = json.Marshal(string(stored))
		}
		s.Remembered[name] = value
		return true, err
	})
	return s, err
}

// generationsAhead is by how many generations a world that is restored is ahead at most: so that two who restore it at
// once do not fill the same one.
const generationsAhead = 1 << 30

// restoreTime bounds how long a world is restored.
const restoreTime = 30 * time.Minute

// Restore makes a world what a snapshot says, all at once, or leaves it as before.
//
// It fills another generation, in as many transactions as that takes, and has the world begin it in a last one. Before that
// it calls also, which fills the generation's journal. Until then the generation is marked to be collected, but not soon: so
// nothing is left of a restore that fails, or whose process is killed.
func (ws *Worlds) Restore(ctx context.Context, at Ref, s Snapshot, also func(journal.Ref) error) error {
	if err := s.check(); err != nil {
		return snapshotRefused(err.Error())
	}
	var next record
	var values map[string][]byte
	err := ws.Do(ctx, at, func(w *World) (err error) {
		next, values, err = w.restored(s)
		return err
	})
	if err != nil {
		return err
	}
	filling, cancel := context.WithTimeout(ctx, restoreTime)
	defer cancel()
	name := generationName(at.id, next.Generation)
	err = ws.config.Store.Update(filling, func(tx store.Tx) error {
		return tx.Put(goneKeys+name, []byte(ws.config.Clock.Wall().Add(2*restoreTime).Format(time.RFC3339)))
	})
	if err == nil {
		err = ws.fill(filling, dataPrefix+name, values)
	}
	if err == nil {
		err = also(journal.Ref{World: at.id, Generation: next.Generation})
	}
	if err == nil {
		err = ws.Update(filling, at, func(w *World) error {
			next.Key = w.record.Key
			return errors.Join(w.tx.Delete(goneKeys+name), endGeneration(w.tx, w.ID, w.record.Generation), w.setRecord(next))
		})
	}
	if err != nil && !errors.Is(err, store.ErrOutcomeUnknown) {
		ctx := context.WithoutCancel(ctx) // whoever wanted it may be gone
		err = errors.Join(err, ws.config.Store.Update(ctx, func(tx store.Tx) error { return endGeneration(tx, at.id, next.Generation) }))
	}
	return err
}

// restored returns the record of the world once it is what a snapshot says, and all that is stored then, by name.
func (w *World) restored(s Snapshot) (next record, values map[string][]byte, err error) {
	next = record{
		Key: w.record.Key, Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Generation: w.record.Generation + 1 + rand.Int64N(generationsAhead),
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
	}
	if !s.Frozen {
		next.Frozen = nil
		if next.Ahead, err = w.worlds.config.Clock.aheadOf(s.Now); err != nil {
			return next, nil, err
		}
	}
	restored := *w
	restored.record = next
	restored.fixtures.Seed = s.Seed
	if restored.catalogue, err = w.catalogueIn(s); err != nil {
		return next, nil, err
	}
	values = make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(s.Remembered)) {
		if values[name], err = restored.check(name, s.Remembered[name]); err != nil {
			return next, nil, snapshotRefused("remembered " + api.Quote(name) + " " + err.Error())
		}
	}
	return next, values, nil
}

// What one transaction fills.
const (
	filledKeys  = 100
	filledBytes = 512 << 10
)

// fill stores values under a prefix that no record leads to yet.
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

// catalogueIn returns what a world follows that has a snapshot's scenario files.
func (w *World) catalogueIn(s Snapshot) (*scenarios.Catalogue, error) {
	var files scenarios.Files
	for _, f := range s.Scenarios {
		var text string
		if err := json.Unmarshal(s.Remembered[f.name()], &text); err != nil {
			return nil, snapshotRefused("the text of the scenario file " + api.Quote(f.Name) + " is missing")
		}
		files = files.With(fileName(f.Name), []byte(text))
	}
	catalogue, err := files.Over(w.worlds.catalogue.Load())
	if err != nil {
		return nil, snapshotRefused("its scenario files are not right:\n" + err.Error())
	}
	return catalogue, nil
}

// snapshotRefused returns the 400 of a snapshot that is not right.
func snapshotRefused(why string) error {
	return api.Because(http.StatusBadRequest, "The snapshot is refused, and nothing is changed: "+why)
}

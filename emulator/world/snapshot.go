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
	"github.com/understudy-sandbox/understudy/emulator/journal"
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

// Restore makes a world what a snapshot says, all at once. Its error for a snapshot that is not right is an [*api.Error],
// and the world is as before then.
//
// It fills another generation, in as many transactions as that takes, and has the world begin it in a last one. Before that
// it calls also, which fills the generation's journal.
func (ws *Worlds) Restore(ctx context.Context, at Ref, s Snapshot, also func(journal.Place) error) error {
	if err := s.checkVersion(); err != nil {
		return err
	}
	var next record
	var values map[string][]byte
	err := ws.Do(ctx, at, func(w *World) (err error) {
		if next, err = w.restored(s); err != nil {
			return err
		}
		values, err = w.restoredValues(s, next)
		return err
	})
	if err != nil {
		return err
	}
	place := journal.Place{World: at.id, Generation: next.Generation}
	prefix := worldPrefix(place.World, place.Generation)
	err = ws.fill(ctx, prefix, values)
	if err == nil {
		err = also(place)
	}
	if err == nil {
		err = ws.Update(ctx, at, func(w *World) error {
			next.Key = w.record.Key
			if err := endGeneration(w.tx, w.ID, w.record.Generation); err != nil {
				return err
			}
			return w.setRecord(next)
		})
	}
	if err != nil && !errors.Is(err, store.ErrOutcomeUnknown) {
		ctx := context.WithoutCancel(ctx) // whoever wanted it may be gone
		for _, prefix := range []string{prefix, JournalPrefix(place)} {
			err = errors.Join(err, store.DeletePrefix(ctx, ws.config.Store, prefix))
		}
	}
	return err
}

// restored returns the record of the world once it is what a snapshot says.
func (w *World) restored(s Snapshot) (next record, err error) {
	next = record{
		Key: w.record.Key, Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Generation: w.record.Generation + 1 + rand.Int64N(generationsAhead),
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
	}
	if !s.Frozen {
		next.Frozen = nil
		next.Ahead, err = w.worlds.config.Clock.aheadOf(s.Now)
	}
	return next, err
}

// restoredValues checks all that a snapshot has stored, and returns it by name.
func (w *World) restoredValues(s Snapshot, next record) (map[string][]byte, error) {
	if err := s.check(); err != nil {
		return nil, SnapshotRefused(err.Error())
	}
	restored := *w
	restored.record = next
	restored.fixtures.Seed = s.Seed
	var err error
	if restored.catalogue, err = w.catalogueIn(s); err != nil {
		return nil, err
	}
	values := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(s.Remembered)) {
		if values[name], err = restored.check(name, s.Remembered[name]); err != nil {
			return nil, SnapshotRefused("remembered " + api.Quote(name) + " " + err.Error())
		}
	}
	return values, nil
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
		count, size := 0, 0
		for count < min(len(names), filledKeys) && (count == 0 || size+len(values[names[count]]) <= filledBytes) {
			size += len(values[names[count]])
			count++
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
			return nil, SnapshotRefused("the text of the scenario file " + api.Quote(f.Name) + " is missing")
		}
		files = files.With(fileName(f.Name), []byte(text))
	}
	catalogue, err := files.Over(w.worlds.catalogue.Load())
	if err != nil {
		return nil, SnapshotRefused("its scenario files are not right:\n" + err.Error())
	}
	return catalogue, nil
}

// SnapshotRefused returns the [*api.Error] of a snapshot that is not right.
func SnapshotRefused(why string) error {
	return api.Because(http.StatusBadRequest, "The snapshot is refused, and nothing is changed: "+why)
}

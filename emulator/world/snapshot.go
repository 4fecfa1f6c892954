package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
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

	// Remembered is what the world remembers, by name: JSON, and the texts of its own scenario files as strings.
	Remembered map[string]json.RawMessage `json:"remembered"`
}

// scenarioPrefix begins the names under which the world's own scenario files stand.
const scenarioPrefix = "scenario/"

// Snapshot returns the whole world.
func (w *World) Snapshot(ctx context.Context) (Snapshot, error) {
	s := Snapshot{
		Version: SnapshotVersion, Seed: w.record.Seed, Created: w.record.Created, Now: w.now.UTC(), Frozen: w.Frozen(),
		Scenarios: w.record.Scenarios, ScenariosMade: w.record.ScenariosMade,
		Faults: w.record.Faults, FaultsMade: w.record.FaultsMade,
		Remembered: make(map[string]json.RawMessage),
	}
	err := w.worlds.config.Store.Scan(ctx, w.place, "", func(key string, value []byte) error {
		name := strings.TrimPrefix(key, w.place)
		if !strings.HasPrefix(name, scenarioPrefix) {
			s.Remembered[name] = slices.Clone(value)
			return nil
		}
		text, err := json.Marshal(string(value))
		s.Remembered[name] = text
		return err
	})
	return s, err
}

// Restore makes the world what a snapshot says, all at once. Its error for a snapshot that is not right is an
// [*api.Error], and the world is as before then.
func (w *World) Restore(ctx context.Context, s Snapshot) error {
	if s.Version != SnapshotVersion {
		return SnapshotRefused(fmt.Sprintf("understudy_snapshot must be %d, as this release writes it, and is %d", SnapshotVersion, s.Version))
	}
	for _, instant := range []time.Time{s.Created, s.Now} {
		if err := FrozenAt(instant).Check(); err != nil || instant.IsZero() {
			return SnapshotRefused("created and now must be instants from the year 1970 to 9990")
		}
	}
	for {
		if err := w.tryRestore(ctx, s); !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

// generationsAhead is by how many generations a world that is restored is ahead at most: so that two who restore it at
// once do not fill the same place, while a later generation has a greater number.
const generationsAhead = 1 << 30

// tryRestore fills the next place of the world and has the world be there. When the world has been reset or restored
// meanwhile, the World is the new one, and the error errOvertaken.
func (w *World) tryRestore(ctx context.Context, s Snapshot) error {
	next := *w
	next.record = record{
		Key: w.record.Key, Seed: s.Seed, Created: s.Created.UTC(), Frozen: new(s.Now.UTC()),
		Generation: w.record.Generation + 1 + rand.Int64N(generationsAhead),
		Scenarios:  s.Scenarios, ScenariosMade: s.ScenariosMade, Faults: s.Faults, FaultsMade: s.FaultsMade,
	}
	if !s.Frozen {
		ahead, err := w.worlds.config.Clock.aheadOf(s.Now)
		if err != nil {
			return err
		}
		next.record.Frozen, next.record.Ahead = nil, ahead
	}
	next.place = next.record.place(w.ID)
	leftover := next.place // of the two places, the one that is not the world's
	err := next.fill(ctx, s)
	if err == nil {
		before, overtaken := w.record.Generation, false
		leftover = w.place
		err = w.changeRecord(ctx, func(r record) (record, error) {
			if overtaken = r.Generation != before; overtaken {
				return r, nil
			}
			return next.record, nil
		})
		if err != nil || overtaken {
			leftover = next.place
		}
		if overtaken {
			err = errOvertaken
		}
	}
	return errors.Join(err, w.worlds.leave(ctx, leftover))
}

// fill checks all that a snapshot has the world remember, and has it remember that.
func (w *World) fill(ctx context.Context, s Snapshot) error {
	if err := s.check(); err != nil {
		return SnapshotRefused(err.Error())
	}
	catalogue, err := w.catalogueIn(s)
	if err != nil {
		return err
	}
	w.catalogue, w.fixtures.Seed = catalogue, s.Seed
	values := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(s.Remembered)) {
		value, err := w.check(name, s.Remembered[name])
		if err != nil {
			return SnapshotRefused("remembered " + api.Quote(name) + " " + err.Error())
		}
		values[name] = value
	}
	for name, value := range values {
		if err := w.update(ctx, name, func([]byte) ([]byte, error) { return value, nil }); err != nil {
			return err
		}
	}
	return nil
}

// catalogueIn returns what a world follows that has a snapshot's scenario files.
func (w *World) catalogueIn(s Snapshot) (*scenarios.Catalogue, error) {
	var files scenarios.Files
	for _, f := range s.Scenarios {
		var text string
		if err := json.Unmarshal(s.Remembered[f.key()], &text); err != nil {
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

// Package registry has what a store has of the worlds themselves: the record of each, and the generations of its values. A key of the
// store or a record flows in; a record, a generation, or the machine's instant as a world sees it flows out. What ended generations have
// stored is deleted in the background. Package world opens a transaction with a record.
package registry

import (
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Record is the stored state of a world itself. Every transaction in the world reads it, so that a transaction that
// changes it conflicts with all others.
type Record struct {
	Key     string    `json:"key"` // masked
	Name    string    `json:"name,omitempty"`
	Turn    int       `json:"turn,omitempty"`
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`

	// Generation is part of the keys of all that the world has stored. A reset begins another generation, so that the
	// whole world is new at once. The keys of the last one are collected in the background.
	Generation int64 `json:"generation"`

	Frozen *time.Time    `json:"frozen,omitempty"` // the instant of a frozen clock; nil while it runs
	Ahead  time.Duration `json:"ahead,omitempty"`  // of the machine's clock, while the clock runs

	Used time.Time `json:"used,omitzero"` // the last-used time, see [Walls]; zero: an earlier release made the world

	Scenarios     []catalogues.File `json:"scenarios,omitempty"` // in the order of their names
	ScenariosMade int               `json:"scenarios_made,omitempty"`

	Faults     []rules.StoredFault `json:"faults,omitempty"`
	FaultsMade int                 `json:"faults_made,omitempty"`

	delivery.Subscriptions

	Settings scenarios.Settings `json:"settings,omitzero"` // its own: see resource.Scene
}

// Key prefixes of the store. All that a world stores has keys with its generation.
const (
	RecordPrefix  = "world/"
	dataPrefix    = "w/"
	journalPrefix = "journal/"
)

func generationName(id string, generation int64) string {
	return id + "/" + strconv.FormatInt(generation, 36) + "/"
}

// ValuesPrefix returns the key prefix of the values of a world in one generation.
func ValuesPrefix(id string, generation int64) string {
	return dataPrefix + generationName(id, generation)
}

// RecordKey returns the key of a world's record, whose value changes when the world begins another generation.
func RecordKey(id string) string { return RecordPrefix + id }

// JournalPrefix returns the key prefix of the journal of a world in one generation, or in all of them for generation 0; of
// all worlds for the zero Ref. The keys are deleted with the generation.
func JournalPrefix(p journal.Ref) string {
	if p.World == "" {
		return journalPrefix
	}
	if p.Generation == 0 {
		return journalPrefix + p.World + "/"
	}
	return journalPrefix + generationName(p.World, p.Generation)
}

// Generation returns the generation of a world, 0 when there is no such world.
func Generation(tx store.Tx, id string) (int64, error) {
	r, err := Read(tx, id)
	return r.Generation, err
}

// Read returns the record of a world, with generation 0 when there is no such world.
func Read(tx store.Tx, id string) (r Record, err error) {
	err = stored.Load(tx, RecordPrefix+id, &r)
	return r, err
}

// Instant returns the world's instant at an instant of its wall.
func (r Record) Instant(wall time.Time) time.Time {
	if r.Frozen != nil {
		return *r.Frozen
	}
	return clock.Within(wall.Add(r.Ahead))
}

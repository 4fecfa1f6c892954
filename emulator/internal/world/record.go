package world

import (
	"encoding/json"
	"fmt"
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

// record is the stored state of a world itself. Every transaction in the world reads it, so that a transaction that
// changes it conflicts with all others.
type record struct {
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

	Used time.Time `json:"used,omitzero"` // the last-used time, see Worlds.wall; zero: an earlier release made the world

	Scenarios     []catalogues.File `json:"scenarios,omitempty"` // in the order of their names
	ScenariosMade int               `json:"scenarios_made,omitempty"`

	Faults     []rules.StoredFault `json:"faults,omitempty"`
	FaultsMade int                 `json:"faults_made,omitempty"`

	delivery.Subscriptions

	Settings scenarios.Settings `json:"settings,omitzero"` // its own: see resource.Scene
}

// Key prefixes of the store. All that a world stores has keys with its generation.
const (
	recordPrefix  = "world/"
	dataPrefix    = "w/"
	journalPrefix = "journal/"
)

func generationName(id string, generation int64) string {
	return id + "/" + strconv.FormatInt(generation, 36) + "/"
}

// RecordKey returns the key of a world's record, whose value changes when the world begins another generation.
func RecordKey(id string) string { return recordPrefix + id }

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
	r, err := readRecord(tx, id)
	return r.Generation, err
}

// readRecord returns the record of a world, with generation 0 when there is no such world.
func readRecord(tx store.Tx, id string) (r record, err error) {
	err = stored.Load(tx, recordPrefix+id, &r)
	return r, err
}

// newRecord returns the record of a new world.
func (c Config) newRecord(maskedKey string, generation int64) record {
	r := record{Key: maskedKey, Seed: c.Seed, Generation: generation}
	if c.Clock.Frozen.IsZero() {
		r.Created = c.Clock.Wall().UTC().Truncate(time.Microsecond)
	} else {
		r.Created = c.Clock.Frozen.UTC()
		r.Frozen = &r.Created
	}
	for _, s := range c.Webhooks {
		r.Add(delivery.Subscribed{Subscription: s, Since: r.Created}, r.Seed)
	}
	return r
}

// now returns the world's instant at an instant of its wall.
func (r record) now(wall time.Time) time.Time {
	if r.Frozen != nil {
		return *r.Frozen
	}
	return clock.Within(wall.Add(r.Ahead))
}

// usedEvery is how often a world's last-used time is written at most: once a minute, or ten times per TTL where that is
// more often. It is part of the world's record, so that all processes on a store respect it.
func (c Config) usedEvery() time.Duration {
	if c.TTL == 0 {
		return time.Minute
	}
	return min(time.Minute, c.TTL/10)
}

// maxRecord bounds a record, in bytes: it is one value of the store, and etcd takes 1.5 MiB at once. A longer record may
// grow by alwaysRoom, so that its clock and its last-used time can still change.
const (
	maxRecord  = 512 << 10
	alwaysRoom = 128
)

// setRecord stores another record, unless that is too long, and applies it.
func (tx *Tx) setRecord(r record) error {
	before, err := json.Marshal(tx.record)
	if err != nil {
		return err
	}
	if r.Generation != tx.record.Generation { // the wall of another one is the machine's clock again
		tx.wall, _ = tx.worlds.wall(tx.World, r)
	}
	r.Used = tx.wall
	after, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(after) > maxRecord && len(after) > len(before)+alwaysRoom {
		return conflict(fmt.Sprintf(
			"The world's faults and scenario list may take %d KiB, and these need %d: remove some first, or write them shorter",
			maxRecord>>10, (len(after)+1023)>>10))
	}
	if err := tx.Store.Put(recordPrefix+tx.World, after); err != nil {
		return err
	}
	tx.record, tx.changed = r, true
	return tx.apply()
}

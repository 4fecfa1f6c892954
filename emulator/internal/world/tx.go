package world

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Tx is a world within one transaction, at one instant. It is not for concurrent use.
type Tx struct {
	id        string
	worlds    *Worlds
	store     store.Tx
	keyName   string // the part of the API key after sk_test_; "" for a world that was opened by its id
	record    record
	made      bool   // by this transaction
	began     int64  // the generation in which the transaction began
	prefix    string // of the keys of all that the world has in this generation
	now       time.Time
	fixtures  fixtures.Generator
	catalogue *scenarios.Catalogue
}

// in runs fn in the world within a transaction of the store.
func (w *World) in(stored store.Tx, fn func(*Tx) error) error {
	config := w.worlds.config
	r, err := readRecord(stored, w.id)
	if err != nil {
		return err
	}
	tx := &Tx{id: w.id, worlds: w.worlds, store: stored, record: r, made: r.Generation == 0}
	_, tx.keyName, _ = strings.Cut(w.key, "_sk_test_")
	if tx.made {
		if w.key == "" {
			return worldUnknown(w.id)
		}
		generation, err := freeGeneration(stored, w.id, max(1, config.Clock.Wall().UnixMicro())) // no world has generation 0
		if err != nil {
			return err
		}
		tx.record = config.newRecord(mask(w.key), generation)
	}
	tx.began = tx.record.Generation
	if used := tx.record.Used; tx.made || config.lastUsed(used) != used {
		err = tx.setRecord(tx.record) // which writes the last-used time
	} else {
		err = tx.follow()
	}
	if err != nil {
		return err
	}
	return fn(tx)
}

// record is what the store has of a world itself. Every transaction in the world reads it, so that one that changes it
// comes before or after any other, never between.
type record struct {
	Key     string    `json:"key"` // masked
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"` // whole seconds, unless it was frozen between two

	// Generation is in the keys of all that the world has stored. A reset begins another one, so that the world is new at
	// once and as a whole; what the last one left is collected in the background.
	Generation int64 `json:"generation"`

	Frozen *time.Time    `json:"frozen,omitempty"` // where the clock stands; nil while it runs
	Ahead  time.Duration `json:"ahead,omitempty"`  // by how much a clock that runs is ahead of the machine's

	Used *time.Time `json:"used,omitempty"` // the last-used time, by the machine's clock; kept while worlds have a time to live

	Scenarios     []scenarioFile `json:"scenarios,omitempty"` // in the order of their names
	ScenariosMade int            `json:"scenarios_made,omitempty"`

	Faults     []storedFault `json:"faults,omitempty"`
	FaultsMade int           `json:"faults_made,omitempty"`
}

// Keys of the store. A world's things have keys of their own generation.
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

// JournalPrefix begins the keys of the journal of a world in one generation, or in all of them for generation 0, where the
// store has it. They are deleted with the generation.
func JournalPrefix(p journal.Place) string {
	if p.Generation == 0 {
		return journalPrefix + p.World + "/"
	}
	return journalPrefix + generationName(p.World, p.Generation)
}

// Generation returns the generation that a world is in, 0 when there is no such world.
func Generation(tx store.Tx, id string) (int64, error) {
	r, err := readRecord(tx, id)
	return r.Generation, err
}

// readRecord returns the record of a world, of generation 0 when there is no such world.
func readRecord(tx store.Tx, id string) (r record, err error) {
	err = load(tx, recordPrefix+id, &r)
	return r, err
}

// newRecord returns the record of a world that is made now.
func (c Config) newRecord(maskedKey string, generation int64) record {
	r := record{Key: maskedKey, Seed: c.Seed, Generation: generation, Used: c.lastUsed(nil)}
	if c.Clock.Frozen.IsZero() {
		r.Created = c.Clock.Wall().UTC().Truncate(time.Second)
	} else {
		r.Created = c.Clock.Frozen.UTC()
		r.Frozen = &r.Created
	}
	return r
}

// now returns the world's instant.
func (r record) now(c Clock) time.Time {
	if r.Frozen != nil {
		return *r.Frozen
	}
	return within(c.Wall().UTC().Add(r.Ahead))
}

// maxRecord bounds a record, in bytes: it is one value of the store, and etcd takes 1.5 MiB at once. Its clock and its
// last-used time always have room: it may grow by alwaysRoom all the same.
const (
	maxRecord  = 512 << 10
	alwaysRoom = 128
)

// setRecord stores another record, unless that is too long, and makes the world follow it.
func (tx *Tx) setRecord(r record) error {
	before, err := json.Marshal(tx.record)
	if err != nil {
		return err
	}
	r.Used = tx.worlds.config.lastUsed(r.Used)
	after, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(after) > maxRecord && len(after) > len(before)+alwaysRoom {
		return conflict(fmt.Sprintf(
			"The faults of a world, and the list of its scenario files, take %d KiB at most, and these would take %d: take some away first, or say it in fewer words",
			maxRecord>>10, (len(after)+1023)>>10))
	}
	if err := tx.store.Put(recordPrefix+tx.id, after); err != nil {
		return err
	}
	tx.record = r
	return tx.follow()
}

// follow makes the world follow its record.
func (tx *Tx) follow() (err error) {
	tx.prefix = dataPrefix + generationName(tx.id, tx.record.Generation)
	tx.now = tx.record.now(tx.worlds.config.Clock)
	tx.fixtures = fixtures.Generator{Seed: tx.record.Seed}
	tx.catalogue = tx.worlds.catalogue.Load()
	if len(tx.record.Scenarios) > 0 {
		tx.catalogue, err = tx.worldCatalogue(tx.catalogue)
	}
	return err
}

// Status returns the world's status.
func (tx *Tx) Status() Status { return tx.record.status(tx.id, tx.now) }

func (r record) status(id string, now time.Time) Status {
	return Status{ID: id, Key: r.Key, Seed: r.Seed, Created: r.Created, Now: now.UTC(), Frozen: r.Frozen != nil, used: r.Used}
}

// Now returns the world's instant.
func (tx *Tx) Now() time.Time { return tx.now }

// Journal returns the place of the world's journal.
func (tx *Tx) Journal() journal.Place {
	return journal.Place{World: tx.id, Generation: tx.record.Generation}
}

// load decodes what the world has stored under a name into a value, and leaves that alone when there is nothing.
func (tx *Tx) load(name string, value any) error { return load(tx.store, tx.prefix+name, value) }

func load(tx store.Tx, key string, value any) error {
	stored, err := tx.Get(key)
	if err != nil || stored == nil {
		return err
	}
	return decodeStored(key, stored, value)
}

func decodeStored(name string, stored []byte, value any) error {
	if err := json.Unmarshal(stored, value); err != nil {
		return fmt.Errorf("read %s: %w", api.Quote(name), err)
	}
	return nil
}

// save stores a value under a name, and returns its bytes.
func (tx *Tx) save(name string, value any) (stored []byte, err error) {
	if stored, err = json.Marshal(value); err != nil {
		return nil, err
	}
	return stored, tx.store.Put(tx.prefix+name, stored)
}

// scan calls visit with what the world has stored under names that begin with prefix, by the rest of the name in byte
// order, from the first behind after, for as long as visit wants more.
func (tx *Tx) scan(prefix, after string, visit func(rest string, stored []byte) (more bool, err error)) error {
	begin := tx.prefix + prefix
	for entry, err := range tx.store.Scan(begin, begin+after) {
		if err != nil {
			return err
		}
		if more, err := visit(entry.Key[len(begin):], entry.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// mask shows a key so that its owner recognizes it and two keys are told apart: its end, where that leaves enough hidden,
// and the beginning of its world's id.
func mask(key string) string {
	prefix, name, _ := strings.Cut(key, "_sk_test_")
	shown := ""
	if len(name) >= 8 {
		shown = name[len(name)-4:]
	}
	return prefix + "_sk_test_…" + shown + "#" + IDOf(key)[:4]
}

// Package world keeps the worlds: one API key's private sandbox each, with its clock, its resources and their rules of
// motion (spec section 3). It is the only writer of the store. A world stores a resource only once it has changed.
//
// What a caller can mend, such as an id that nothing has or a text that is not right, is an [*api.Error]; every other error
// is a failure of the store.
package world

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// World is a world within one transaction, at one instant. Once the function that it is given to has returned, only what
// it says without an error remains: its status, the place of its journal, its scenarios. It is not for concurrent use.
type World struct {
	ID string // a hash of the key

	worlds    *Worlds
	tx        store.Tx
	keyName   string // what follows sk_test_ in the API key, "" for a world that was opened by its id
	record    record
	made      bool   // it is a new one
	began     int64  // the generation in which it was opened
	prefix    string // begins the store's keys of all that the world has, in this generation
	now       time.Time
	fixtures  fixtures.Generator
	catalogue *scenarios.Catalogue
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

	Scenarios     []ownFile `json:"scenarios,omitempty"` // in the order of their names
	ScenariosMade int       `json:"scenarios_made,omitempty"`

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
func JournalPrefix(p journal.Ref) string {
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
func (w *World) setRecord(r record) error {
	before, err := json.Marshal(w.record)
	if err != nil {
		return err
	}
	r.Used = w.worlds.config.lastUsed(r.Used)
	after, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(after) > maxRecord && len(after) > len(before)+alwaysRoom {
		return api.Because(http.StatusConflict, fmt.Sprintf(
			"The faults of a world, and the list of its scenario files, take %d KiB at most, and these would take %d: take some away first, or say it in fewer words",
			maxRecord>>10, (len(after)+1023)>>10))
	}
	if err := w.tx.Put(recordPrefix+w.ID, after); err != nil {
		return err
	}
	w.record = r
	return w.follow()
}

// follow makes the world follow its record.
func (w *World) follow() (err error) {
	w.prefix = dataPrefix + generationName(w.ID, w.record.Generation)
	w.now = w.record.now(w.worlds.config.Clock)
	w.fixtures = fixtures.Generator{Seed: w.record.Seed}
	w.catalogue = w.worlds.catalogue.Load()
	if len(w.record.Scenarios) > 0 {
		w.catalogue, err = w.ownCatalogue(w.catalogue)
	}
	return err
}

// Status is what can be told of a world at one instant.
type Status struct {
	ID      string // names the world on the control plane; it does not lead back to the key
	Key     string // masked
	Seed    uint64
	Created time.Time // by its own clock
	Now     time.Time // by its own clock, in UTC
	Frozen  bool      // the clock stands

	used *time.Time // see record
}

// Status returns the world's status.
func (w *World) Status() Status {
	r := w.record
	return Status{ID: w.ID, Key: r.Key, Seed: r.Seed, Created: r.Created, Now: w.now.UTC(), Frozen: r.Frozen != nil, used: r.Used}
}

// Now returns the world's instant.
func (w *World) Now() time.Time { return w.now }

// Journal returns the place of the world's journal.
func (w *World) Journal() journal.Ref {
	return journal.Ref{World: w.ID, Generation: w.record.Generation}
}

// Frozen reports whether the world's clock stands.
func (w *World) Frozen() bool { return w.record.Frozen != nil }

// Catalogue returns the scenarios that the world follows.
func (w *World) Catalogue() *scenarios.Catalogue { return w.catalogue }

// Reset makes the world as new: its resources, clock, faults, counters, journal and its own scenarios. The World is the new
// one then.
func (w *World) Reset() error {
	if err := endGeneration(w.tx, w.ID, w.record.Generation); err != nil {
		return err
	}
	return w.setRecord(w.worlds.config.newRecord(w.record.Key, w.record.Generation+1))
}

// load decodes what the world has stored under a name into a value, and leaves that alone when there is nothing.
func (w *World) load(name string, value any) error { return load(w.tx, w.prefix+name, value) }

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
func (w *World) save(name string, value any) (stored []byte, err error) {
	if stored, err = json.Marshal(value); err != nil {
		return nil, err
	}
	return stored, w.tx.Put(w.prefix+name, stored)
}

// scan calls visit with what the world has stored under names that begin with prefix, by the rest of the name in byte
// order, from the first behind after, for as long as visit wants more.
func (w *World) scan(prefix, after string, visit func(rest string, stored []byte) (more bool, err error)) error {
	begin := w.prefix + prefix
	for entry, err := range w.tx.Scan(begin, begin+after) {
		if err != nil {
			return err
		}
		if more, err := visit(entry.Key[len(begin):], entry.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// worldUnknown is the 404 of an id that no world has. It shows an id in the shape of a world's unmasked.
func worldUnknown(id string) error {
	shown := api.Quote(id)
	if ValidID(id) {
		shown = strconv.Quote(id)
	}
	return api.Because(http.StatusNotFound, "There is no world "+shown)
}

// ValidID reports whether a world can have an id.
func ValidID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "0123456789abcdef") == ""
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

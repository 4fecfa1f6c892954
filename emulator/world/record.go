package world

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/store"
)

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

// maxRecord bounds a record, in bytes: it is one value of the store, and etcd takes 1.5 MiB at once.
const maxRecord = 512 << 10

// alwaysRoom is by how many bytes a record may grow all the same: its clock and its last-used time take as many.
const alwaysRoom = 128

// Keys of the store. A world's things have keys of their own generation.
const (
	recordPrefix  = "world/"
	dataPrefix    = "w/"
	journalPrefix = "journal/"
)

// worldPrefix begins the keys of what a world has stored in one generation.
func worldPrefix(id string, generation int64) string {
	return dataPrefix + generationName(id, generation)
}

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
	stored, err := tx.Get(RecordKey(id))
	if err != nil || stored == nil {
		return 0, err
	}
	var r record
	err = decodeStored(id, stored, &r)
	return r.Generation, err
}

// newRecord returns the record of a world that is made now.
func (c Config) newRecord(maskedKey string, generation int64) record {
	r := record{Key: maskedKey, Seed: c.Seed, Generation: generation, Used: c.lastUsed(nil)}
	if c.Clock.Frozen.IsZero() {
		r.Created = c.Clock.wall().UTC().Truncate(time.Second)
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
	return within(c.wall().UTC().Add(r.Ahead))
}

func (r record) status(id string, now time.Time) Status {
	return Status{ID: id, Key: r.Key, Seed: r.Seed, Created: r.Created, Now: now.UTC(), Frozen: r.Frozen != nil}
}

// setRecord stores another record, and makes the world follow it. Its error for one that is too long is an [*api.Error].
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
	if err := w.tx.Put(RecordKey(w.ID), after); err != nil {
		return err
	}
	w.record = r
	return w.follow()
}

// IDOf returns the id of a key's world, made or not. It does not lead back to the key.
func IDOf(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:idLength/2])
}

// idLength is the length of a world's id: 12 bytes in hexadecimal digits.
const idLength = 24

// ValidID reports whether a world can have an id.
func ValidID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "0123456789abcdef") == ""
}

// worldUnknown is the 404 of an id that no world has. It shows an id in the shape of a world's unmasked.
func worldUnknown(id string) error {
	shown := api.Quote(id)
	if ValidID(id) {
		shown = strconv.Quote(id)
	}
	return api.Because(http.StatusNotFound, "There is no world "+shown)
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

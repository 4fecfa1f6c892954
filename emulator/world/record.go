package world

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// record is what the store keeps of a world itself.
type record struct {
	Key     string    `json:"key"` // masked
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"` // whole seconds, unless it was frozen between two

	// Generation is in the keys of all that the world remembers. A world that is reset has another, so that it is new
	// at once and as a whole, and what a request of before still writes is in nobody's way.
	Generation int64 `json:"generation"`

	Frozen *time.Time    `json:"frozen,omitempty"` // where the clock stands; nil while it runs
	Ahead  time.Duration `json:"ahead,omitempty"`  // by how much a clock that runs is ahead of the machine's

	Used *time.Time `json:"used,omitempty"` // of late, by the machine's clock; kept while worlds have a time to live

	Scenarios     []ownFile `json:"scenarios,omitempty"` // in the order of their names
	ScenariosMade int       `json:"scenarios_made,omitempty"`

	Faults     []storedFault `json:"faults,omitempty"`
	FaultsMade int           `json:"faults_made,omitempty"`
}

// maxRecord is how long a record may become, in bytes. It is one value of the store, and the engine that takes the shortest
// ones takes 1.5 MiB at once.
const maxRecord = 512 << 10

// alwaysRoom is by how many bytes a record may grow all the same: as many as its clock and the mark of its use take.
const alwaysRoom = 128

// checkGrowth returns an [*api.Error] for a change by which a record becomes too long.
func checkGrowth(before, after int) error {
	if after <= maxRecord || after <= before+alwaysRoom {
		return nil
	}
	return api.Because(http.StatusConflict, fmt.Sprintf(
		"The faults of a world, and the list of its scenario files, take %d KiB at most, and these would take %d: take some away first, or say it in fewer words",
		maxRecord>>10, (after+1023)>>10))
}

// recordPrefix begins the keys of worlds' records.
const recordPrefix = "world/"

func recordKey(id string) string { return recordPrefix + id }

// placePrefix begins the keys of all that a world ever remembered.
func placePrefix(id string) string { return "w/" + id + "/" }

// place begins the keys of what the world remembers.
func (r record) place(id string) string {
	return placePrefix(id) + strconv.FormatInt(r.Generation, 36) + "/"
}

// knownRecords is how many records are kept as they were decoded last.
const knownRecords = 1024

// known is a record that was decoded. Nobody changes what it leads to.
type known struct {
	stored []byte
	record record
	place  string
}

// decode returns the record of a world, which is decoded anew when it has changed.
func (ws *Worlds) decode(id string, stored []byte) (known, error) {
	if k, ok := ws.known.Get(id); ok && bytes.Equal(k.stored, stored) {
		return k, nil
	}
	k := known{stored: bytes.Clone(stored)}
	if err := json.Unmarshal(stored, &k.record); err != nil {
		return k, err
	}
	k.place = k.record.place(id)
	ws.known.Add(id, k)
	return k, nil
}

// newRecord returns the record of a world that is made now.
func (c Config) newRecord(maskedKey string, generation int64) record {
	r := record{Key: maskedKey, Seed: c.Seed, Generation: generation, Used: c.mark(nil)}
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

// IDOf returns the id of a key's world, made or not. It does not lead back to the key.
func IDOf(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:idLength/2])
}

// idLength is that of a world's id: of 12 bytes in hexadecimal digits.
const idLength = 24

// ValidID reports whether a world can have an id.
func ValidID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "0123456789abcdef") == ""
}

// mask shows a key so that its owner knows it again, and two keys are told apart: the end of it, where that leaves enough
// unsaid, and the beginning of its world's id.
func mask(key string) string {
	prefix, name, _ := strings.Cut(key, "_sk_test_")
	shown := ""
	if len(name) >= 8 {
		shown = name[len(name)-4:]
	}
	return prefix + "_sk_test_…" + shown + "#" + IDOf(key)[:4]
}

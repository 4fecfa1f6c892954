package world

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// A snapshot is a whole world as lines of JSON. The first is a [Snapshot]. Then comes a line for each value that the world has
// stored, with its key: first the texts of its scenario files, then all others, then the entries of its journal. The key of the
// last line is end, so that no beginning of a snapshot is taken for a whole one.
//
// snapshot.go takes snapshots, snapshot_restore.go restores them, snapshot_check.go has what is refused.

// SnapshotVersion is the format of the snapshots that this release writes and reads.
const SnapshotVersion = 2

// Snapshot is the first line of a snapshot: the world itself. A snapshot has the same bytes while nothing is requested and the
// clock stands. Those of two worlds with the same requests differ in the ids of requests, their times by the machine's clock and
// their durations only.
type Snapshot struct {
	Version int       `json:"understudy_snapshot"`
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Now     time.Time `json:"now"` // of the clock, which goes on from there
	Frozen  bool      `json:"frozen"`

	Scenarios     []scenarioFile      `json:"scenarios"`
	ScenariosMade int                 `json:"scenarios_made"`
	Faults        []rules.StoredFault `json:"faults"`
	FaultsMade    int                 `json:"faults_made"`

	delivery.Subscriptions

	Settings scenarios.Settings `json:"settings,omitzero"`
}

// line is a later line of a snapshot.
type line struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// ending is the value of the last line.
type ending struct {
	Dropped uint64 `json:"journal_dropped"` // number of requests before those in the journal
}

const (
	scenarioPrefix = "scenario/" // begins the names under which a world's scenario files are stored, as texts
	endKey         = "end"
)

// group is a part of a snapshot, which has lines of one kind.
type group int

const (
	scenarioLine group = iota + 1
	valueLine
	journalLine
	endLine
)

func groupOf(key string) group {
	switch {
	case strings.HasPrefix(key, scenarioPrefix):
		return scenarioLine
	case strings.HasPrefix(key, journalPrefix):
		return journalLine
	case key == endKey:
		return endLine
	}
	return valueLine
}

// entryKey returns the key of an entry of the journal.
func entryKey(e *journal.Entry) string { return fmt.Sprintf("%s%d", journalPrefix, e.Sequence) }

// Snapshot returns the whole world: resources, timeline positions, counters, clock, world scenarios, faults and journal. A
// request that is answered meanwhile may be in its journal only.
func (w *World) Snapshot(ctx context.Context) ([]byte, error) {
	var text bytes.Buffer
	err := w.WriteSnapshot(ctx, func() error { text.Reset(); return nil }, &text)
	return text.Bytes(), err
}

// WriteSnapshot writes what Snapshot returns, without holding it. It calls rewind before it begins, and when it begins again.
func (w *World) WriteSnapshot(ctx context.Context, rewind func() error, to io.Writer) error {
	return w.writeSnapshot(ctx, rewind, to, func(tx *Tx) (*Tx, error) { return tx, nil })
}

// writeSnapshot writes a snapshot of what of returns in a transaction.
func (w *World) writeSnapshot(ctx context.Context, rewind func() error, to io.Writer, of func(*Tx) (*Tx, error)) error {
	out := bufio.NewWriter(to)
	var ref journal.Ref
	err := w.Do(ctx, func(tx *Tx) error {
		tx, err := of(tx)
		if err == nil {
			err = rewind()
		}
		if err != nil {
			return err
		}
		out.Reset(to)
		ref = tx.Journal()
		return tx.writeSnapshot(out)
	})
	if err != nil {
		return err
	}
	entries, dropped, err := w.worlds.config.Journal.Read(ctx, ref)
	for _, e := range entries {
		err = errors.Join(err, writeLine(out, line{entryKey(e), e}))
	}
	return errors.Join(err, writeLine(out, line{endKey, ending{dropped}}), out.Flush())
}

// writeSnapshot writes the world itself and what it has stored. A session's index is not part of it: see [verification.sessionIndex].
func (tx *Tx) writeSnapshot(out *bufio.Writer) error {
	r := tx.record
	err := writeLine(out, Snapshot{
		Version: SnapshotVersion, Seed: r.Seed, Created: r.Created, Now: tx.Now.UTC(), Frozen: r.Frozen != nil,
		Scenarios: r.Scenarios, ScenariosMade: r.ScenariosMade, Faults: r.Faults, FaultsMade: r.FaultsMade,
		Subscriptions: r.Subscriptions, Settings: r.Settings,
	})
	if err == nil {
		err = tx.values.Scan(scenarioPrefix, "", func(name string, text []byte) (more bool, err error) {
			return true, writeLine(out, line{scenarioPrefix + name, string(text)})
		})
	}
	if err != nil {
		return err
	}
	return tx.values.Scan("", "", func(name string, stored []byte) (more bool, err error) {
		if strings.HasPrefix(name, scenarioPrefix) || strings.HasPrefix(name, sessionPrefix) || strings.HasPrefix(name, tokenPrefix) || delivery.IsIndex(name) {
			return true, nil
		}
		stored, err = delivery.Unclaimed(name, stored)
		return true, cmp.Or(err, writeLine(out, line{name, json.RawMessage(stored)}))
	})
}

func writeLine(out *bufio.Writer, value any) error {
	text, err := api.Render(value)
	if err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	return err
}

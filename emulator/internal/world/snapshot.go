package world

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/scenarios"
)

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

	Scenarios     []catalogues.File   `json:"scenarios"`
	ScenariosMade int                 `json:"scenarios_made"`
	Faults        []rules.StoredFault `json:"faults"`
	FaultsMade    int                 `json:"faults_made"`

	delivery.Subscriptions

	Settings scenarios.Settings `json:"settings,omitzero"`
}

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
	return errors.Join(err, snapshot.WriteJournal(out, entries, dropped), out.Flush())
}

// writeSnapshot writes the world itself and what it has stored. A session's index is not part of it: see [resource.IsIndex].
func (tx *Tx) writeSnapshot(out *bufio.Writer) error {
	r := tx.record
	err := snapshot.Write(out, Snapshot{
		Version: SnapshotVersion, Seed: r.Seed, Created: r.Created, Now: tx.Now.UTC(), Frozen: r.Frozen != nil,
		Scenarios: r.Scenarios, ScenariosMade: r.ScenariosMade, Faults: r.Faults, FaultsMade: r.FaultsMade,
		Subscriptions: r.Subscriptions, Settings: r.Settings,
	})
	if err == nil {
		err = tx.Values.Scan(catalogues.Prefix, "", func(name string, text []byte) (more bool, err error) {
			return true, snapshot.WriteLine(out, catalogues.Prefix+name, string(text))
		})
	}
	if err != nil {
		return err
	}
	return tx.Values.Scan("", "", func(name string, stored []byte) (more bool, err error) {
		if strings.HasPrefix(name, catalogues.Prefix) || resource.IsIndex(name) || delivery.IsIndex(name) {
			return true, nil
		}
		stored, err = delivery.Unclaimed(name, stored)
		return true, cmp.Or(err, snapshot.WriteLine(out, name, json.RawMessage(stored)))
	})
}

package world

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Document is a whole world. It has the same bytes while nothing is asked and the clock stands. Two worlds of which the same
// was asked differ in the ids of requests, their times by the machine's clock and their durations only.
type Document struct {
	Snapshot
	Journal journal.Snapshot `json:"journal"`
}

// parseDocument reads a document, in whose journal the named operations may be.
func parseDocument(text []byte, operations []string) (d Document, err error) {
	if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(true)); err != nil {
		return d, snapshotRefused("it cannot be read: " + api.ExplainJSON(err))
	}
	if d.Version != SnapshotVersion {
		return d, nil // another release's may consist of other things: Restore says so
	}
	if lack := api.Missing(text, reflect.TypeFor[Document]()); lack != "" {
		return d, snapshotRefused(lack)
	}
	if err := d.Journal.Validate(operations); err != nil {
		return d, snapshotRefused("journal: " + err.Error())
	}
	return d, nil
}

// TakeSnapshot returns the whole world. A request that is answered meanwhile may be in its journal only.
func (ws *Worlds) TakeSnapshot(ctx context.Context, at Ref) (d Document, err error) {
	var place journal.Ref
	err = ws.Do(ctx, at, func(w *World) (err error) {
		place = w.Journal()
		d.Snapshot, err = w.Snapshot()
		return err
	})
	if err != nil {
		return d, err
	}
	d.Journal, err = ws.Config().Journal.Snapshot(ctx, place)
	return d, err
}

// RestoreSnapshot makes the world what a document says, in whose journal the named operations may be. Its error for one that is not
// right is an [*api.Error], and the world and its journal are as before then. A journal that keeps fewer requests has the last
// of them; one that is off, none.
func (ws *Worlds) RestoreSnapshot(ctx context.Context, at Ref, document []byte, operations []string) error {
	d, err := parseDocument(document, operations)
	if err != nil {
		return err
	}
	return ws.Restore(ctx, at, d.Snapshot, func(p journal.Ref) error {
		return ws.Config().Journal.Restore(ctx, p, d.Journal.Entries, d.Journal.Dropped)
	})
}

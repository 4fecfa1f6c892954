// Package snapshot makes one document of a whole world, what it remembers and its journal, and a world of such a document.
package snapshot

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Document is a whole world, to be taken elsewhere. While nothing is asked and the clock stands it has the same bytes.
// Two worlds of which the same was asked differ in what the machine had a part in: the ids of requests, when they came
// by its clock, and how long they took. Of these a world that is restored has those of the snapshot.
type Document struct {
	world.Snapshot
	Journal journal.Kept `json:"journal"`
}

// Parse reads a document, in whose journal the named operations may be. Its error for what is none is an [*api.Error].
func Parse(text []byte, operations []string) (d Document, err error) {
	if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(true)); err != nil {
		return d, world.SnapshotRefused("it cannot be read: " + api.ExplainJSON(err))
	}
	if d.Version != world.SnapshotVersion {
		return d, nil // another release's may consist of other things: Restore says so
	}
	if lack := api.Missing(text, reflect.TypeFor[Document]()); lack != "" {
		return d, world.SnapshotRefused(lack)
	}
	if err := d.Journal.Check(operations); err != nil {
		return d, world.SnapshotRefused("journal: " + err.Error())
	}
	return d, nil
}

// Take returns the whole world. A request that is answered meanwhile may be in its journal only.
func Take(ctx context.Context, w *world.World, j *journal.Journal) (d Document, err error) {
	if d.Snapshot, err = w.Snapshot(ctx); err != nil {
		return d, err
	}
	d.Journal, err = j.Kept(ctx, w.ID, w.Generation())
	return d, err
}

// Restore makes the world what a document says. Its error for one that is not right is an [*api.Error], and the world and
// its journal are as before then. A journal that keeps fewer requests has the last of them; one that is off, none.
func Restore(ctx context.Context, w *world.World, j *journal.Journal, d Document) error {
	if err := w.Restore(ctx, d.Snapshot); err != nil {
		return err
	}
	return j.Restore(ctx, w.ID, w.Generation(), d.Journal.Entries, d.Journal.Dropped)
}

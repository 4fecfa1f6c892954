// Package snapshot makes one document of a whole world, what it has stored and its journal, and a world of such a document.
package snapshot

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Document is a whole world. It has the same bytes while nothing is asked and the clock stands. Two worlds of which the same
// was asked differ in the ids of requests, their times by the machine's clock and their durations only.
type Document struct {
	world.Snapshot
	Journal journal.Snapshot `json:"journal"`
}

// parse reads a document, in whose journal the named operations may be.
func parse(text []byte, operations []string) (d Document, err error) {
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
func Take(ctx context.Context, worlds *world.Worlds, at world.Ref) (d Document, err error) {
	var place journal.Place
	err = worlds.Do(ctx, at, func(w *world.World) (err error) {
		place = w.Journal()
		d.Snapshot, err = w.Snapshot()
		return err
	})
	if err != nil {
		return d, err
	}
	d.Journal, err = worlds.Config().Journal.Snapshot(ctx, place)
	return d, err
}

// Restore makes the world what a document says, in whose journal the named operations may be. Its error for one that is not
// right is an [*api.Error], and the world and its journal are as before then. A journal that keeps fewer requests has the last
// of them; one that is off, none.
func Restore(ctx context.Context, worlds *world.Worlds, at world.Ref, document []byte, operations []string) error {
	d, err := parse(document, operations)
	if err != nil {
		return err
	}
	return worlds.Restore(ctx, at, d.Snapshot, func(p journal.Place) error {
		return worlds.Config().Journal.Restore(ctx, p, d.Journal.Entries, d.Journal.Dropped)
	})
}

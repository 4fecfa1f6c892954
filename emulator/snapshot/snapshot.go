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

// Document is a whole world. It has the same bytes while nothing is asked and the clock stands. Two worlds of which the same
// was asked differ in the ids of requests, their times by the machine's clock and their durations only.
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

// Transaction opens a world and runs a function in one transaction of it. The function may run twice.
type Transaction func(func(*world.World) error) error

// Take returns the whole world. A request that is answered meanwhile may be in its journal only.
func Take(ctx context.Context, j *journal.Journal, do Transaction) (d Document, err error) {
	var of *world.World
	err = do(func(w *world.World) (err error) {
		of = w
		d.Snapshot, err = w.Snapshot(ctx)
		return err
	})
	if err == nil {
		d.Journal, err = j.Kept(ctx, of.ID, of.Generation())
	}
	return d, err
}

// Restore makes the world what a document says. When the document is not right, the error is an [*api.Error], and the world
// and its journal are as before. A journal of fewer requests gets the last of them; one that is off, none.
func Restore(ctx context.Context, j *journal.Journal, do Transaction, d Document) error {
	var of *world.World
	err := do(func(w *world.World) error {
		of = w
		return w.Restore(ctx, d.Snapshot)
	})
	if err != nil {
		return err
	}
	return j.Restore(ctx, of.ID, of.Generation(), d.Journal.Entries, d.Journal.Dropped)
}

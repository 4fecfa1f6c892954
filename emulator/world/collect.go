package world

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

// goneKeys begin the names of generations that no record leads to any more. They are written in the transaction that ends
// the generation, so that a process that is killed leaves nothing that is never collected.
const goneKeys = "gone/"

// deleteWorld deletes a world's record and leaves the rest to be collected.
func deleteWorld(tx store.Tx, id string, generation int64) error {
	return errors.Join(tx.Delete(RecordKey(id)), endGeneration(tx, id, generation))
}

// endGeneration leaves what a world has stored in a generation to be collected.
func endGeneration(tx store.Tx, id string, generation int64) error {
	return tx.Put(goneKeys+generationName(id, generation), nil)
}

// freeGeneration returns the first generation of a world from one on that is not waiting to be collected.
func freeGeneration(tx store.Tx, id string, generation int64) (int64, error) {
	for {
		ended, err := tx.Get(goneKeys + generationName(id, generation))
		if err != nil || ended == nil {
			return generation, err
		}
		generation++
	}
}

// collectRetry is when collecting begins again after an error.
const collectRetry = 10 * time.Second

// collect deletes what ended generations have stored, until ctx ends.
func (ws *Worlds) collect(ctx context.Context) {
	for ctx.Err() == nil {
		ended, err := ws.config.Store.Watch(ctx, goneKeys)
		for more := true; more && err == nil; {
			if err = ws.Collect(ctx); err == nil {
				_, more = <-ended
			}
		}
		if errors.Is(err, store.ErrClosed) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(collectRetry):
		}
	}
}

// Collect deletes what ended generations have stored: it is done in the background, and by tests that look for leftovers.
func (ws *Worlds) Collect(ctx context.Context) error {
	var ended []string
	err := ws.config.Store.View(ctx, func(tx store.Tx) error {
		ended = nil
		for entry, err := range tx.Scan(goneKeys, "") {
			if err != nil {
				return err
			}
			ended = append(ended, strings.TrimPrefix(entry.Key, goneKeys))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, generation := range ended {
		for _, prefix := range []string{dataPrefix, journalPrefix, goneKeys} { // the mark goes last
			if err := store.DeletePrefix(ctx, ws.config.Store, prefix+generation); err != nil {
				return err
			}
		}
	}
	return nil
}

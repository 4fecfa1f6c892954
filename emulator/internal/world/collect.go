package world

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/store"
)

// delete deletes an existing world, and leaves what it has stored to be collected. With used it deletes only a world whose
// last-used time is still that.
func (ws *Worlds) delete(ctx context.Context, id string, used *time.Time) (deleted bool, err error) {
	err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
		deleted = false
		r, err := readRecord(tx, id)
		if err != nil || r.Generation == 0 || used != nil && !r.Used.Equal(*used) {
			return err
		}
		deleted = true
		return errors.Join(tx.Delete(recordPrefix+id), tx.Delete(delivery.RousedPrefix+id), endBefore(tx, id), endGeneration(tx, id, r.Generation))
	})
	ws.changes.Add(1)
	if err != nil || !deleted {
		return false, err
	}
	ws.deleted.Add(1)
	ws.leads.Remove(id)
	ws.config.Journal.Delete(id)
	return true, nil
}

// CheckTTL returns an error for a span that cannot be a TTL; 0 is none.
func CheckTTL(ttl time.Duration) error {
	if ttl < 0 || ttl > 0 && ttl < time.Second {
		return fmt.Errorf("a world cannot be deleted when it was not used for %s: choose 1s or more", ttl)
	}
	return nil
}

// Sweep deletes the worlds whose last-used time has not changed for the TTL, and returns their ids. It is called ten times
// per TTL: a use is recorded up to a tenth of it late.
func (ws *Worlds) Sweep(ctx context.Context) (deleted []string, err error) {
	all, err := ws.List(ctx, "", math.MaxInt)
	if err != nil {
		return nil, err
	}
	used := make(map[string]string, len(all))
	for _, world := range all {
		used[world.ID] = world.Used.Format(time.RFC3339Nano)
	}
	now := ws.config.Clock.Elapsed()
	seen := ws.unused.Look(used, now)
	for _, world := range all {
		if now-seen[world.ID].Since < ws.config.TTL+ws.config.usedEvery() {
			continue
		}
		gone, err := ws.delete(ctx, world.ID, &world.Used)
		if err != nil {
			return deleted, fmt.Errorf("delete world %s: %w", world.ID, err)
		}
		if gone {
			deleted = append(deleted, world.ID)
		}
	}
	return deleted, nil
}

// endedPrefix is the key prefix of the generations that no record has. Such a key is written in the transaction that
// ends the generation, so that after a kill another process collects it. The key of a generation that a restore fills has a
// value, and is collected by a process that has seen it for longer than a restore takes.
const endedPrefix = "gone/"

// endGeneration marks a generation of a world to be collected.
func endGeneration(tx store.Tx, id string, generation int64) error {
	return tx.Put(endedPrefix+generationName(id, generation), nil)
}

// freeGeneration returns the first generation of a world, from a number on, that is not to be collected.
func freeGeneration(tx store.Tx, id string, generation int64) (int64, error) {
	for {
		ended, err := tx.Get(endedPrefix + generationName(id, generation))
		if err != nil || ended == nil {
			return generation, err
		}
		generation++
	}
}

// collectRetry is the pause after an error.
const collectRetry = 10 * time.Second

// collect calls Collect whenever a generation ends, until ctx ends.
func (ws *Worlds) collect(ctx context.Context) {
	for ctx.Err() == nil {
		watching, stop := context.WithCancel(ctx)
		ended, err := ws.config.Store.Watch(watching, endedPrefix)
		for more := true; more && err == nil; {
			if err = ws.Collect(ctx); err == nil {
				_, more = <-ended
			}
		}
		stop() // also after an error, so that the store does not watch for nobody
		if errors.Is(err, store.ErrClosed) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(collectRetry):
		}
	}
}

// Collect deletes what ended generations have stored. It runs in the background; tests call it before they look for
// leftovers.
func (ws *Worlds) Collect(ctx context.Context) error {
	var ended []string
	filling := make(map[string]string)
	err := ws.config.Store.View(ctx, func(tx store.Tx) error {
		ended = nil
		clear(filling)
		for entry, err := range tx.Scan(endedPrefix, "") {
			if err != nil {
				return err
			}
			if generation := strings.TrimPrefix(entry.Key, endedPrefix); len(entry.Value) == 0 {
				ended = append(ended, generation)
			} else {
				filling[generation] = string(entry.Value)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	now := ws.config.Clock.Elapsed()
	for generation, s := range ws.filling.Look(filling, now) {
		if now-s.Since > 2*RestoreTime {
			ended = append(ended, generation)
		}
	}
	for _, generation := range ended {
		for _, prefix := range []string{dataPrefix, journalPrefix, endedPrefix} { // the mark of the generation last
			if err := store.DeletePrefix(ctx, ws.config.Store, prefix+generation); err != nil {
				return err
			}
		}
	}
	return nil
}

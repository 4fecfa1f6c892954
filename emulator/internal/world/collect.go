package world

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

// Delete deletes a world, as if its key had never been used.
func (ws *Worlds) Delete(ctx context.Context, id string) error {
	deleted, err := ws.delete(ctx, id, false)
	if err == nil && !deleted {
		return worldUnknown(id)
	}
	return err
}

// delete deletes a world that is there, and leaves what it has stored to be collected. A sweep deletes it when nobody used it
// for its time to live; one that has no last-used time, as it was made while worlds lived for ever, is used now.
func (ws *Worlds) delete(ctx context.Context, id string, sweep bool) (deleted bool, err error) {
	err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
		deleted = false
		r, err := readRecord(tx, id)
		switch {
		case err != nil || r.Generation == 0:
			return err
		case sweep && r.Used == nil:
			return ws.in(tx, ByID(id), func(*World) error { return nil }) // which writes it
		case sweep && !ws.config.expired(r.Used):
			return nil
		}
		deleted = true
		return errors.Join(tx.Delete(recordPrefix+id), endGeneration(tx, id, r.Generation))
	})
	if err != nil || !deleted {
		return false, err
	}
	ws.deleted.Add(1)
	ws.config.Journal.Delete(id)
	return true, nil
}

// CheckTTL returns an error for a span that cannot be a time to live; 0 is none.
func CheckTTL(ttl time.Duration) error {
	if ttl < 0 || ttl > 0 && ttl < time.Second {
		return fmt.Errorf("a world cannot be forgotten when it was not used for %s: choose 1s or more", ttl)
	}
	return nil
}

// A world's last-used time is written at most ten times per TTL. It stands in the world's record, so that all processes on
// a store respect it.
const marksPerTTL = 10

// lastUsed returns the last-used time of a world that is used now: the one that it has while that is recent.
func (c Config) lastUsed(used *time.Time) *time.Time {
	if c.TTL == 0 {
		return used
	}
	now := c.Clock.Wall().UTC()
	if used != nil && now.Sub(*used) < c.TTL/marksPerTTL {
		return used
	}
	return &now
}

// expired reports whether a world was not used for its time to live, however late in its span the last-used time was written.
func (c Config) expired(used *time.Time) bool {
	return c.Clock.Wall().Sub(*used) >= c.TTL+c.TTL/marksPerTTL
}

// Sweep deletes the worlds that were not used for the time to live, and returns their ids.
func (ws *Worlds) Sweep(ctx context.Context) (deleted []string, err error) {
	all, err := ws.List(ctx, "", math.MaxInt)
	for _, world := range all {
		if world.used != nil && !ws.config.expired(world.used) {
			continue
		}
		gone, err := ws.delete(ctx, world.ID, true)
		if err != nil {
			return deleted, fmt.Errorf("forget world %s: %w", world.ID, err)
		}
		if gone {
			deleted = append(deleted, world.ID)
		}
	}
	return deleted, err
}

// goneKeys begin the names of generations that no record leads to. They are written in the transaction that ends the
// generation, so that a process that is killed leaves nothing that is never collected. That of a generation that is being
// filled has the instant before which it is not collected as its value.
const goneKeys = "gone/"

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
			if later, err := time.Parse(time.RFC3339, string(entry.Value)); err == nil && ws.config.Clock.Wall().Before(later) {
				continue
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

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

// delete deletes an existing world, and leaves what it has stored to be collected. A sweep deletes it only when it was not
// used for its TTL, and gives it a last-used time where it has none: an earlier release created it.
func (ws *Worlds) delete(ctx context.Context, id string, sweep bool) (deleted bool, err error) {
	err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
		deleted = false
		r, err := readRecord(tx, id)
		switch {
		case err != nil || r.Generation == 0:
			return err
		case sweep && r.Used == nil:
			return ws.ByID(id).in(&measured{Tx: tx, room: math.MaxInt64}, func(*Tx) error { return nil }) // writes it
		case sweep && !ws.config.expired(*r.Used):
			return nil
		}
		deleted = true
		return errors.Join(tx.Delete(recordPrefix+id), endGeneration(tx, id, r.Generation))
	})
	ws.changes.Add(1)
	if err != nil || !deleted {
		return false, err
	}
	ws.deleted.Add(1)
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

// usedEvery is how often a world's last-used time is written at most: once a minute, or ten times per TTL where that is
// more often. It is part of the world's record, so that all processes on a store respect it.
func (c Config) usedEvery() time.Duration {
	if c.TTL == 0 {
		return time.Minute
	}
	return min(time.Minute, c.TTL/10)
}

// lastUsed returns the last-used time of a world that is used now: the stored one, unless that is to be written again.
func (c Config) lastUsed(used *time.Time) *time.Time {
	now := c.Clock.Wall().UTC()
	if used != nil && now.Sub(*used) < c.usedEvery() {
		return used
	}
	return &now
}

// expired reports whether a world was not used for its TTL. The last-used time may be too early by usedEvery.
func (c Config) expired(used time.Time) bool {
	return c.Clock.Wall().Sub(used) >= c.TTL+c.usedEvery()
}

// Sweep deletes the worlds that were not used for the TTL, and returns their ids.
func (ws *Worlds) Sweep(ctx context.Context) (deleted []string, err error) {
	all, err := ws.List(ctx, "", math.MaxInt)
	for _, world := range all {
		if !world.Used.IsZero() && !ws.config.expired(world.Used) {
			continue
		}
		gone, err := ws.delete(ctx, world.ID, true)
		if err != nil {
			return deleted, fmt.Errorf("delete world %s: %w", world.ID, err)
		}
		if gone {
			deleted = append(deleted, world.ID)
		}
	}
	return deleted, err
}

// endedPrefix is the key prefix of the generations that no record has. Such a key is written in the transaction that
// ends the generation, so that after a kill another process collects it. For a generation that a restore fills, its
// value is the instant from which it is collected.
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
		ended, err := ws.config.Store.Watch(ctx, endedPrefix)
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

// Collect deletes what ended generations have stored. It runs in the background; tests call it before they look for
// leftovers.
func (ws *Worlds) Collect(ctx context.Context) error {
	var ended []string
	err := ws.config.Store.View(ctx, func(tx store.Tx) error {
		ended = nil
		for entry, err := range tx.Scan(endedPrefix, "") {
			if err != nil {
				return err
			}
			if later, err := time.Parse(time.RFC3339, string(entry.Value)); err == nil && ws.config.Clock.Wall().Before(later) {
				continue
			}
			ended = append(ended, strings.TrimPrefix(entry.Key, endedPrefix))
		}
		return nil
	})
	if err != nil {
		return err
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

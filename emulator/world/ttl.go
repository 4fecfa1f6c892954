package world

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

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
	now := c.Clock.wall().UTC()
	if used != nil && now.Sub(*used) < c.TTL/marksPerTTL {
		return used
	}
	return &now
}

// expired reports whether a world was not used for its time to live, however late in its span the last-used time was written.
func (c Config) expired(used *time.Time) bool {
	return used != nil && c.Clock.wall().Sub(*used) >= c.TTL+c.TTL/marksPerTTL
}

// Sweep deletes the worlds that were not used for the time to live, and returns their ids.
func (ws *Worlds) Sweep(ctx context.Context) (deleted []string, err error) {
	var due []string
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		due = nil
		for entry, err := range tx.Scan(recordPrefix, "") {
			if err != nil {
				return err
			}
			id := strings.TrimPrefix(entry.Key, recordPrefix)
			var r record
			if err := decodeStored(id, entry.Value, &r); err != nil {
				return err
			}
			if r.Used == nil || ws.config.expired(r.Used) {
				due = append(due, id)
			}
		}
		return nil
	})
	for _, id := range due {
		gone, failure := ws.expire(ctx, id)
		if failure != nil {
			return deleted, fmt.Errorf("forget world %s: %w", id, failure)
		}
		if gone {
			deleted = append(deleted, id)
		}
	}
	return deleted, err
}

// expire deletes a world that is still expired. One that has no last-used time, as it was made while worlds lived for ever,
// is used now.
func (ws *Worlds) expire(ctx context.Context, id string) (gone bool, err error) {
	err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
		gone = false
		stored, err := tx.Get(RecordKey(id))
		if err != nil || stored == nil {
			return err
		}
		var r record
		if err := decodeStored(id, stored, &r); err != nil {
			return err
		}
		if r.Used == nil {
			_, _, err := ws.open(tx, ByID(id)) // which writes it
			return err
		}
		if gone = ws.config.expired(r.Used); !gone {
			return nil
		}
		return deleteWorld(tx, id, r.Generation)
	})
	if gone = gone && err == nil; gone {
		ws.deleted.Add(1)
	}
	return gone, err
}

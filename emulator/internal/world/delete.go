package world

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/store"
)

// delete deletes an existing world, and leaves what it has stored to be collected. With used it deletes only a world whose
// last-used time is still that.
func (ws *Worlds) delete(ctx context.Context, id string, used *time.Time) (deleted bool, err error) {
	err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
		deleted = false
		r, err := registry.Read(tx, id)
		if err != nil || r.Generation == 0 || used != nil && !r.Used.Equal(*used) {
			return err
		}
		deleted = true
		return errors.Join(tx.Delete(registry.RecordPrefix+id), tx.Delete(delivery.RousedPrefix+id), registry.EndBefore(tx, id), registry.End(tx, id, r.Generation))
	})
	ws.changes.Add(1)
	if err != nil || !deleted {
		return false, err
	}
	ws.deleted.Add(1)
	ws.Purge(id)
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
		if now-seen[world.ID].Since < ws.config.TTL+ws.UsedEvery() {
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

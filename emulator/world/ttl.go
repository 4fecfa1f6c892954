package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// marks is how many times within its time to live a world's last use is marked at most: so coarse the mark is, and so few
// are the writes that it costs. It stands in the world's record, so that all replicas on a store heed it.
const marks = 10

// CheckTTL returns an error for a span that cannot be a time to live; 0 is none.
func CheckTTL(ttl time.Duration) error {
	if ttl < 0 || ttl > 0 && ttl < time.Second {
		return fmt.Errorf("a world cannot be forgotten when it was not used for %s: choose 1s or more", ttl)
	}
	return nil
}

// mark returns the mark of a world that is used now: the one that it has, while that is of late.
func (c Config) mark(used *time.Time) *time.Time {
	if c.TTL == 0 {
		return used
	}
	now := c.Clock.wall().UTC()
	if used != nil && now.Sub(*used) < c.TTL/marks {
		return used
	}
	return &now
}

// expired reports whether a world was not used for its time to live, however late in its span the mark was outdated.
func (c Config) expired(used *time.Time) bool {
	return used != nil && c.Clock.wall().Sub(*used) >= c.TTL+c.TTL/marks
}

// touch marks that the world is used.
func (w *World) touch(ctx context.Context) error {
	if w.worlds.config.mark(w.record.Used) == w.record.Used {
		return nil
	}
	// The mark alone makes no difference to anybody who has the record as it was before.
	return w.writeRecord(ctx, w.worlds.config.Store.Update, func(r record) (record, error) { return r, nil })
}

// touched returns a world whose use is marked: a new one, when it was forgotten at this moment.
func (ws *Worlds) touched(ctx context.Context, w *World, key string) (*World, error) {
	err := w.touch(ctx)
	if err == nil {
		return w, nil
	}
	if gone := (*api.Error)(nil); !errors.As(err, &gone) || gone.Status != http.StatusNotFound {
		return w, err
	}
	epoch := ws.config.Store.Epoch()
	stored, err := ws.create(ctx, w.ID, key)
	if err != nil {
		return nil, err
	}
	return ws.world(ctx, w.ID, stored, epoch)
}

// sweptAtOnce is how many records are read from the store at once.
const sweptAtOnce = 1000

// Sweep forgets the worlds that were not used for the time to live, and returns how many. It is for one caller on a store
// or for many.
func (ws *Worlds) Sweep(ctx context.Context) (forgotten int, err error) {
	for after, more := "", true; more; {
		var due []string
		if due, after, more, err = ws.due(ctx, after); err != nil {
			return forgotten, err
		}
		for _, id := range due {
			gone, err := ws.expire(ctx, id)
			if err != nil {
				return forgotten, fmt.Errorf("forget world %s: %w", id, err)
			}
			if gone {
				forgotten++
			}
		}
	}
	return forgotten, nil
}

// due looks through some records, from the first behind a world, and returns the worlds that are expired or have no mark
// yet, the last that it looked at, and whether there may be more.
func (ws *Worlds) due(ctx context.Context, after string) (due []string, last string, more bool, err error) {
	from := recordPrefix
	if after != "" {
		from = recordKey(after)
	}
	seen := 0
	err = ws.config.Store.Scan(ctx, recordPrefix, from, func(key string, stored []byte) error {
		if seen == sweptAtOnce {
			return errEnough
		}
		seen++
		last = strings.TrimPrefix(key, recordPrefix)
		var r struct {
			Used *time.Time `json:"used"`
		}
		if err := json.Unmarshal(stored, &r); err != nil {
			return fmt.Errorf("read world %s: %w", last, err)
		}
		if r.Used == nil || ws.config.expired(r.Used) {
			due = append(due, last)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return due, last, true, nil
	}
	return due, last, false, err
}

// expire forgets a world that is expired still, and marks one that has no mark: it was made while none were kept.
func (ws *Worlds) expire(ctx context.Context, id string) (gone bool, err error) {
	var r record
	err = ws.config.Store.Amend(ctx, recordKey(id), func(old []byte) ([]byte, error) {
		if gone = false; old == nil {
			return nil, nil
		}
		r = record{}
		if err := json.Unmarshal(old, &r); err != nil {
			return nil, err
		}
		if r.Used == nil {
			r.Used = ws.config.mark(nil)
			return json.Marshal(r)
		}
		if gone = ws.config.expired(r.Used); gone {
			return nil, nil
		}
		return old, nil
	})
	if err != nil || !gone {
		return false, err
	}
	ws.forgotten.Add(1)
	// Only what this life of the world remembered: its key may have opened the next one already.
	return true, ws.leave(ctx, r.place(id))
}

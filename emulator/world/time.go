package world

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// SetTime sets the world's clock; nil leaves the instant, or that it stands or runs, as it is. Its error for an instant
// before the present one, or one that no clock has, is an [*api.Error], and nothing is changed then.
func (w *World) SetTime(ctx context.Context, now *time.Time, frozen *bool) error {
	return w.changeTime(ctx, func(present time.Time, stands bool) (time.Time, bool) {
		if now != nil {
			present = now.UTC()
		}
		if frozen != nil {
			stands = *frozen
		}
		return present, stands
	})
}

// Advance moves the world's clock on, running or not. Its error for a span that is not positive, or too long, is an
// [*api.Error].
func (w *World) Advance(ctx context.Context, by time.Duration) error {
	if by <= 0 {
		return api.Because(http.StatusBadRequest, "A clock is advanced by a positive span of time, such as 36h")
	}
	return w.changeTime(ctx, func(now time.Time, frozen bool) (time.Time, bool) { return now.Add(by), frozen })
}

// changeTime changes the clock in one atomic step, so that two who advance it advance it twice.
func (w *World) changeTime(ctx context.Context, change func(now time.Time, frozen bool) (time.Time, bool)) error {
	clock := w.worlds.config.Clock
	return w.changeRecord(ctx, func(r record) (_ record, err error) {
		before := r.now(clock)
		after, frozen := change(before, r.Frozen != nil)
		if after.Before(before) {
			return r, api.Because(http.StatusConflict, fmt.Sprintf(
				"The clock shows %s and does not go back: reset the world first", before.Format(time.RFC3339Nano)))
		}
		if err := FrozenAt(after).Check(); err != nil {
			return r, api.Because(http.StatusBadRequest, fmt.Sprintf("The clock goes to the year %d only", lastYear))
		}
		r.Frozen, r.Ahead = nil, 0
		if frozen {
			r.Frozen = &after
			return r, nil
		}
		r.Ahead, err = clock.aheadOf(after)
		return r, err
	})
}

// Reset makes the world as new, all at once: its resources, clock and counters. What it remembered is deleted then. The
// World is the new one.
func (w *World) Reset(ctx context.Context) error {
	old := w.record
	err := w.changeRecord(ctx, func(r record) (record, error) {
		old = r
		return w.worlds.config.newRecord(r.Key, r.Generation+1), nil
	})
	if err != nil {
		return err
	}
	return w.worlds.leave(ctx, old.place(w.ID))
}

// changeRecord changes the record of a world that is there, and has the World follow.
func (w *World) changeRecord(ctx context.Context, change func(record) (record, error)) error {
	return w.writeRecord(ctx, w.worlds.config.Store.Amend, change)
}

// writeRecord changes the record by a way to write to the store.
func (w *World) writeRecord(ctx context.Context, write write, change func(record) (record, error)) error {
	var next []byte
	epoch := w.worlds.config.Store.Epoch()
	err := write(ctx, recordKey(w.ID), func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, worldUnknown(w.ID)
		}
		var r record
		if err := json.Unmarshal(old, &r); err != nil {
			return nil, fmt.Errorf("read world %s: %w", w.ID, err)
		}
		r, err := change(r)
		if err != nil {
			return nil, err
		}
		r.Used = w.worlds.config.mark(r.Used)
		if next, err = json.Marshal(r); err != nil {
			return nil, err
		}
		return next, checkGrowth(len(old), len(next))
	})
	if err != nil {
		return err
	}
	changed, err := w.worlds.world(ctx, w.ID, next, epoch)
	if err != nil {
		return err
	}
	changed.global = w.global
	*w = *changed
	return nil
}

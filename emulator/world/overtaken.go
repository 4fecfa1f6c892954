package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Do opens a world and does something in it. What a reset overtakes is done again, in the world as it is then, so that
// nothing is of both; unless it changes something, once: that was done before the reset.
func Do(ctx context.Context, open func() (*World, error), once bool, act func(*World) error) error {
	for {
		w, err := open()
		if err != nil {
			return err
		}
		err = act(w)
		overtaken, failure := w.Overtaken(ctx)
		if failure != nil {
			return failure
		}
		if !overtaken || once {
			return err
		}
	}
}

// Overtaken reports whether the world has been reset, restored or forgotten since it was opened. What was found in it may
// then be of before in part, and what it was made to remember is gone: whoever opened it opens it again, and asks again.
//
// It looks for that only when something was amended meanwhile.
func (w *World) Overtaken(ctx context.Context) (bool, error) {
	if w.worlds.config.Store.Epoch() == w.epoch {
		return false, nil
	}
	stored, err := w.worlds.recall(ctx, w.ID)
	if err != nil {
		return false, fmt.Errorf("open world %s: %w", w.ID, err)
	}
	var r record
	if stored != nil {
		if err := json.Unmarshal(stored, &r); err != nil {
			return false, fmt.Errorf("read world %s: %w", w.ID, err)
		}
		if r.Generation == w.record.Generation {
			return false, nil
		}
	}
	return true, w.worlds.leave(ctx, w.place) // what it remembered too late
}

// leave deletes a place, or all places of a world, which no record leads to any more.
func (ws *Worlds) leave(ctx context.Context, place string) error {
	err := ws.config.Store.DeletePrefix(ctx, place)
	if ws.config.Journals {
		err = errors.Join(err, ws.config.Store.DeletePrefix(ctx, journalOf(place)))
	}
	return err
}

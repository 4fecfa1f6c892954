package registry

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// Collector deletes what ended generations have stored. It is safe for concurrent use.
type Collector struct {
	store   store.Store
	elapsed func() time.Duration // see [clock.Clock]
	filling stored.Ages          // of the generations that restores fill
}

// NewCollector returns the collector of a store, with the time since some instant.
func NewCollector(s store.Store, elapsed func() time.Duration) *Collector {
	return &Collector{store: s, elapsed: elapsed}
}

// collectRetry is the pause after an error.
const collectRetry = 10 * time.Second

// CollectUntil calls Collect whenever a generation ends, until ctx ends.
func (c *Collector) CollectUntil(ctx context.Context) {
	for ctx.Err() == nil {
		watching, stop := context.WithCancel(ctx)
		ended, err := c.store.Watch(watching, endedPrefix)
		for more := true; more && err == nil; {
			if err = c.Collect(ctx); err == nil {
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
func (c *Collector) Collect(ctx context.Context) error {
	var ended []string
	filling := make(map[string]string)
	err := c.store.View(ctx, func(tx store.Tx) error {
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
	now := c.elapsed()
	for generation, s := range c.filling.Look(filling, now) {
		if now-s.Since > 2*RestoreTime {
			ended = append(ended, generation)
		}
	}
	for _, generation := range ended {
		for _, prefix := range []string{dataPrefix, journalPrefix, endedPrefix} { // the mark of the generation last
			if err := store.DeletePrefix(ctx, c.store, prefix+generation); err != nil {
				return err
			}
		}
	}
	return nil
}

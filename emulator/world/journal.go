package world

import (
	"context"
	"fmt"
)

// journalOf begins the keys of the journal of what has a place, a world in one generation or all that it ever was. It is
// beside the place, not in it: a snapshot's scan need not go through it.
func journalOf(place string) string { return "journal/" + place }

// JournalPlace begins the keys of the journal of a world in one generation, where the store has it. They are deleted with
// what the world remembers.
func (ws *Worlds) JournalPlace(id string, generation int64) string {
	return journalOf(record{Generation: generation}.place(id))
}

// RecordKey returns the key whose value changes when a world begins another generation.
func (ws *Worlds) RecordKey(id string) string { return recordKey(id) }

// Generation returns the generation that a world is in, 0 when it is not there. It is not recalled: whoever asks has heard
// of a change by another way, and earlier.
func (ws *Worlds) Generation(ctx context.Context, id string) (int64, error) {
	stored, err := ws.config.Store.Get(ctx, recordKey(id))
	if err != nil {
		return 0, fmt.Errorf("open world %s: %w", id, err)
	}
	if stored == nil {
		return 0, nil
	}
	k, err := ws.decode(id, stored)
	if err != nil {
		return 0, fmt.Errorf("read world %s: %w", id, err)
	}
	return k.record.Generation, nil
}

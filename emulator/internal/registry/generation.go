package registry

import (
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

// endedPrefix is the key prefix of the generations that no record has. Such a key is written in the transaction that
// ends the generation, so that after a kill another process collects it. The key of a generation that a restore fills has a
// value, and is collected by a process that has seen it for longer than a restore takes.
const endedPrefix = "gone/"

// End marks a generation of a world to be collected.
func End(tx store.Tx, id string, generation int64) error {
	return tx.Put(endedPrefix+generationName(id, generation), nil)
}

// Free returns the first generation of a world, from a number on, that is not to be collected.
func Free(tx store.Tx, id string, generation int64) (int64, error) {
	for {
		ended, err := tx.Get(endedPrefix + generationName(id, generation))
		if err != nil || ended == nil {
			return generation, err
		}
		generation++
	}
}

// RestoreTime bounds the duration of a restore, which fills a generation.
const RestoreTime = 30 * time.Minute

// A restore fills a generation so far ahead that resets, and worlds that begin within RestoreTime, have earlier ones.
const generationsAhead = 1 << 31

// Fill returns a generation of a world, after one of a number, that a restore fills from now on. It is marked to be collected later:
// nothing is left of a restore that fails or whose process is killed.
func Fill(tx store.Tx, id string, from int64, now time.Time) (int64, error) {
	last, err := Generation(tx, id) // which another restore may have filled
	if err != nil {
		return 0, err
	}
	generation, err := Free(tx, id, max(last, from)+generationsAhead)
	if err != nil {
		return 0, err
	}
	return generation, tx.Put(endedPrefix+generationName(id, generation), []byte(now.Add(2*RestoreTime).Format(time.RFC3339)))
}

// Filled takes the mark of a generation away that a restore has filled.
func Filled(tx store.Tx, id string, generation int64) error {
	return tx.Delete(endedPrefix + generationName(id, generation))
}

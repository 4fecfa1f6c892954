package registry

import (
	"errors"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// beforePrefix begins the keys of what worlds were before their last reset, by their ids. Nothing is copied: such a key keeps the
// generation that the reset has ended, until the next one ends.
const beforePrefix = "before/"

// Before is a world before its last reset.
type Before struct {
	At     time.Time `json:"at"` // of the reset, by the machine's clock
	Record Record    `json:"record"`
}

// StoreBefore stores what a world was before a reset, in place of what its last reset has kept.
func StoreBefore(tx store.Tx, id string, b Before) error {
	err := EndBefore(tx, id)
	if err == nil {
		_, err = stored.Values{Tx: tx, Prefix: beforePrefix}.Save(id, b)
	}
	return err
}

// ReadBefore returns what a world was before its last reset; At is zero for none.
func ReadBefore(tx store.Tx, id string) (b Before, err error) {
	err = stored.Load(tx, beforePrefix+id, &b)
	return b, err
}

// EndBefore ends the generation that the last reset of a world has kept.
func EndBefore(tx store.Tx, id string) error {
	b, err := ReadBefore(tx, id)
	if err != nil || b.At.IsZero() {
		return err
	}
	return errors.Join(tx.Delete(beforePrefix+id), End(tx, id, b.Record.Generation))
}

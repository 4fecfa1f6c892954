package stored

import (
	"errors"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/store"
)

// errNoRoom ends a transaction that has read more than there is room for.
var errNoRoom = errors.New("the stored values are larger than their answer has room for")

// Measured is a transaction that counts the memory of what it reads, and stops where there is no room.
type Measured struct {
	store.Tx
	Room   int64
	Wanted int64
}

// Want counts memory beside all before.
func (m *Measured) Want(memory int64) error {
	if m.Wanted += memory; m.Wanted > m.Room {
		return errNoRoom
	}
	return nil
}

// Get counts the value.
func (m *Measured) Get(key string) ([]byte, error) {
	value, err := m.Tx.Get(key)
	if err == nil {
		err = m.Want(limits.Decoded(value))
	}
	return value, err
}

// Scan counts the largest value, because most scans keep none: one that keeps its values counts each.
func (m *Measured) Scan(prefix, after string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		largest := int64(0)
		for entry, err := range m.Tx.Scan(prefix, after) {
			if more := limits.Decoded(entry.Value) - largest; err == nil && more > 0 {
				largest += more
				err = m.Want(more)
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

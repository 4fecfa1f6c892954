package world

import (
	"context"
	"errors"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/store"
)

// errNoRoom ends a transaction that has read more than there is room for.
var errNoRoom = errors.New("the stored values are larger than their answer has room for")

// measured is a transaction that counts the memory of what it reads, and stops where there is no room.
type measured struct {
	store.Tx
	room   int64
	wanted int64
}

// want counts memory beside all before.
func (m *measured) want(memory int64) error {
	if m.wanted += memory; m.wanted > m.room {
		return errNoRoom
	}
	return nil
}

func (m *measured) Get(key string) ([]byte, error) {
	value, err := m.Tx.Get(key)
	if err == nil {
		err = m.want(limits.Decoded(value))
	}
	return value, err
}

// Scan counts the largest value, because most scans keep none; see [list].
func (m *measured) Scan(prefix, after string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		largest := int64(0)
		for entry, err := range m.Tx.Scan(prefix, after) {
			if more := limits.Decoded(entry.Value) - largest; err == nil && more > 0 {
				largest += more
				err = m.want(more)
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// transact runs fn in the world within a transaction of the store. When fn reads large values for an answer, it runs again once
// there is room: no transaction waits for it.
func (w *World) transact(ctx context.Context, run func(context.Context, func(store.Tx) error) error, fn func(*Tx) error) error {
	for {
		read := new(measured)
		err := run(ctx, func(stored store.Tx) error {
			*read = measured{Tx: stored, room: limits.Room(ctx)}
			if err := w.in(read, fn); err != nil {
				return err
			}
			return read.want(0) // fn may have left the error
		})
		if read.wanted <= read.room {
			return err
		}
		if err := limits.Admit(ctx, w.id, read.wanted); err != nil {
			return err
		}
	}
}

package world

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// transact runs fn in the world within a transaction of the store. When fn reads large values for an answer, it runs again once
// there is room: no transaction waits for it.
func (w *World) transact(ctx context.Context, run func(context.Context, func(store.Tx) error) error, fn func(*Tx) error) error {
	for {
		read := new(stored.Measured)
		err := run(ctx, func(tx store.Tx) error {
			*read = stored.Measured{Tx: tx, Room: limits.Room(ctx)}
			if err := w.in(read, fn); err != nil {
				return err
			}
			return read.Want(0) // fn may have left the error
		})
		if read.Wanted <= read.Room {
			return err
		}
		if err := limits.Admit(ctx, w.id, read.Wanted); err != nil {
			return err
		}
	}
}

package store

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
)

// ErrDamaged is returned by every method but Close, from when the file under a store was seen to be damaged.
var ErrDamaged = errors.New("is damaged")

// health is what is known of the file under a store. Once it was seen to be damaged nothing more is read from it or
// written to it: what else is wrong with it nobody knows, a write might spoil what is whole still, and bbolt leaves locks
// behind when it panics. One who restarts it, on a copy from before, has all that the copy has.
type health struct {
	name   string      // of the store, as an error begins
	mend   string      // as it ends
	path   string      // "" where the file need not be there
	opened os.FileInfo // nil without path

	damage   atomic.Pointer[error]
	panicked atomic.Bool // bbolt, which may have kept locks
}

// err returns what is wrong, nil for nothing.
func (h *health) err() error {
	if damage := h.damage.Load(); damage != nil {
		return *damage
	}
	return nil
}

// careful calls touch, which reads or writes the file by bbolt. What bbolt does over a damaged file is the end of it: it
// panics, or reads where nothing is mapped, or finds what was not written. A nil health only calls it.
func (h *health) careful(touch func() error) (err error) {
	if h == nil {
		return touch()
	}
	if err := h.err(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			h.panicked.Store(true)
			err = h.damaged(p)
		}
	}()
	err = touch()
	if errors.Is(err, errChanged) || errors.Is(err, errMissing) || errors.Is(err, errMisplaced) {
		return h.damaged(err)
	}
	return err
}

// damaged remembers what was seen first, and returns that.
func (h *health) damaged(cause any) error {
	damage := fmt.Errorf("%s %w (%v): %s", h.name, ErrDamaged, cause, h.mend)
	h.damage.CompareAndSwap(nil, &damage)
	return h.err()
}

// there returns an error while the file is not where it was opened: what is written to it would be lost with the process.
func (h *health) there() error {
	if h.path == "" {
		return nil
	}
	if now, err := os.Stat(h.path); err != nil || !os.SameFile(now, h.opened) {
		return fmt.Errorf("%s is no longer where it was: put it back, or stop", h.name)
	}
	return nil
}

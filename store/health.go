package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
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
	path   string      // "" where the file need not be there, or stay as long as it is
	opened os.FileInfo // nil without path, as is file
	file   *os.File    // that bbolt has open

	headers int64 // how many bytes they take

	damage    atomic.Pointer[error]
	panicked  atomic.Bool // bbolt, which may have kept locks
	beginning sync.Mutex
	last      [1]byte // of the headers
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
			if _, crash := p.(runtime.Error); crash {
				p = "what it leads to is not there"
			}
			err = h.damaged(p)
		}
	}()
	err = touch()
	if errors.Is(err, errChanged) || errors.Is(err, errMissing) || errors.Is(err, errMisplaced) {
		return h.damaged(err)
	}
	return err
}

// begin calls touch, which begins a transaction, as careful does. Where a file has become too short for its headers bbolt
// panics with its locks held, and leaves everybody waiting who is about to begin or to end: so one begins at a time, and
// looks first whether they are there.
func (h *health) begin(touch func() error) error {
	h.beginning.Lock()
	defer h.beginning.Unlock()
	if h.file != nil {
		if _, err := h.file.ReadAt(h.last[:], h.headers-1); errors.Is(err, io.EOF) {
			return h.damaged("it has become too short")
		}
	}
	return h.careful(touch)
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

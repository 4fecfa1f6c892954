package console

import (
	"bytes"
	"errors"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// before is what a world was before its last reset.
type before struct {
	at   time.Time // of the reset, by the machine's clock
	file *limits.File
}

// entryBefore returns a request from before the last reset, nil for none.
func (x *exchange) entryBefore(id string) (e *journal.Entry, at time.Time, err error) {
	if x.status == nil {
		return nil, at, nil
	}
	b, err := x.keptBefore()
	if err != nil || b == nil {
		return nil, at, err
	}
	defer b.file.Close()
	for e, err := range world.SnapshotEntries(b.file) {
		if err != nil || e.ID == id {
			return e, b.at, err
		}
	}
	return nil, at, nil
}

// keptBefore returns what the page's world was before its last reset, nil if it is not kept. It must be closed.
func (x *exchange) keptBefore() (*before, error) {
	packed, at, err := world.Before(x.context(), x.world)
	if err != nil || packed == nil {
		return nil, err
	}
	file, err := x.Limits.File(x.context(), x.owner())
	if err != nil {
		return nil, err
	}
	if err := world.Unpack(bytes.NewReader(packed), file); err != nil {
		return nil, errors.Join(limits.NoRoom(err), file.Close())
	}
	return &before{at, file}, nil
}

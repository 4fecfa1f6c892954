package recorded

import (
	"bytes"
	"errors"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// before is what a world was before its last reset.
type before struct {
	at   time.Time // of the reset, by the machine's clock
	File *limits.File
}

// EntryBefore returns a request from before the last reset, nil for none.
func EntryBefore(x *frame.Exchange, id string) (e *journal.Entry, at time.Time, err error) {
	if x.Status == nil {
		return nil, at, nil
	}
	b, err := BeforeReset(x)
	if err != nil || b == nil {
		return nil, at, err
	}
	defer b.File.Close()
	for e, err := range world.SnapshotEntries(b.File) {
		if err != nil || e.ID == id {
			return e, b.at, err
		}
	}
	return nil, at, nil
}

// BeforeReset returns what the page's world was before its last reset, nil if it is not kept. It must be closed.
func BeforeReset(x *frame.Exchange) (*before, error) {
	packed, at, err := world.Before(x.Context(), x.World)
	if err != nil || packed == nil {
		return nil, err
	}
	file, err := x.Limits.File(x.Context(), x.Owner())
	if err != nil {
		return nil, err
	}
	if err := world.Unpack(bytes.NewReader(packed), file); err != nil {
		return nil, errors.Join(limits.NoRoom(err), file.Close())
	}
	return &before{at, file}, nil
}

package console

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func reset(x *exchange) (answer, error) {
	err := x.Limits.Turn(x.context(), x.owner(), func() error { return world.ResetWithUndo(x.context(), x.world) })
	return done(x.here(), "reset"), err
}

// before is what a world was before its last reset.
type before struct {
	at   time.Time // of the reset, by the machine's clock
	file *limits.File
}

// before returns what the page's world was before its last reset, nil if it is not kept. It must be closed.
func (x *exchange) before() (*before, error) {
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

// entryBefore returns a request from before the last reset, nil for none.
func (x *exchange) entryBefore(id string) (e *journal.Entry, at time.Time, err error) {
	if x.status == nil {
		return nil, at, nil
	}
	b, err := x.before()
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

// undoReset makes the world what it was before its last reset.
func undoReset(x *exchange) (answer, error) {
	b, err := x.before()
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, api.Because(http.StatusConflict, "There is no reset to undo: the console keeps what a world was before it resets it, up to 8 MB, until the next reset")
	}
	defer b.file.Close()
	x.allowTime()
	err = x.Limits.Turn(x.context(), x.owner(), func() error {
		_, err := x.world.RestoreFrom(x.context(), b.file)
		return err
	})
	return done(ownPath(x.value("back")), "undone"), err
}

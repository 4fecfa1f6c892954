package console

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func reset(x *exchange) (answer, error) {
	err := x.Limits.Turn(x.context(), x.owner(), func() error { return world.ResetWithUndo(x.context(), x.world) })
	return done(x.here(), "reset"), err
}

// undoReset makes the world what it was before its last reset.
func undoReset(x *exchange) (answer, error) {
	b, err := x.keptBefore()
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

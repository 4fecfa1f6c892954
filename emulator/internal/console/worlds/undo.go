package worlds

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func reset(x *frame.Exchange) (frame.Answer, error) {
	err := x.Limits.Turn(x.Context(), x.Owner(), func() error { return world.ResetWithUndo(x.Context(), x.World) })
	return frame.Done(x.Here(), "reset"), err
}

// undoReset makes the world what it was before its last reset.
func undoReset(x *frame.Exchange) (frame.Answer, error) {
	b, err := recorded.BeforeReset(x)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, api.Because(http.StatusConflict, "There is no reset to undo: the console keeps what a world was before it resets it, up to 8 MB, until the next reset")
	}
	defer b.File.Close()
	return frame.Done(frame.OwnPath(x.Value("back")), "undone"), restore(x, b.File)
}

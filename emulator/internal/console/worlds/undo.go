package worlds

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
)

func reset(x *frame.Exchange) (frame.Answer, error) {
	_, err := x.World.Reset(x.Context())
	return frame.Done(x.Here(), "reset"), err
}

// undoReset makes the world what it was before its last reset.
func undoReset(x *frame.Exchange) (frame.Answer, error) {
	file, err := x.Limits.Snapshot(x.Context(), x.Owner(), x.World.WriteBefore)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return frame.Done(frame.OwnPath(x.Value("back")), "undone"), restore(x, file)
}

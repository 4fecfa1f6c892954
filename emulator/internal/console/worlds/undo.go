package worlds

import (
	"context"
	"io"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func reset(x *frame.Exchange) (frame.Answer, error) {
	_, err := x.World.Reset(x.Context())
	return frame.Done(x.Here(), "reset"), err
}

// undoReset makes the world what it was before its last reset.
func undoReset(x *frame.Exchange) (frame.Answer, error) {
	file, err := x.Limits.Snapshot(x.Context(), x.Owner(), func(ctx context.Context, rewind func() error, to io.Writer) error {
		return world.WriteBefore(ctx, x.World, rewind, to)
	})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return frame.Done(frame.OwnPath(x.Value("back")), "undone"), restore(x, file)
}

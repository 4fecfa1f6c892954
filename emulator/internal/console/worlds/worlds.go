package worlds

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
)

func deleteWorld(x *frame.Exchange) (frame.Answer, error) {
	return frame.Done(frame.Link("worlds"), "deleted"), x.World.Delete(x.Context())
}

package recorded

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// SendTimeout bounds the wait for an answer that a rule delays.
const SendTimeout = 15 * time.Second

// SendTo sends a request to a world, as a client does but without the key. Its error is [http.ErrAbortHandler] for an answer
// that was broken off, and that of a context for one that took too long.
func SendTo(x *frame.Exchange, to *world.World, r *http.Request) (got *surface.Recorder, err error) {
	ctx, cancel := context.WithTimeout(x.Context(), SendTimeout)
	defer cancel()
	r.RemoteAddr, r.Host = x.Request.RemoteAddr, x.Request.Host
	r.Header.Del("Authorization")
	got = new(surface.Recorder)
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			err = cmp.Or(ctx.Err(), http.ErrAbortHandler)
		default:
			panic(cause)
		}
	}()
	x.Send(got, r.WithContext(ctx), to)
	return got, nil
}

package limits

import (
	"context"
	"io"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Body is a request body that shares the server's memory with all others: it takes room for each byte that it reads after the
// first few KiB, and at its end waits until it can be decoded. While there is no room, Read returns an [*api.Error] with
// status 429. After Release it takes nothing: what is read then is discarded.
type Body struct {
	io.ReadCloser
	limits              *Limits
	ctx                 context.Context
	read, held, decoded int64
	released            bool
}

// Body returns the body of a request, whose memory its reader gives back by Release.
func (l *Limits) Body(ctx context.Context, sent io.ReadCloser) *Body {
	return &Body{ReadCloser: sent, limits: l, ctx: ctx}
}

func (b *Body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if b.released {
		return n, err
	}
	b.read = min(b.read+int64(n), api.MaxBody) // the rest of a longer body is read and discarded
	if more := b.read - smallBody - b.held; more > 0 {
		if !b.limits.bodies.TryAcquire(more) {
			return 0, api.NewError(http.StatusTooManyRequests, "the bodies of all requests under way are too large together: try again later")
		}
		b.held += more
	}
	if err == io.EOF && b.decoded == 0 && b.read > 0 {
		wanted := b.read * decodedSize
		if wanted > b.limits.maxDecoded {
			return 0, api.NewError(http.StatusTooManyRequests, "the body takes more memory than the server may use: give it more, or send less")
		}
		if err := b.limits.decoded.Acquire(b.ctx, wanted); err != nil {
			return 0, err
		}
		b.decoded = wanted
	}
	return n, err
}

// Release gives back the memory of the body. It may be called several times.
func (b *Body) Release() {
	b.limits.bodies.Release(b.held)
	b.limits.decoded.Release(b.decoded)
	b.held, b.decoded, b.released = 0, 0, true
}

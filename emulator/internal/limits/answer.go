package limits

import (
	"context"
	"math"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// SmallAnswer is the size of an answer, and of all that is stored of it, that takes no place among the large ones, in bytes.
const SmallAnswer = 64 << 10

// Answer is the memory of one answer: first what large stored values take to be decoded and rendered, then the rendered text
// until it is sent. It is not for concurrent use.
type Answer struct {
	limits *Limits
	owner  Owner
	room   int64 // of decoded values
	taken  *grant
}

// Answer returns the answer to a client, whose memory is given back by Release.
func (l *Limits) Answer(addr string) *Answer {
	return &Answer{limits: l, owner: Owner{Addr: addr}, room: SmallAnswer * decodedSize}
}

type answerKey struct{}

// In returns a context for what is read for the answer.
func (a *Answer) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// Decoded returns the memory that a stored value may take decoded and rendered.
func Decoded(value []byte) int64 { return int64(len(value)) * decodedSize }

// Room returns the memory that may be taken for the answer of a context, without bound where there is none.
func Room(ctx context.Context) int64 {
	if a, _ := ctx.Value(answerKey{}).(*Answer); a != nil {
		return a.room
	}
	return math.MaxInt64
}

// Admit waits for more room for the answer of a context, of a world. While there is none, its error is an [*api.Error] with
// status 429.
func Admit(ctx context.Context, world string, room int64) error {
	a := ctx.Value(answerKey{}).(*Answer)
	if room > a.limits.Scaled(maxAnswer) {
		return api.NewError(http.StatusTooManyRequests, "the answer takes more memory than the server may use: give it more, or ask for less")
	}
	a.Release()
	a.owner.World = world
	taken, refusal := a.limits.answers.take(ctx, room, a.owner)
	if refusal != nil {
		return refusal
	}
	a.taken, a.room = taken, max(room, 2*a.room)
	return nil
}

// Rendered keeps the memory of the rendered text only, and waits for it if it was not known to be large. While there is no
// room, its error is an [*api.Error] with status 429.
func (a *Answer) Rendered(ctx context.Context, world string, size int) error {
	switch {
	case size <= SmallAnswer:
		a.Release()
	case a.taken != nil:
		a.taken.reduce(int64(size))
	default:
		a.owner.World = world
		taken, refusal := a.limits.answers.take(ctx, int64(size), a.owner)
		if refusal != nil {
			return refusal
		}
		a.taken = taken
	}
	return nil
}

// Release gives back the memory of the answer. It may be called several times.
func (a *Answer) Release() {
	a.taken.release()
	a.taken = nil
}

// Explained returns a refusal for lack of room with its diagnosis in its message, as the control plane shows it.
func Explained(refusal *api.Error) *api.Error {
	if refusal.Diagnosis == "" || refusal.Status != http.StatusTooManyRequests && refusal.Status != http.StatusInternalServerError {
		return refusal
	}
	return &api.Error{Status: refusal.Status, Message: refusal.Message + ": " + refusal.Diagnosis, Header: refusal.Header}
}

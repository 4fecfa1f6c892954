package emulator

import (
	"context"
	"iter"

	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Verification is a verification request as those see it who steer a world: its Document is the resource as read-one
// shows it (spec 2.2).
type Verification = world.Verification

// Move is what is to become of a verification request.
type Move = world.Move

// requestsAtOnce is how many verification requests are read from the store at once.
const requestsAtOnce = 100

// VerificationRequests goes through the verification requests that the world remembers, in the order of their ids: those
// that were made, and the magic ones that moved. It ends with the first error.
func (w *World) VerificationRequests(ctx context.Context) iter.Seq2[Verification, error] {
	return func(yield func(Verification, error) bool) {
		for last := ""; ; {
			var some []Verification
			err := w.do(ctx, func(opened *world.World) (err error) {
				some, err = opened.Verifications(ctx, last, requestsAtOnce, func(Verification) bool { return true })
				return err
			})
			if err != nil {
				yield(Verification{}, err)
				return
			}
			for _, v := range some {
				if last = v.ID; !yield(v, nil) {
					return
				}
			}
			if len(some) < requestsAtOnce {
				return
			}
		}
	}
}

// VerificationRequest shows a verification request. Unlike a read by HTTP it moves nothing.
func (w *World) VerificationRequest(ctx context.Context, id string) (v Verification, err error) {
	err = w.do(ctx, func(opened *world.World) (err error) {
		v, err = opened.Inspect(ctx, id)
		return err
	})
	return v, err
}

// Move puts a verification request into a state, from where its timeline goes on. What spec section 3
// does not allow must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (v Verification, err error) {
	err = w.do(ctx, func(opened *world.World) (err error) {
		v, err = opened.Move(ctx, id, to)
		return err
	})
	return v, err
}

// Forget deletes what the world remembers of a verification request: a magic one is as new then,
// another one is gone.
func (w *World) Forget(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Forget(ctx, id) })
}

package etcd

import (
	"context"
	"time"
)

// A member that hangs, paused or behind a network that swallows what it is sent, is found out only after ten seconds and
// more: gRPC asks no sooner whether anybody is there. Until then a call that meets it goes to another one by itself.
const (
	tryTime = time.Second // for which one member is waited for
	tries   = 3           // that are so short; the next has all that is left of a call's time
)

// ask asks etcd, and asks another member when one does not answer, until ctx ends. What is asked may so be done twice.
func ask[T any](ctx context.Context, once func(context.Context) (T, error)) (answer T, err error) {
	for try := range tries {
		short, cancel := context.WithTimeout(ctx, tryTime)
		answer, err = once(short)
		late := short.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !late || !pause(ctx, backOff(try)) {
			return answer, err
		}
	}
	return once(ctx)
}

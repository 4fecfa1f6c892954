package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A member that hangs, paused or behind a network that swallows what it is sent, is found out only after ten seconds and
// more: gRPC asks no sooner whether anybody is there. Until then a call that meets it goes to another one by itself.
const (
	tryTime = time.Second // for which one member is waited for
	tries   = 3           // that are so short; the next has all that is left of a call's time
)

// atOnce is how often what others came before is tried again without a pause: it knows by then what they wrote.
const atOnce = 16

// insist tries until what it tries is done, or ctx ends. A try that is not done has an error, and is made again after a
// pause, or has none: others came before it.
func insist(ctx context.Context, once func(context.Context) (done bool, err error)) error {
	for try, late := 0, 0; ; try++ {
		done, slow, err := tryOnce(ctx, late < tries, once)
		if done {
			return err
		}
		if slow {
			late++
		}
		if err == nil && try < atOnce && ctx.Err() == nil {
			continue
		}
		if !pause(ctx, backOff(try)) {
			return fmt.Errorf("after %d tries: %w", try+1, cmp.Or(err, context.Cause(ctx)))
		}
	}
}

// tryOnce tries once, for a short time or for all that ctx has, and tells whether that ran out.
func tryOnce(ctx context.Context, short bool, once func(context.Context) (bool, error)) (done, slow bool, err error) {
	if short {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, tryTime)
		defer cancel()
	}
	done, err = once(ctx)
	return done, ctx.Err() != nil, err
}

// ask asks etcd, and asks again, of another member too, when it does not answer or cannot now, until ctx ends. What is
// asked may so be done twice.
func ask[T any](ctx context.Context, once func(context.Context) (T, error)) (answer T, err error) {
	err = insist(ctx, func(ctx context.Context) (bool, error) {
		var err error
		answer, err = once(ctx)
		return err == nil || final(err), err
	})
	return answer, err
}

// finals are the kinds of errors that come again however often the same is asked. Those that are left out come of a member
// that does not answer in time, has no leader, or stops: the next one may do better.
var finals = []codes.Code{
	codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied, codes.ResourceExhausted,
	codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented, codes.DataLoss, codes.Unauthenticated,
}

// passing are errors of such kinds that pass.
var passing = []error{
	rpctypes.ErrTooManyRequests, rpctypes.ErrNotLeader, rpctypes.ErrAuthOldRevision, rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner),
}

// final reports whether an error is etcd's last word: what was asked was not carried out then, and would not be again.
func final(err error) bool {
	code := status.Code(err)
	if known, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = known.Code()
	}
	return slices.Contains(finals, code) && !slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) })
}

package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	callTimeout    = 5 * time.Second // an election takes about a second
	attemptTimeout = time.Second
	shortAttempts  = 3 // the attempts with attemptTimeout; a later one may take the rest of callTimeout
)

// call sends a request to etcd and retries it after a retryable error, until callTimeout. All requests go to one member, and
// after a transient error to the next. The client's own round robin would go on using a member that hangs, which gRPC notices
// only after ten seconds.
func call[T any](ctx context.Context, s *etcdStore, retryable func(error) bool, request func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for attempts := 1; ; attempts++ {
		member, members := s.member.Load(), int64(len(s.target.endpoints))
		attempt, end := ctx, context.CancelFunc(func() {})
		if members > 1 && attempts <= shortAttempts {
			attempt, end = context.WithTimeout(ctx, attemptTimeout)
		}
		response, err := request(attempt)
		end()
		if err == nil {
			return response, nil
		}
		if transient(err) && ctx.Err() == nil && members > 1 && s.member.CompareAndSwap(member, member+1) {
			s.client.SetEndpoints(s.target.endpoints[(member+1)%members])
		}
		if !retryable(err) {
			return response, err
		}
		if backOff(ctx, attempts); ctx.Err() != nil {
			return response, fmt.Errorf("after %d attempts: %w", attempts, err)
		}
	}
}

// transient reports whether another attempt, or another member, may succeed.
func transient(err error) bool {
	code := status.Code(err)
	if etcdErr, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = etcdErr.Code()
	}
	switch code {
	case codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.Aborted, codes.Internal, codes.Unavailable:
		return true
	}
	return errors.Is(err, rpctypes.ErrTooManyRequests) || errors.Is(err, rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner))
}

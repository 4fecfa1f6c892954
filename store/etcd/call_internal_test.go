package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestCall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err       error
		transient bool
	}{
		"deadline of the member": {status.Error(codes.Unknown, "context deadline exceeded"), true},
		"deadline of the client": {context.DeadlineExceeded, true},
		"connection reset":       {status.Error(codes.Unavailable, "connection reset"), true},
		"no leader":              {rpctypes.ErrNoLeader, true},
		"members time out":       {rpctypes.ErrTimeout, true},
		"leader fails":           {rpctypes.ErrTimeoutDueToLeaderFail, true},
		"too many requests":      {rpctypes.ErrTooManyRequests, true},
		"member is a learner":    {rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner), true},
		"permission denied":      {rpctypes.ErrPermissionDenied, false},
		"revision is compacted":  {rpctypes.ErrCompacted, false},
		"too large for etcd":     {rpctypes.ErrRequestTooLarge, false},
		"too large for gRPC":     {status.Error(codes.ResourceExhausted, "grpc: received message larger than max"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			got, err := call(t.Context(), new(etcdStore), transient, func(context.Context) (int, error) {
				if calls++; calls == 1 {
					return 0, tt.err
				}
				return 7, nil
			})
			if tt.transient && (err != nil || got != 7 || calls != 2) {
				t.Errorf("%d calls: %d, %v", calls, got, err)
			}
			if !tt.transient && (!errors.Is(err, tt.err) || calls != 1) {
				t.Errorf("%d calls: %v", calls, err)
			}
		})
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"compact and defragment etcd, or raise its quota, and disarm the alarm": rpctypes.ErrNoSpace,
		"check the name of the host":                       errors.New("dial tcp: lookup etcd1: no such host"),
		"check that most members of etcd run":              context.DeadlineExceeded,
		"let the user read and write all keys":             rpctypes.ErrPermissionDenied,
		"another server listens there":                     status.Error(codes.Unimplemented, "unexpected HTTP status code"),
		"check that etcd runs there and accepts this user": errors.New("any other"),
	} {
		if got := adviceFor(fmt.Errorf("a: %w", err)); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

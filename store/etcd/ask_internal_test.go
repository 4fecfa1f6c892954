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

func TestAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		again bool
	}{
		"member notices the deadline first": {status.Error(codes.Unknown, "context deadline exceeded"), true},
		"client notices the deadline":       {context.DeadlineExceeded, true},
		"network breaks":                    {status.Error(codes.Unavailable, "connection reset"), true},
		"no leader":                         {rpctypes.ErrNoLeader, true},
		"members do not agree in time":      {rpctypes.ErrTimeout, true},
		"leader fails":                      {rpctypes.ErrTimeoutDueToLeaderFail, true},
		"too many requests":                 {rpctypes.ErrTooManyRequests, true},
		"member is a learner":               {rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner), true},
		"permission denied":                 {rpctypes.ErrPermissionDenied, false},
		"revision is compacted":             {rpctypes.ErrCompacted, false},
		"too large for etcd":                {rpctypes.ErrRequestTooLarge, false},
		"too large for gRPC":                {status.Error(codes.ResourceExhausted, "grpc: received message larger than max"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			got, err := ask(t.Context(), new(Store), passing, func(context.Context) (int, error) {
				if asked++; asked == 1 {
					return 0, tt.err
				}
				return 7, nil
			})
			if tt.again && (err != nil || got != 7 || asked != 2) {
				t.Errorf("asked %d times: %d, %v", asked, got, err)
			}
			if !tt.again && (!errors.Is(err, tt.err) || asked != 1) {
				t.Errorf("asked %d times: %v", asked, err)
			}
		})
	}
}

func TestMend(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"compact and defragment etcd, or raise its quota, and disarm the alarm": rpctypes.ErrNoSpace,
		"see that the name of the host is right":                                errors.New("dial tcp: lookup etcd1: no such host"),
		"see that most members of etcd run":                                     context.DeadlineExceeded,
		"let the user read and write the prefix":                                rpctypes.ErrPermissionDenied,
		"see that it is etcd that listens there":                                status.Error(codes.Unimplemented, "unexpected HTTP status code"),
		"see that etcd runs there and lets this user in":                        errors.New("whatever else"),
	} {
		if got := mend(fmt.Errorf("a: %w", err)); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

package etcd

import (
	"context"
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Issue, faults survived: what another member may answer is asked again, whoever noticed first that one does not.
func TestWhatIsAskedIsAskedAgainWhereThatMayHelp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		again bool
	}{
		"the member notices the deadline first": {status.Error(codes.Unknown, "context deadline exceeded"), true},
		"the client notices it":                 {context.DeadlineExceeded, true},
		"the network breaks":                    {status.Error(codes.Unavailable, "connection reset"), true},
		"there is no leader":                    {rpctypes.ErrNoLeader, true},
		"the members do not agree in time":      {rpctypes.ErrTimeout, true},
		"the leader fails":                      {rpctypes.ErrTimeoutDueToLeaderFail, true},
		"there is too much to do":               {rpctypes.ErrTooManyRequests, true},
		"the member is a learner":               {rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner), true},
		"the user may not":                      {rpctypes.ErrPermissionDenied, false},
		"the revision is gone":                  {rpctypes.ErrCompacted, false},
		"the lease is gone":                     {rpctypes.ErrLeaseNotFound, false},
		"it is too large for etcd":              {rpctypes.ErrRequestTooLarge, false},
		"it is too large for gRPC":              {status.Error(codes.ResourceExhausted, "grpc: received message larger than max"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			got, err := ask(t.Context(), func(context.Context) (int, error) {
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

func TestWhatIsAskedOfNobodyEndsWithItsTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), tryTime/10)
	defer cancel()
	_, err := ask(ctx, func(ctx context.Context) (int, error) {
		return 0, status.Error(codes.Unavailable, "connection refused")
	})
	if ctx.Err() == nil || status.Code(errors.Unwrap(err)) != codes.Unavailable {
		t.Errorf("the time is over: %v; %v", ctx.Err(), err)
	}
}

// A log's head tells what became of a change of which etcd has not said it (see TestAWriteWhoseAnswerIsLostIsDoneOnce).
func TestTheHeadOfALogTellsWhatBecameOfAChange(t *testing.T) {
	t.Parallel()
	old, next := logHead{life: 1, revision: 10}, logHead{life: 2}
	for name, tt := range map[string]struct {
		old, now logHead
		done     bool
		sure     bool
	}{
		"it is as it was written":                    {old, logHead{life: 2, revision: 11}, true, true},
		"an append came behind it":                   {old, logHead{life: 2, revision: 12}, true, true},
		"an append came before it":                   {old, logHead{life: 1, revision: 11}, false, true},
		"another change came":                        {old, logHead{life: 3, revision: 12}, false, false},
		"the log was deleted":                        {old, logHead{}, false, false},
		"there was none, and another one made it":    {logHead{}, logHead{life: 3, revision: 12}, false, false},
		"there was none, and it is as was written":   {logHead{}, logHead{life: 2, revision: 12}, true, true},
		"there was none, and an append of life 0":    {logHead{}, logHead{life: 0, revision: 12}, false, false},
		"the life is 0 by chance, and it is deleted": {logHead{revision: 10}, logHead{}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if done, err := tt.old.became(next, tt.now); done != tt.done || (err == nil) != tt.sure {
				t.Errorf("done is %t, %v", done, err)
			}
		})
	}
}

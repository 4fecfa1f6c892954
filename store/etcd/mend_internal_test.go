package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Style: a message says what, where and the mend.
func TestTheMendOfAnErrorFitsItsCause(t *testing.T) {
	t.Parallel()
	for says, err := range map[string]error{
		"compact and defragment etcd, or raise its quota, and disarm the alarm": rpctypes.ErrNoSpace,
		"see that the name of the host is right":                                unreached{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "etcd1", IsNotFound: true}}},
		"see that most members of etcd run":                                     context.DeadlineExceeded,
		"let the user read and write the prefix":                                unreached{errors.New("another"), rpctypes.ErrPermissionDenied},
		"see that it is etcd that listens there":                                status.Error(codes.Unimplemented, "unexpected HTTP status code"),
		"see that etcd runs there and lets this user in":                        errors.New("whatever else"),
	} {
		if got := mend(fmt.Errorf("a: %w", err), false); !strings.HasPrefix(got, says) {
			t.Errorf("%v: %s, want %s", err, got, says)
		}
	}
}

package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/understudy-sandbox/understudy/store"
)

// Bounds of a request to etcd, and of a try to have one member answer it.
const (
	callTime   = 5 * time.Second // an election takes about a second
	tryTime    = time.Second
	shortTries = 3 // the next try has all that is left of callTime
)

// ask calls once, and again while its error is one of again, for callTime. All requests go to one member until it fails;
// then they go to the next. The client's own round robin would go on asking a member that hangs: gRPC finds that out only
// after ten seconds.
func ask[T any](ctx context.Context, s *Store, again func(error) bool, once func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for tries := 1; ; tries++ {
		member, members := s.member.Load(), int64(len(s.target.endpoints))
		try, end := ctx, context.CancelFunc(func() {})
		if members > 1 && tries <= shortTries {
			try, end = context.WithTimeout(ctx, tryTime)
		}
		answer, err := once(try)
		end()
		if err == nil {
			return answer, nil
		}
		if passing(err) && ctx.Err() == nil && members > 1 && s.member.CompareAndSwap(member, member+1) {
			s.client.SetEndpoints(s.target.endpoints[(member+1)%members])
		}
		if !again(err) {
			return answer, err
		}
		if pause(ctx, tries); ctx.Err() != nil {
			return answer, fmt.Errorf("after %d tries: %w", tries, err)
		}
	}
}

// passing reports whether the next try, or another member, may do better: etcd has not refused the request for good.
func passing(err error) bool {
	code := status.Code(err)
	if known, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = known.Code()
	}
	switch code {
	case codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.Aborted, codes.Internal, codes.Unavailable:
		return true
	}
	return errors.Is(err, rpctypes.ErrTooManyRequests) || errors.Is(err, rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner))
}

// failed names the store in an error of etcd's client, and says the mend where a user has to do something.
func (s *Store) failed(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace):
		return fmt.Errorf("store %s: %w: %s", s, err, mend(err))
	case errors.Is(err, rpctypes.ErrRequestTooLarge), errors.Is(err, rpctypes.ErrTooManyOps), status.Code(err) == codes.ResourceExhausted:
		return fmt.Errorf("%w: store %s: %w", store.ErrTooLarge, s, err)
	}
	return fmt.Errorf("store %s: %w", s, err)
}

// mends say what can be done about an error, by a text in it: the first that applies. What goes wrong before etcd answers
// is known by its text alone, as gRPC passes it on.
var mends = []struct{ text, mend string }{
	{"database space exceeded", "compact and defragment etcd, or raise its quota, and disarm the alarm (etcdctl compact, defrag, alarm disarm)"},
	{"authentication failed", "see that the user and the password are those that etcd has (UNDERSTUDY_ETCD_USER, UNDERSTUDY_ETCD_PASSWORD)"},
	{"user name is empty", "etcd lets in users only: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD"},
	{"permission denied", "let the user read and write the prefix and what is below it, or name another prefix"},
	{"x509: ", "set ca to a file with the authority of etcd's certificate, and name etcd by a host that the certificate has"},
	{"remote error: tls: ", "set cert and key to a certificate that etcd takes, and its key"},
	{"broken pipe", closes},
	{"connection reset", closes},
	{"server preface", closes},
	{"first record does not look like a TLS handshake", "if etcd has no TLS there, leave out tls, ca, cert and key"},
	{"no such host", "see that the name of the host is right, and is known here"},
	{"connection refused", "see that etcd runs there, and that the port is right"},
	{"unknown service", "see that it is etcd that listens there: another server answers"},
	{"unexpected HTTP status", "see that it is etcd that listens there: another server answers"},
	{"deadline exceeded", "see that most members of etcd run, and that the network leads to them"},
	{"", "see that etcd runs there and lets this user in, or name another store"},
}

// closes is the mend where the other side closes the connection: without an alert, or with one that a reset overtook.
const closes = "see that etcd listens there for clients; if it has TLS, set tls=true, or ca; if it takes clients with certificates only, set cert and key to a certificate that etcd takes, and its key"

// mend returns what can be done about an error.
func mend(err error) string {
	return mends[slices.IndexFunc(mends, func(m struct{ text, mend string }) bool { return strings.Contains(err.Error(), m.text) })].mend
}

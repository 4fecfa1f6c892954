package etcd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/understudy-sandbox/understudy/store"
)

// wrap adds the store's name to an error of etcd's client, and advice where a user has to act.
func (s *etcdStore) wrap(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace):
		return fmt.Errorf("store %s: %w (%w): %s", s, err, syscall.ENOSPC, adviceFor(err))
	case errors.Is(err, rpctypes.ErrPermissionDenied), errors.Is(err, rpctypes.ErrAuthFailed):
		return fmt.Errorf("store %s: %w: %s", s, err, adviceFor(err))
	case errors.Is(err, rpctypes.ErrRequestTooLarge), errors.Is(err, rpctypes.ErrTooManyOps), status.Code(err) == codes.ResourceExhausted:
		return fmt.Errorf("%w: store %s: %w", store.ErrTooLarge, s, err)
	}
	return fmt.Errorf("store %s: %w", s, err)
}

// unusable returns the error of Open for a cluster that refuses the client or does not answer.
func (t target) unusable(err error) error {
	text := status.Convert(err).Message()
	if _, cause, ok := strings.Cut(text, `desc = "`); ok { // gRPC wraps the cause
		text = strings.TrimPrefix(strings.TrimSuffix(cause, `"`), "transport: Error while dialing: ")
		text = strings.TrimPrefix(text, "transport: ")
	}
	return fmt.Errorf("store %s cannot be used: %s: %s", t, text, adviceFor(err))
}

// advice says what a user can do about an error, by a text in it; the first match applies. Errors of the connection have only
// a text, as gRPC passes it on.
var advice = []struct{ text, advice string }{
	{"database space exceeded", "compact and defragment etcd, or raise its quota, and disarm the alarm (etcdctl compact, defrag, alarm disarm)"},
	{"authentication failed", "check the user and the password (UNDERSTUDY_ETCD_USER, UNDERSTUDY_ETCD_PASSWORD)"},
	{"user name is empty", "etcd requires a user: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD"},
	{"permission denied", "let the user read and write all keys below the prefix, or use another prefix"},
	{"x509: ", "set ca to a file with the authority of etcd's certificate, and use a host name of that certificate"},
	{"remote error: tls: ", "set cert and key to a certificate that etcd accepts, and its key"},
	{"broken pipe", closed},
	{"connection reset", closed},
	{"server preface", closed},
	{"first record does not look like a TLS handshake", "if etcd has no TLS there, omit tls, ca, cert and key"},
	{"no such host", "check the name of the host"},
	{"connection refused", "check that etcd runs there, and the port"},
	{"unknown service", "another server listens there: check the host and the port"},
	{"unexpected HTTP status", "another server listens there: check the host and the port"},
	{"deadline exceeded", "check that most members of etcd run and can be reached"},
	{"", "check that etcd runs there and accepts this user, or use another store"},
}

// closed is the advice for a connection that the other side closes: without a TLS alert, or with one lost to a reset.
const closed = "check that etcd listens there for clients; if it has TLS, set tls=true, or ca; if it requires client certificates, set cert and key to a certificate that etcd accepts, and its key"

func adviceFor(err error) string {
	return advice[slices.IndexFunc(advice, func(a struct{ text, advice string }) bool { return strings.Contains(err.Error(), a.text) })].advice
}

package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// mends say what can be done about an error, where there is something to be said: the first that applies.
var mends = []struct {
	applies func(err error, secured bool) bool
	say     string
}{
	{is(rpctypes.ErrNoSpace), "compact and defragment etcd, or raise its quota, and disarm the alarm (etcdctl compact, defrag, alarm disarm)"},
	{is(rpctypes.ErrAuthFailed, rpctypes.ErrInvalidAuthToken), "see that the user and the password are those that etcd has (UNDERSTUDY_ETCD_USER, UNDERSTUDY_ETCD_PASSWORD)"},
	{is(rpctypes.ErrUserEmpty), "etcd lets in users only: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD"},
	{is(rpctypes.ErrPermissionDenied), "let the user read and write the prefix and what is below it, or name another prefix"},
	{isA[*tls.CertificateVerificationError], "set ca to a file with the authority of etcd's certificate, and name etcd by a host that the certificate has"},
	{refusesCertificate, "set cert and key to a certificate that etcd takes, and its key"},
	{isA[tls.RecordHeaderError], "if etcd has no TLS there, leave out tls, ca, cert and key"},
	{isA[*net.DNSError], "see that the name of the host is right, and is known here"},
	{is(syscall.ECONNREFUSED), "see that etcd runs there, and that the port is right"},
	{func(err error, secured bool) bool { return !secured && is(errSilent)(err, secured) }, "see that etcd listens there for clients; if it has TLS, set tls=true, or ca"},
	{is(errSilent), "see that etcd listens there for clients, and has TLS"},
	{func(err error, _ bool) bool { return status.Code(err) == codes.Unimplemented }, "see that it is etcd that listens there: another server answers"},
	{is(context.DeadlineExceeded), "see that most members of etcd run, and that the network leads to them"},
}

// mend returns what can be done about an error.
func mend(err error, secured bool) string {
	for _, m := range mends {
		if m.applies(err, secured) {
			return m.say
		}
	}
	return "see that etcd runs there and lets this user in, or name another store"
}

// is applies to an error that is one of some.
func is(causes ...error) func(error, bool) bool {
	return func(err error, _ bool) bool {
		for _, cause := range causes {
			if errors.Is(err, cause) {
				return true
			}
		}
		return false
	}
}

// isA applies to an error of a type.
func isA[E error](err error, _ bool) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// refusesCertificate applies to what the other side says when it does not take the client's certificate, or its lack.
func refusesCertificate(err error, _ bool) bool {
	remote, ok := errors.AsType[*net.OpError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	return alert || ok && remote.Op == "remote error"
}

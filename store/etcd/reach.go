package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// hello begins a connection of HTTP/2, which etcd speaks: the preface, and settings without any. The other side answers with
// its own (RFC 9113 3.4).
const hello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00" + string(frameSettings) + "\x00\x00\x00\x00\x00"

const (
	frameHeader   = 9
	frameSettings = '\x04'
)

// errSilent is what is wrong with a server that is connected to and does not say what etcd would.
var errSilent = errors.New("it does not answer as etcd does")

// reach returns as soon as one endpoint answers, and an error once none does: etcd's client tries until its time is up, and
// does not tell why.
func reach(ctx context.Context, endpoints []string, secured *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answers := make(chan error, len(endpoints))
	for _, endpoint := range endpoints {
		go func() {
			err := greet(ctx, endpoint, secured)
			if err != nil {
				err = fmt.Errorf("%s: %w", endpoint, err)
			}
			answers <- err
		}()
	}
	var wrong []error
	for range endpoints {
		err := <-answers
		if err == nil {
			return nil
		}
		wrong = append(wrong, err)
	}
	return unreached(wrong)
}

// unreached is why no endpoint answers.
type unreached []error

func (u unreached) Error() string {
	var text string
	for i, err := range u {
		if i > 0 {
			text += "; "
		}
		text += err.Error()
	}
	return text
}

func (u unreached) Unwrap() []error { return u }

// greet connects to a server, as etcd's client would, until it says the first word.
func greet(ctx context.Context, endpoint string, secured *tls.Config) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	if secured != nil {
		if conn, err = handshake(ctx, conn, endpoint, secured); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(conn, hello); err != nil {
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	var header [frameHeader]byte
	_, err = io.ReadFull(conn, header[:])
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errSilent, ctx.Err())
	case err != nil:
		return fmt.Errorf("%w: %w", errSilent, err)
	case header[3] != frameSettings:
		return errSilent
	}
	return nil
}

// handshake begins TLS. That a certificate is wanted a server may say only once it is over.
func handshake(ctx context.Context, conn net.Conn, endpoint string, secured *tls.Config) (net.Conn, error) {
	secured = secured.Clone()
	secured.NextProtos = []string{"h2"}
	secured.ServerName, _, _ = net.SplitHostPort(endpoint)
	over := tls.Client(conn, secured)
	if err := over.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return over, nil
}

package surface

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// A dribbled body is sent in this many parts, with a pause before each.
const (
	dribbleParts = 10
	dribblePause = 500 * time.Millisecond
)

// unparsable is a malformed answer: no client accepts it as HTTP.
const unparsable = "\x15\x03\x01 this is not an HTTP response\r\n\r\n"

// breakOff closes the connection without an answer, with or without a reset. In HTTP/2 it resets the request's stream only.
func (x *exchange) breakOff(fault scenarios.Fault) {
	conn := x.takeConnection()
	if fault == scenarios.ConnectionReset {
		if tcp, ok := socket(conn).(*net.TCPConn); ok {
			tcp.SetLinger(0) // closing it then sends a reset
			conn = tcp
		}
	}
	conn.Close()
}

// sendDamaged sends an answer damaged by a fault. The headers are set already.
func (x *exchange) sendDamaged(fault scenarios.Fault, status int, body []byte) {
	switch fault {
	case scenarios.Truncated:
		x.sendPart(status, body[:len(body)/2])
		panic(http.ErrAbortHandler)
	case scenarios.Malformed:
		conn := x.takeConnection()
		io.WriteString(conn, unparsable)
		conn.Close()
	case scenarios.Dribble:
		x.dribble(status, body)
	}
}

// sendPart sends the headers of a whole body, and only a part of the body.
func (x *exchange) sendPart(status int, part []byte) {
	x.drain()
	x.writer.WriteHeader(status)
	x.writer.Write(part)
	x.control().Flush()
}

// dribble sends a body in parts, with pauses.
func (x *exchange) dribble(status int, body []byte) {
	x.sendPart(status, nil)
	for part := range dribbleParts {
		if err := x.pause(dribblePause); err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		x.writer.Write(body[len(body)*part/dribbleParts : len(body)*(part+1)/dribbleParts])
		x.control().Flush()
	}
}

// takeConnection takes the connection over from the server, which leaves no writer. Where it cannot, as in HTTP/2, it aborts the
// request.
func (x *exchange) takeConnection() net.Conn {
	x.drain()
	conn, _, err := x.control().Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	x.writer = nil
	return conn
}

// drain reads the rest of the request: closing a connection with unread data sends a reset. A client that waits for 100
// Continue has sent nothing.
func (x *exchange) drain() {
	if x.request.Header.Get("Expect") == "" {
		io.CopyN(io.Discard, x.request.Body, api.MaxBody)
	}
}

// socket unwraps a connection, for example of TLS.
func socket(conn net.Conn) net.Conn {
	for {
		wrapped, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapped.NetConn()
	}
}

// pauseGrace is the write timeout after a pause. It replaces the server's own.
const pauseGrace = time.Minute

var errShutDown = errors.New("the emulator shuts down")

// pause waits for a span of real time. It fails when the client leaves. When the emulator shuts down, the pause ends early,
// without an error.
func (x *exchange) pause(span time.Duration) error {
	ctx, cancel := context.WithCancelCause(x.request.Context())
	defer cancel(nil)
	defer context.AfterFunc(x.Stopping, func() { cancel(errShutDown) })()
	x.control().SetWriteDeadline(time.Now().Add(span + pauseGrace)) // not every connection has a deadline
	err := x.Worlds.Config().Clock.Wait(ctx, span)
	if errors.Is(err, errShutDown) {
		return nil
	}
	return err
}

// control returns the controller of the connection.
func (x *exchange) control() *http.ResponseController { return http.NewResponseController(x.writer) }

package surface

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// A dribbled body comes in so many pieces, with a pause before each.
const (
	dribblePieces = 10
	dribblePause  = 500 * time.Millisecond
)

// unparsable is what a malformed answer consists of: no client takes it for HTTP.
const unparsable = "\x15\x03\x01 this is not an HTTP response\r\n\r\n"

// breakOff ends the connection without an answer: with a reset, or in order. Where a connection carries several requests
// at once, as in HTTP/2, this one's stream is reset.
func (x *exchange) breakOff(fault scenarios.Fault) {
	conn := x.takeConnection()
	if fault == scenarios.ConnectionReset {
		if tcp, ok := socket(conn).(*net.TCPConn); ok {
			tcp.SetLinger(0) // so that closing it sends a reset
			conn = tcp
		}
	}
	conn.Close()
}

// sendDamaged sends an answer as a fault leaves it. Headers are set.
func (x *exchange) sendDamaged(fault scenarios.Fault, status int, body []byte) {
	switch fault {
	case scenarios.Truncated:
		x.sendPart(status, body[:len(body)/2], len(body))
		panic(http.ErrAbortHandler)
	case scenarios.Malformed:
		conn := x.takeConnection()
		io.WriteString(conn, unparsable)
		conn.Close()
	case scenarios.Dribble:
		x.dribble(status, body)
	}
}

// sendPart sends the beginning of a body that is announced to be longer.
func (x *exchange) sendPart(status int, part []byte, length int) {
	x.drain()
	x.writer.Header().Set("Content-Type", "application/json")
	x.writer.Header().Set("Content-Length", strconv.Itoa(length))
	x.writer.WriteHeader(status)
	x.writer.Write(part)
	x.control().Flush()
}

func (x *exchange) dribble(status int, body []byte) {
	x.sendPart(status, nil, len(body))
	for piece := range dribblePieces {
		if err := x.pause(dribblePause); err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		x.writer.Write(body[len(body)*piece/dribblePieces : len(body)*(piece+1)/dribblePieces])
		x.control().Flush()
	}
}

// takeConnection takes the connection from the server. Where that cannot be, it ends the request as broken off.
func (x *exchange) takeConnection() net.Conn {
	x.drain()
	conn, _, err := x.control().Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

// drain reads what is left of the request: what lies unread when a connection is closed makes a reset of it.
func (x *exchange) drain() { io.CopyN(io.Discard, x.request.Body, api.MaxBody) }

// socket returns what is below all that wraps a connection, as TLS does.
func socket(conn net.Conn) net.Conn {
	for {
		wrapped, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapped.NetConn()
	}
}

// pauseGrace is how long an answer may take after a pause, whatever the server's own limit.
const pauseGrace = time.Minute

var errStopping = errors.New("the emulator is to stop")

// pause lets real time pass on the way to an answer. Its error is why the client no longer waits for it; that the
// emulator is to stop ends the pause only.
func (x *exchange) pause(span time.Duration) error {
	ctx, cancel := context.WithCancelCause(x.request.Context())
	defer cancel(nil)
	defer context.AfterFunc(x.Stopping, func() { cancel(errStopping) })()
	x.control().SetWriteDeadline(time.Now().Add(span + pauseGrace)) // where there is none to set, none is in the way
	err := x.Worlds.Config().Clock.Wait(ctx, span)
	if errors.Is(err, errStopping) {
		return nil
	}
	return err
}

// control reaches through to the connection.
func (x *exchange) control() *http.ResponseController { return http.NewResponseController(x.writer) }

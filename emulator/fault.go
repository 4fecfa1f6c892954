package emulator

import (
	"io"
	"net"
	"net/http"
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
func (c *call) breakOff(fault scenarios.Fault) {
	conn := c.takeConnection()
	if fault == scenarios.ConnectionReset {
		if tcp, ok := socket(conn).(*net.TCPConn); ok {
			tcp.SetLinger(0) // so that closing it sends a reset
			conn = tcp
		}
	}
	conn.Close()
}

// sendDamaged sends an answer that is spoilt on its way. Headers are set.
func (c *call) sendDamaged(fault scenarios.Fault, status int, body []byte) {
	switch fault {
	case scenarios.Truncated:
		c.sendPart(status, body[:len(body)/2], len(body))
		panic(http.ErrAbortHandler)
	case scenarios.Malformed:
		conn := c.takeConnection()
		io.WriteString(conn, unparsable)
		conn.Close()
	case scenarios.Dribble:
		c.dribble(status, body)
	default:
		panic("emulator: no answer is damaged by " + string(fault))
	}
}

// sendPart sends the beginning of a body that is announced to be longer.
func (c *call) sendPart(status int, part []byte, length int) {
	c.drain()
	api.WriteHeader(c.writer, status, length)
	c.writer.Write(part)
	c.control().Flush()
}

func (c *call) dribble(status int, body []byte) {
	c.sendPart(status, nil, len(body))
	for piece := range dribblePieces {
		if err := c.pause(dribblePause); err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		c.writer.Write(body[len(body)*piece/dribblePieces : len(body)*(piece+1)/dribblePieces])
		c.control().Flush()
	}
}

// takeConnection takes the connection from the server. Where that cannot be, it ends the request as broken off.
func (c *call) takeConnection() net.Conn {
	c.drain()
	conn, _, err := c.control().Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

// drain reads what is left of the request: what lies unread when a connection is closed makes a reset of it.
func (c *call) drain() { io.CopyN(io.Discard, c.request.Body, api.MaxBody) }

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

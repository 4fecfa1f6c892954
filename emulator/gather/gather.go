// Package gather has an answer leave in one write. net/http sends one that is longer than its buffer of 4 KiB in two: of
// what it costs to read a verification request that is a fifth, and its client reads twice.
package gather

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// A body of up to most bytes is gathered; of a longer one, one write more is a small part. One of up to least leaves
// net/http's buffer in one write as it is.
const (
	least = 2 << 10
	most  = 64 << 10
)

// Listener returns a listener of the same connections, which can gather. TLS must be above it: what TLS writes is not the
// handler's alone.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// Context has a server's requests know their connection: it is an [http.Server]'s ConnContext.
func Context(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

type connKey struct{}

// Write writes the whole body of a request's answer, whose headers are written: what is called last for it. Where the
// connection cannot gather it writes as net/http does.
func Write(w http.ResponseWriter, r *http.Request, body []byte) {
	c, ok := r.Context().Value(connKey{}).(*conn)
	if !ok || len(body) <= least || len(body) > most {
		w.Write(body) // fails only when the client has gone
		return
	}
	c.hold()
	defer c.release()
	w.Write(body)
	http.NewResponseController(w).Flush()
}

// conn is a connection that can hold what is written to it. It is held by the goroutine that writes to it, and by no other.
type conn struct {
	net.Conn
	held *[]byte // nil: nothing is held back
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (c *conn) hold() { c.held = buffers.Get().(*[]byte) }

// release writes what was held. Where that fails, nothing may follow what the client has of it.
func (c *conn) release() {
	held := c.held
	c.held = nil
	if _, err := c.Conn.Write(*held); err != nil {
		c.Conn.Close()
	}
	*held = (*held)[:0]
	buffers.Put(held)
}

func (c *conn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.Conn.Write(p)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

// NetConn returns the connection below.
func (c *conn) NetConn() net.Conn { return c.Conn }

// CloseWrite tells the client that nothing follows. net/http does so before it closes a connection on which more may come
// than it reads: the system then throws away what the client has not yet read.
func (c *conn) CloseWrite() error {
	if below, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return below.CloseWrite()
	}
	return nil
}

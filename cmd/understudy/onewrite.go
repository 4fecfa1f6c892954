package main

import (
	"context"
	"net"
	"net/http"
)

// bufferSize is the size of net/http's buffer. net/http sends a longer answer in two writes, the full buffer and the rest,
// which for a read of a verification request cost a quarter more CPU than one. Here the full buffer waits for the rest.
const bufferSize = 4096

// conn is a connection that holds a full buffer back. Only the goroutine that serves its requests writes to it.
type conn struct {
	net.Conn
	header http.Header // of the answer under way; nil: none
	held   []byte
}

// Write holds p when it is a full buffer of an answer whose length is known, or else writes it behind what is held.
func (c *conn) Write(p []byte) (int, error) {
	if len(c.held) == 0 {
		if len(p) != bufferSize || c.header["Content-Length"] == nil {
			return c.Conn.Write(p)
		}
		c.held = append(c.held, p...)
		return len(p), nil
	}
	held := int64(len(c.held))
	both := net.Buffers{c.held, p}
	written, err := both.WriteTo(c.Conn)
	c.held = c.held[:0]
	return int(max(written-held, 0)), err
}

// NetConn returns the connection below, as a [tls.Conn] does.
func (c *conn) NetConn() net.Conn { return c.Conn }

// CloseWrite tells the client that nothing follows. net/http calls it before it closes a connection with unread input, for
// which the system would throw away what the client has not yet read.
func (c *conn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

// oneWriteListener is a TCP listener whose connections can hold a buffer back. TLS must be above it.
type oneWriteListener struct{ net.Listener }

func (l oneWriteListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted}, nil
}

type connKey struct{}

// withConn is an [http.Server]'s ConnContext, for oneWrite to find the connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// oneWrite returns a handler whose answers leave in one write, on the connections of a oneWriteListener.
func oneWrite(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok {
			handler.ServeHTTP(w, r)
			return
		}
		c.header = w.Header()
		defer func() {
			if len(c.held) > 0 {
				http.NewResponseController(w).Flush()
			}
			c.header = nil
			if len(c.held) > 0 { // there was no rest
				if _, err := c.Write(nil); err != nil {
					c.Close() // nothing may follow a part of an answer
				}
			}
		}()
		handler.ServeHTTP(w, r)
	})
}

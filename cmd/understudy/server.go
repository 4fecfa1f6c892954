package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// grace is the time that requests under way get to finish after the signal to stop.
const grace = 10 * time.Second

// newServer returns a server for HTTP/1.1 only: over HTTP/2 a connection fault would end a stream, not the connection.
func newServer(handler http.Handler, settings settings) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      settings.drain.handler(closeAmbiguous(oneWrite(handler))),
		Protocols:                    protocols,
		TLSConfig:                    settings.tls.Clone(), // each server adds to its own
		DisableGeneralOptionsHandler: true,                 // OPTIONS * is 404, like every unknown path
		ReadHeaderTimeout:            10 * time.Second,
		ReadTimeout:                  30 * time.Second,
		WriteTimeout:                 time.Minute, // from the end of the header to the end of the answer
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               64 << 10,
		ConnContext:                  withConn,
		ErrorLog:                     slog.NewLogLogger(settings.log.Handler(), slog.LevelWarn),
	}
}

// closeAmbiguous closes the connection after a request that may have had both Transfer-Encoding and Content-Length, because a
// proxy before this server may see another end of it (RFC 9112, 6.1). net/http removes the one that it ignores: with chunks
// the length, and in HTTP/1.0 the encoding. So every request with chunks and every one of HTTP/1.0 with a body counts.
func closeAmbiguous(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TransferEncoding != nil || r.ContentLength != 0 && !r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}

// serveUntil serves on a listener until ctx ends. Then it waits for the requests under way, at most for grace, and not at all
// when the process that held the input has ended.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener, grace time.Duration) error {
	ended := make(chan error, 1)
	go func() {
		if server.TLSConfig == nil {
			ended <- server.Serve(oneWriteListener{listener})
		} else {
			ended <- server.ServeTLS(listener, "", "") // the configuration has the certificates
		}
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	abandoned := errors.Is(context.Cause(ctx), errInputClosed)
	if abandoned {
		grace = 0
	}
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(finishing); err != nil && abandoned {
		return server.Close()
	} else if err != nil {
		return errors.Join(fmt.Errorf("requests were still under way %s after the signal: %w", grace, err), server.Close())
	}
	return nil
}

// bufferSize is the size of net/http's write buffer. net/http sends a longer answer in two writes: the full buffer and the rest.
// Two writes cost a quarter more CPU than one for a read of a verification request. So the full buffer waits for the rest.
const bufferSize = 4096

// conn is a connection that delays a full buffer. Only the goroutine that serves its requests writes to it.
type conn struct {
	net.Conn
	header http.Header // of the current answer; nil: none
	held   []byte
}

// Write holds p if it is a full buffer of an answer with a known length. Else it writes the held bytes and p.
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

// NetConn returns the underlying connection, as [tls.Conn.NetConn] does.
func (c *conn) NetConn() net.Conn { return c.Conn }

// CloseWrite ends the output. net/http calls it before it closes a connection with unread input, because the system would
// otherwise discard bytes that the client has not read yet.
func (c *conn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

// oneWriteListener is a TCP listener whose connections can delay a buffer. It does not support TLS.
type oneWriteListener struct{ net.Listener }

func (l oneWriteListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted}, nil
}

type connKey struct{}

// withConn is the ConnContext of an [http.Server]. It lets oneWrite find the connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// oneWrite returns a handler that sends each answer in one write on the connections of a oneWriteListener.
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
			if len(c.held) > 0 { // nothing followed the full buffer
				if _, err := c.Write(nil); err != nil {
					c.Close() // the answer is incomplete
				}
			}
		}()
		handler.ServeHTTP(w, r)
	})
}

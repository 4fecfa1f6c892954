package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// stillness is how long a body or an answer may not move once the server stops, and how long the server waits for the body of
// a request that it has answered.
const stillness = time.Second

// newServer returns a server for HTTP/1.1 only: over HTTP/2 a connection fault would end a stream, not the connection.
func newServer(handler http.Handler, settings Settings) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      settings.drain.handler(closeAmbiguous(limitBody(oneWrite(handler)))),
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
func serveUntil(ctx context.Context, server *http.Server, inner net.Listener, grace time.Duration) error {
	listener, ended := &listener{Listener: inner, open: make(map[*conn]struct{})}, make(chan error, 1)
	server.ConnState = listener.track
	server.RegisterOnShutdown(listener.stop)
	go func() {
		if server.TLSConfig == nil {
			ended <- server.Serve(listener)
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
	err := server.Shutdown(finishing)
	if err == nil {
		return nil
	}
	if err = server.Close(); !abandoned {
		err = errors.Join(fmt.Errorf("requests were still under way %s after the signal, and got no answer", grace), err)
	}
	return err
}

// listener is a TCP listener whose connections do not delay the end of its server.
type listener struct {
	net.Listener
	mu       sync.Mutex
	open     map[*conn]struct{}
	stopping atomic.Bool
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted, listener: l}, nil
}

// track is the ConnState of a server.
func (l *listener) track(of net.Conn, state http.ConnState) {
	c := below(of)
	switch state {
	case http.StateNew:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open[c] = struct{}{}
		if l.stopping.Load() {
			c.Close()
		}
	case http.StateActive: // it has sent the header of a request
		c.asked.Store(true)
	case http.StateClosed, http.StateHijacked:
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, c)
	}
}

// stop closes the connections that have sent no request, for which net/http would wait, and lets no other stand still. The
// server itself closes those between two requests.
func (l *listener) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping.Store(true)
	for c := range l.open {
		if !c.asked.Load() {
			c.Close()
			continue
		}
		c.SetWriteDeadline(time.Now()) // a write that waits begins again
		if c.reading.Load() {
			c.SetReadDeadline(time.Now().Add(stillness))
		}
	}
}

// body is the body of a request.
type body struct {
	io.ReadCloser
	conn  *conn
	ended bool // or has failed
}

// Read reads from a body that moves: when the server stops, it waits no longer than for stillness.
func (b *body) Read(p []byte) (n int, err error) {
	b.conn.reading.Store(true)
	defer b.conn.reading.Store(false)
	if b.conn.listener.stopping.Load() {
		b.conn.SetReadDeadline(time.Now().Add(stillness))
	}
	n, err = b.ReadCloser.Read(p)
	b.ended = err != nil
	return n, err
}

// limitBody returns a handler whose requests' bodies do not delay the end of the server, and do not keep a connection that
// has been answered. It does not change a request, because net/http looks at its body.
func limitBody(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok || r.ContentLength == 0 {
			handler.ServeHTTP(w, r)
			return
		}
		sent, limited := &body{ReadCloser: r.Body, conn: c}, *r
		limited.Body = sent
		handler.ServeHTTP(w, &limited)
		if !sent.ended {
			c.SetReadDeadline(time.Now().Add(stillness)) // net/http reads the rest, up to 256 KiB
		}
	})
}

// bufferSize is the size of net/http's write buffer. net/http sends a longer answer in two writes: the full buffer and the rest.
// Two writes cost a quarter more CPU than one for a read of a verification request. So the full buffer waits for the rest.
const bufferSize = 4096

// conn is a connection that delays a full buffer. Only the goroutine that serves its requests writes to it.
type conn struct {
	net.Conn
	listener *listener
	asked    atomic.Bool // it has sent the header of a request
	reading  atomic.Bool // the server waits for a body

	header http.Header // of the current answer; nil: none
	held   []byte
}

// Write holds p if it is a full buffer of an answer with a known length. Else it writes the held bytes and p.
func (c *conn) Write(p []byte) (int, error) {
	if len(c.held) == 0 && len(p) == bufferSize && c.header["Content-Length"] != nil {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	held := len(c.held)
	written, err := c.send(net.Buffers{c.held, p})
	c.held = c.held[:0]
	return max(written-held, 0), err
}

// send writes to the end. When the server stops, it fails once the client has read nothing for stillness.
func (c *conn) send(parts net.Buffers) (written int, err error) {
	for {
		stopping := c.listener.stopping.Load()
		if stopping {
			c.SetWriteDeadline(time.Now().Add(stillness / 2)) // twice, when something moves at first
		}
		n, err := parts.WriteTo(c.Conn)
		written += int(n)
		if moved := n > 0 || !stopping; !moved || !c.listener.stopping.Load() || !errors.Is(err, os.ErrDeadlineExceeded) {
			return written, err
		}
	}
}

// NetConn returns the underlying connection, as [tls.Conn.NetConn] does.
func (c *conn) NetConn() net.Conn { return c.Conn }

// CloseWrite ends the output. net/http calls it before it closes a connection with unread input, because the system would
// otherwise discard bytes that the client has not read yet.
func (c *conn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

type connKey struct{}

// withConn is the ConnContext of an [http.Server]. It lets handlers find the connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, below(c))
}

// below returns the connection of a listener, which may be below TLS.
func below(c net.Conn) *conn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(*conn)
}

// oneWrite returns a handler that sends each answer in one write, but for TLS.
func oneWrite(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok || r.TLS != nil {
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// impatient serves an emulator as serve does, with limits of time that a test can see pass.
func impatient(t *testing.T, shorten func(*http.Server)) server {
	t.Helper()
	e, err := emulator.New()
	noError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	limited := newServer(e, settings{log: slog.New(slog.DiscardHandler)})
	shorten(limited)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(ctx, limited, listener) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, e.Close()); err != nil {
			t.Error(err)
		}
	})
	return server{url: "http://" + listener.Addr().String()}
}

// soon is what is left of each limit: long enough for whoever does not dawdle, on a busy machine too.
const soon = 2 * time.Second

// The limits that serve has: none is off.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	s := newServer(http.NotFoundHandler(), settings{log: slog.New(slog.DiscardHandler)})
	for name, limit := range map[string]struct{ is, most time.Duration }{
		"headers": {s.ReadHeaderTimeout, 10 * time.Second}, "a request": {s.ReadTimeout, 30 * time.Second},
		"taking the answer": {s.WriteTimeout, time.Minute}, "the next request": {s.IdleTimeout, 2 * time.Minute},
	} {
		if limit.is <= 0 || limit.is > limit.most {
			t.Errorf("it waits for %s %s", name, limit.is)
		}
	}
	if s.MaxHeaderBytes != 64<<10 {
		t.Errorf("it takes headers of %d bytes", s.MaxHeaderBytes)
	}
}

// drip sends a byte of a text whenever a moment has passed, and returns what the server said when it ended the connection.
func drip(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	const moment = soon / 40
	patience := time.Now().Add(attackPatience)
	var said strings.Builder
	answer := make([]byte, 4096)
	for i := 0; time.Now().Before(patience); i++ {
		_ = conn.SetReadDeadline(time.Now().Add(moment)) // it is not closed here
		n, err := conn.Read(answer)
		said.Write(answer[:n])
		if timeout := net.Error(nil); err != nil && !(errors.As(err, &timeout) && timeout.Timeout()) {
			return said.String()
		}
		if i < len(text) {
			_, _ = io.WriteString(conn, text[i:i+1]) // when it has been closed, the next read tells
		}
	}
	t.Error("the server waits on")
	return said.String()
}

// Each attacker holds a connection for as long as the limit is, and no more; others are served all the while.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	const attackers = 32
	endless := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		shorten func(*http.Server)
		text    string // sent at once
		drip    string // sent by the byte
		says    string
	}{
		"nothing at all":            {func(s *http.Server) { s.ReadHeaderTimeout = soon }, "", "", ""},
		"slow headers":              {func(s *http.Server) { s.ReadHeaderTimeout = soon }, getHead, "X: " + endless, ""},
		"a slow request line":       {func(s *http.Server) { s.ReadHeaderTimeout = soon }, "", "GET /" + endless, ""},
		"a slow body":               {func(s *http.Server) { s.ReadTimeout = soon }, putHead + "Content-Length: 1000000\r\n\r\n{", endless, " 400 "},
		"slow chunks":               {func(s *http.Server) { s.ReadTimeout = soon }, putHead + "Transfer-Encoding: chunked\r\n\r\n", strings.Repeat("1\r\n{\r\n", 1000), " 400 "},
		"a body that nobody wants":  {func(s *http.Server) { s.ReadTimeout = soon }, strings.Replace(putHead, "svc_sk_test_a", "none", 1) + "Content-Length: 1000\r\n\r\n", endless, " 401 "},
		"no request after another":  {func(s *http.Server) { s.IdleTimeout = soon }, getHead + "\r\n", "", " 403 "},
		"a slow request on the way": {func(s *http.Server) { s.ReadHeaderTimeout = soon }, getHead + "\r\nGET /", endless, " 403 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := impatient(t, tt.shorten)
			var running sync.WaitGroup
			for range attackers {
				conn := dial(t, s.url)
				_, _ = io.WriteString(conn, tt.text) // when it has been closed, the next read tells
				running.Go(func() {
					if said := drip(t, conn, tt.drip); !strings.Contains(said, tt.says) {
						t.Errorf("it said %q, not %q", said, tt.says)
					}
				})
			}
			s.wantServing(t)
			running.Wait()
			s.wantServing(t)
		})
	}
}

// A client that asks and asks, and takes no answer: what it is sent fills the line, and then the limit counts.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	limited := impatient(t, func(s *http.Server) { s.WriteTimeout = soon })
	conn := dial(t, limited.url)
	request := "GET /verification-requests/vr_large HTTP/1.1\r\n" + head + "\r\n"
	for {
		if _, err := io.WriteString(conn, request); err != nil {
			if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
				t.Fatal("the server waits on")
			}
			break // the server has ended it
		}
	}
	limited.wantServing(t)
}

// Understudy waits for a body that is on its way; it does not wait for one that is said to be immense.
func TestAnnouncedBodySize(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for range 32 {
		fmt.Fprintf(dial(t, s.url), "%sContent-Length: %d\r\n\r\n{", putHead, 1<<62)
	}
	s.wantServing(t)
}

package serve

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

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator"
)

// impatient serves an emulator as serve does, with timeouts that shorten makes short.
func impatient(t *testing.T, shorten func(*http.Server)) commandtest.Server {
	t.Helper()
	e, err := emulator.New()
	commandtest.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	commandtest.NoError(t, err)
	limited := newServer(e, Settings{log: slog.New(slog.DiscardHandler)})
	shorten(limited)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(ctx, limited, listener, time.Minute) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, e.Close()); err != nil {
			t.Error(err)
		}
	})
	return commandtest.Server{URL: "http://" + listener.Addr().String()}
}

// soon is a short timeout, long enough for a client that does not wait, also on a busy machine.
const soon = 2 * time.Second

// serve has all timeouts of net/http.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	s := newServer(http.NotFoundHandler(), Settings{log: slog.New(slog.DiscardHandler)})
	for name, limit := range map[string]struct{ is, most time.Duration }{
		"headers": {s.ReadHeaderTimeout, 10 * time.Second}, "a request": {s.ReadTimeout, 30 * time.Second},
		"taking the answer": {s.WriteTimeout, time.Minute}, "the next request": {s.IdleTimeout, 2 * time.Minute},
	} {
		if limit.is <= 0 || limit.is > limit.most {
			t.Errorf("the timeout for %s is %s", name, limit.is)
		}
	}
	if s.MaxHeaderBytes != 64<<10 {
		t.Errorf("headers may have %d bytes", s.MaxHeaderBytes)
	}
}

// drip sends a text one byte at a time with pauses, and returns the answer when the server ends the connection.
func drip(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	const pause = soon / 40
	deadline := time.Now().Add(commandtest.AttackPatience)
	var answered strings.Builder
	answer := make([]byte, 4096)
	for i := 0; time.Now().Before(deadline); i++ {
		_ = conn.SetReadDeadline(time.Now().Add(pause)) // the connection is open
		n, err := conn.Read(answer)
		answered.Write(answer[:n])
		if timeout := net.Error(nil); err != nil && !(errors.As(err, &timeout) && timeout.Timeout()) {
			return answered.String()
		}
		if i < len(text) {
			_, _ = io.WriteString(conn, text[i:i+1]) // a closed connection fails the next read
		}
	}
	t.Error("the server does not end the connection")
	return answered.String()
}

// A slow client keeps its connection until the timeout. Others are served meanwhile.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	const attackers = 32
	endless := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		shorten func(*http.Server)
		text    string // sent at once
		drip    string // sent by the byte
		want    string
	}{
		"nothing at all":              {func(s *http.Server) { s.ReadHeaderTimeout = soon }, "", "", ""},
		"slow headers":                {func(s *http.Server) { s.ReadHeaderTimeout = soon }, getHead, "X: " + endless, ""},
		"a slow request line":         {func(s *http.Server) { s.ReadHeaderTimeout = soon }, "", "GET /" + endless, ""},
		"a slow body":                 {func(s *http.Server) { s.ReadTimeout = soon }, putHead + "Content-Length: 1000000\r\n\r\n{", endless, " 400 "},
		"slow chunks":                 {func(s *http.Server) { s.ReadTimeout = soon }, putHead + "Transfer-Encoding: chunked\r\n\r\n", strings.Repeat("1\r\n{\r\n", 1000), " 400 "},
		"a slow body after a refusal": {func(s *http.Server) { s.ReadTimeout = soon }, strings.Replace(putHead, "svc_sk_test_a", "none", 1) + "Content-Length: 1000\r\n\r\n", endless, " 401 "},
		"no second request":           {func(s *http.Server) { s.IdleTimeout = soon }, getHead + "\r\n", "", " 403 "},
		"a slow second request":       {func(s *http.Server) { s.ReadHeaderTimeout = soon }, getHead + "\r\nGET /", endless, " 403 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := impatient(t, tt.shorten)
			var running sync.WaitGroup
			for range attackers {
				conn := commandtest.Dial(t, s.URL)
				_, _ = io.WriteString(conn, tt.text) // a closed connection fails the next read
				running.Go(func() {
					if answer := drip(t, conn, tt.drip); !strings.Contains(answer, tt.want) {
						t.Errorf("the server answers %q, want %q", answer, tt.want)
					}
				})
			}
			s.WantServing(t)
			running.Wait()
			s.WantServing(t)
		})
	}
}

// A client sends requests and reads no answer. When the connection is full, the write timeout ends it.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	limited := impatient(t, func(s *http.Server) { s.WriteTimeout = soon })
	conn := commandtest.Dial(t, limited.URL)
	request := "GET /verification-requests/vr_large HTTP/1.1\r\n" + head + "\r\n"
	for {
		if _, err := io.WriteString(conn, request); err != nil {
			if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
				t.Fatal("the server does not end the connection")
			}
			break // the server has ended the connection
		}
	}
	limited.WantServing(t)
}

// A request with an immense Content-Length costs no memory and holds up no other request.
func TestAnnouncedBodySize(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for range 32 {
		fmt.Fprintf(commandtest.Dial(t, s.URL), "%sContent-Length: %d\r\n\r\n{", putHead, 1<<62)
	}
	s.WantServing(t)
}

//go:build unix

package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// ends are the signals that stop an emulator. Without CI=true all but the first find an idle connection alone.
var ends = []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}

// openConnections are what an emulator finds open when it stops. Each function opens one, and returns a check of what comes.
var openConnections = map[string]func(t *testing.T, url string) (check func()){
	"nothing is sent": func(t *testing.T, url string) func() {
		return wantClosed(t, commandtest.Dial(t, url), "")
	},
	"half a header": func(t *testing.T, url string) func() {
		return wantClosed(t, sent(t, url, "GET /half HTTP/1.1\r\nHost: x\r\n"), "")
	},
	"half a second header": func(t *testing.T, url string) func() {
		conn := commandtest.Dial(t, url)
		exchange(t, conn, getHead+"\r\n")
		_, err := io.WriteString(conn, "GET /half HTTP/1.1\r\nHost: x\r\n")
		commandtest.NoError(t, err)
		return wantClosed(t, conn, "")
	},
	"idle": func(t *testing.T, url string) func() {
		conn := commandtest.Dial(t, url)
		exchange(t, conn, getHead+"\r\n")
		return wantClosed(t, conn, "")
	},
	"half a body": func(t *testing.T, url string) func() {
		conn := sent(t, url, putHead+"Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
		readContinue(t, conn)
		_, err := io.WriteString(conn, "{")
		commandtest.NoError(t, err)
		return wantClosed(t, conn, "HTTP/1.1 400 ")
	},
	"a stream of events": func(t *testing.T, url string) func() {
		answer, err := http.DefaultClient.Do(commandtest.NewRequest(commandtest.Key, "GET", url+"/_understudy/v1/journal/stream", ""))
		commandtest.NoError(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return func() {
			if _, err := io.ReadAll(answer.Body); err != nil {
				t.Errorf("the stream does not end: %v", err)
			}
		}
	},
	"a delayed answer": func(t *testing.T, url string) func() {
		body := `{"cancellation_reason":"other"}`
		conn := sent(t, url, fmt.Sprintf("PUT /verification-requests/vr_slow/cancel HTTP/1.1\r\n%sExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", head, len(body)))
		readContinue(t, conn)
		_, err := io.WriteString(conn, body)
		commandtest.NoError(t, err)
		return wantClosed(t, conn, "HTTP/1.1 ")
	},
	"an answer that is not read": func(t *testing.T, url string) func() {
		large := "GET /verification-requests/vr_large HTTP/1.1\r\n" + head + "\r\n"
		sent(t, url, strings.Repeat(large, 100))
		answered := func() (line string) {
			_, metrics, err := commandtest.Send(http.DefaultClient, commandtest.NewRequest(commandtest.Key, "GET", url+"/_understudy/metrics", ""))
			commandtest.NoError(t, err)
			_, line, _ = strings.Cut(string(metrics), `operation="getVerificationRequest",status="200"} `)
			line, _, _ = strings.Cut(line, "\n")
			return line
		}
		for before, same := "", 0; same < 50; same++ { // until an answer waits for the client
			if now := answered(); now != before || now == "" {
				before, same = now, 0
			}
		}
		return func() {}
	},
	"no handshake": func(t *testing.T, url string) func() {
		return wantClosed(t, commandtest.Dial(t, strings.TrimPrefix(url, "https://")), "")
	},
	"half a handshake": func(t *testing.T, url string) func() {
		return wantClosed(t, sent(t, strings.TrimPrefix(url, "https://"), "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), "")
	},
}

// wantClosed wants an answer that begins so, "" for none, and the end of the connection.
func wantClosed(t *testing.T, conn net.Conn, answer string) func() {
	return func() {
		t.Helper()
		got, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(got), answer) || answer == "" && len(got) > 0 || answer != "" && err != nil {
			t.Errorf("%q, error %v, want %q", got, err, answer)
		}
	}
}

// stopWithin is the time in which an emulator stops, whatever is open. It needs a second for what does not move.
const stopWithin = 3 * time.Second

// A connection that waits for its client does not delay the end: what has no request is closed at once, what does not move
// after a second, and what is under way is answered.
func TestStopOpenConnections(t *testing.T) {
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // below nohup it is ignored, and serve would ignore it, too
	for name, open := range openConnections {
		for i, end := range ends {
			t.Run(name+"/"+end.String(), func(t *testing.T) {
				t.Parallel()
				if i > 0 && name != "idle" && !commandtest.Thorough() {
					t.Skip("the same by another signal: set CI=true")
				}
				args := commandtest.ServeArgs("--url-file", "-")
				if strings.HasSuffix(name, "handshake") {
					args = append(args, "--tls-auto")
				}
				c, stdout := commandtest.Self(t, commandtest.AsUnderstudy+"=1", args...), commandtest.NewStream()
				c.Stdout, c.SysProcAttr = stdout, &syscall.SysProcAttr{Setsid: true} // without a terminal
				stderr := commandtest.Begin(t, c)
				url := stdout.Find(t, `(http\S+)\n`)
				check := open(t, url)
				commandtest.NoError(t, c.Process.Signal(end))
				stopped := time.Now()
				wantEnd(t, c, stopWithin, stderr)
				t.Logf("stopped after %s", time.Since(stopped).Round(time.Millisecond))
				check()
			})
		}
	}
}

// A body and a reader that are slow, but move, are not cut. What moves until the time is over is cut, and the exit code is 1.
func TestStopMoves(t *testing.T) {
	t.Parallel()
	stopping := func(t *testing.T, grace time.Duration, handler http.HandlerFunc) (url string, stop func() error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		commandtest.NoError(t, err)
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		server := newServer(handler, Settings{log: slog.New(slog.DiscardHandler)})
		go func() { ended <- serveUntil(ctx, server, l, grace) }()
		return l.Addr().String(), func() error { end(); return <-ended }
	}
	t.Run("a slow body", func(t *testing.T) {
		t.Parallel()
		arrived := make(chan struct{})
		url, stop := stopping(t, time.Minute, func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			if n, err := io.Copy(io.Discard, r.Body); n != 5 || err != nil {
				t.Errorf("%d bytes arrive, error %v", n, err)
			}
		})
		conn := sent(t, url, putHead+"Content-Length: 5\r\n\r\n")
		<-arrived
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		for range 5 {
			<-time.After(stillness / 3)
			_, err := io.WriteString(conn, "x")
			commandtest.NoError(t, err)
		}
		wantClosed(t, conn, "HTTP/1.1 200 ")()
		commandtest.NoError(t, <-ended)
	})
	t.Run("a slow reader", func(t *testing.T) {
		t.Parallel()
		const size = 16 << 20
		url, stop := stopping(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = w.Write(make([]byte, size))
		})
		conn := sent(t, url, getHead+"\r\n")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		commandtest.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		for part := range 8 {
			<-time.After(stillness / 3)
			if n, err := io.CopyN(io.Discard, answer.Body, size/8); err != nil {
				t.Fatalf("%d bytes of part %d, error %v", n, part, err)
			}
		}
		commandtest.NoError(t, <-ended)
	})
	t.Run("a reader that stands still is cut, and the exit code is 0", func(t *testing.T) {
		t.Parallel()
		written := make(chan error, 1)
		url, stop := stopping(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(1<<30))
			_, err := io.CopyN(w, zeros{}, 1<<30)
			written <- err
		})
		conn := sent(t, url, getHead+"\r\n")
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		began := time.Now()
		commandtest.NoError(t, stop())
		if err, took := <-written, time.Since(began); err == nil || took > stopWithin {
			t.Errorf("stopped after %s, error %v", took, err)
		}
	})
	t.Run("beyond the time", func(t *testing.T) {
		t.Parallel()
		arrived := make(chan struct{})
		url, stop := stopping(t, time.Millisecond, func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done() // the server closes the connection
		})
		sent(t, url, getHead+"\r\n")
		<-arrived
		if err := stop(); err == nil || !strings.Contains(err.Error(), "requests were still under way 1ms after the signal") {
			t.Errorf("error %v", err)
		}
	})
}

// A request that was answered without its body does not keep its connection for it.
func TestAnsweredWithoutBody(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for name, expect := range map[string]string{"a body that never comes": "", "a client that waits for 100 Continue": "Expect: 100-continue\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			conn := sent(t, s.URL, strings.Replace(putHead, "svc_sk_test_a", "none", 1)+expect+"Content-Length: 1000\r\n\r\n")
			wantClosed(t, conn, "HTTP/1.1 401 ")()
			if took := time.Since(began); took > stopWithin {
				t.Errorf("closed after %s", took)
			}
		})
	}
}

// zeros is an input without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

package emulator_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
)

// pauses is a clock on which pauses take no time and are written down.
type pauses struct {
	mu    sync.Mutex
	spans []time.Duration
}

func (p *pauses) option() emulator.Option {
	clock := emulator.FrozenAt(epoch)
	clock.Pause = func(_ context.Context, span time.Duration) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.spans = append(p.spans, span)
		return nil
	}
	return emulator.WithClock(clock)
}

// sent sends a request on a connection of its own.
func sent(t *testing.T, url, method, path, body string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	noError(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, key, len(body), body)
	if body == "" {
		noError(t, err) // the connection may end before all of a body is sent
	}
	return conn
}

func TestFault_on_the_socket(t *testing.T) {
	t.Parallel()
	url := serve(t)
	asked := func(fault string) net.Conn { return sent(t, url, "GET", "/verification-requests/vr_fault_"+fault, "") }
	if n, err := asked("reset").Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reset: %d bytes, %v; want ECONNRESET", n, err)
	}
	if n, err := asked("empty").Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("empty: %d bytes, %v; want the end", n, err)
	}
	long := cancelOther + strings.Repeat(" ", 500_000) // far more than anybody has read when the connection is ended
	if n, err := sent(t, url, "PUT", "/verification-requests/vr_fault_empty/cancel", long).Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("empty, after a body: %d bytes, %v; want the end", n, err)
	}

	text, err := io.ReadAll(asked("truncated"))
	noError(t, err)
	head, body, _ := strings.Cut(string(text), "\r\n\r\n")
	_, length, _ := strings.Cut(head, "Content-Length: ")
	length, _, _ = strings.Cut(length, "\r\n")
	announced, err := strconv.Atoi(length)
	if err != nil || !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || len(body) == 0 || len(body) != announced/2 {
		t.Errorf("truncated: %d bytes of %q: %s", len(body), length, head)
	}

	text, err = io.ReadAll(asked("malformed"))
	if err != nil || len(text) == 0 {
		t.Fatalf("malformed: %d bytes, %v", len(text), err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil); err == nil {
		t.Errorf("an HTTP client takes %q", text)
	}
}

func TestFault_dribble_comes_whole_and_in_pieces(t *testing.T) {
	t.Parallel()
	paused, goOn := make(chan time.Duration), make(chan bool)
	clock := emulator.FrozenAt(epoch)
	clock.Pause = func(_ context.Context, span time.Duration) error {
		paused <- span
		<-goOn
		return nil
	}
	url := serve(t, emulator.WithClock(clock))
	type answer struct {
		response *http.Response
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		response, err := http.DefaultClient.Do(requestTo("GET", url+"/verification-requests/vr_fault_dribble", key, ""))
		answers <- answer{response, err}
	}()
	<-paused // the headers are on their way, and nothing of the body is
	a := <-answers
	noError(t, a.err)
	defer a.response.Body.Close()
	length := int(a.response.ContentLength)
	var body []byte
	for piece := 1; piece <= 10; piece++ {
		goOn <- true
		part := make([]byte, length*piece/10-len(body))
		if _, err := io.ReadFull(a.response.Body, part); err != nil {
			t.Fatalf("piece %d: %v", piece, err)
		}
		body = append(body, part...)
		if piece < 10 {
			if span := <-paused; span != 500*time.Millisecond {
				t.Errorf("a pause of %v", span)
			}
		}
	}
	if !strings.HasPrefix(string(body), `{"id":"vr_fault_dribble"`) || body[len(body)-1] != '}' {
		t.Errorf("the body is %.80s", body)
	}
}

func TestFault_over_TLS_and_HTTP2_ends_the_request(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(launch(t, (&pauses{}).option()))
			server.EnableHTTP2 = http2
			server.TLS = &tls.Config{}
			server.StartTLS()
			t.Cleanup(server.Close)
			for id, whole := range map[string]bool{
				"vr_completed": true, "vr_fault_reset": false, "vr_fault_empty": false, "vr_fault_truncated": false,
				"vr_fault_malformed": false, "vr_fault_dribble": true,
			} {
				response, err := server.Client().Do(requestTo("GET", server.URL+"/verification-requests/"+id, key, ""))
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
				if (err == nil) != whole {
					t.Errorf("%s: %v, whole %t", id, err, whole)
				}
			}
		})
	}
}

func TestDelay_holds_the_answer_back(t *testing.T) {
	t.Parallel()
	var p pauses
	playScript(t, start(t, p.option()), `
		GET /verification-requests/vr_slow → 200
		GET /verification-requests/vr_completed → 200`)
	if diff := cmp.Diff([]time.Duration{3 * time.Second}, p.spans); diff != "" {
		t.Error(diff)
	}
}

// waiting is a clock whose pauses last until their context ends.
func waiting(begun func(), ended func(cause error)) emulator.Option {
	return emulator.WithClock(emulator.Clock{Frozen: epoch, Pause: func(ctx context.Context, _ time.Duration) error {
		begun()
		<-ctx.Done()
		ended(context.Cause(ctx))
		return context.Cause(ctx)
	}})
}

func TestDelay_ends_when_the_server_stops(t *testing.T) {
	t.Parallel()
	e := launch(t, waiting(func() {}, func(error) {}))
	e.Hurry()
	if answer := direct(e, key, "GET", "/verification-requests/vr_slow", ""); answer.Code != 200 { // which returns at all
		t.Errorf("answered %d", answer.Code)
	}
}

func TestDelay_ends_when_its_client_leaves(t *testing.T) {
	t.Parallel()
	begun, left := make(chan bool), make(chan error, 1)
	url := serve(t, waiting(func() { begun <- true }, func(cause error) { left <- cause }))
	conn := sent(t, url, "GET", "/verification-requests/vr_slow", "")
	<-begun
	conn.Close()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the delay ended by %v", err)
	}
}

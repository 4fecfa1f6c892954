package emulator_test

import (
	"bufio"
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
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
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

// send sends a request for a verification request on a connection of its own.
func send(t *testing.T, conn net.Conn, id string) {
	t.Helper()
	_, err := fmt.Fprintf(conn, "GET /verification-requests/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", id, key)
	if err != nil {
		t.Fatal(err)
	}
}

func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestAResetIsAResetOnTheSocket(t *testing.T) {
	t.Parallel()
	conn := dial(t, serve(t))
	send(t, conn, "vr_fault_reset")
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%d bytes, %v; want ECONNRESET", n, err)
	}
}

func TestAnEmptyAnswerIsTheEndOfTheConnectionBeforeAHeader(t *testing.T) {
	t.Parallel()
	url := serve(t)
	conn := dial(t, url)
	send(t, conn, "vr_fault_empty")
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes, %v; want the end", n, err)
	}
	withBody := dial(t, url)
	body := cancelOther + strings.Repeat(" ", 500_000) // far more than anybody has read when the connection is ended
	fmt.Fprintf(withBody, "PUT /verification-requests/vr_fault_empty/cancel HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", key, len(body), body)
	if n, err := withBody.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after a body: %d bytes, %v; want the end", n, err)
	}
}

func TestATruncatedAnswerHasFewerBytesThanItsContentLength(t *testing.T) {
	t.Parallel()
	conn := dial(t, serve(t))
	send(t, conn, "vr_fault_truncated")
	sent, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(sent), "\r\n\r\n")
	_, length, _ := strings.Cut(head, "Content-Length: ")
	length, _, _ = strings.Cut(length, "\r\n")
	announced, err := strconv.Atoi(length)
	if err != nil || !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || len(body) == 0 || len(body) != announced/2 {
		t.Errorf("%d bytes of %q: %s", len(body), length, head)
	}
}

func TestAMalformedAnswerIsNotHTTP(t *testing.T) {
	t.Parallel()
	conn := dial(t, serve(t))
	send(t, conn, "vr_fault_malformed")
	sent, err := io.ReadAll(conn)
	if err != nil || len(sent) == 0 {
		t.Fatalf("%d bytes, %v", len(sent), err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(sent))), nil); err == nil {
		t.Errorf("an HTTP client takes %q", sent)
	}
}

func TestADribbledAnswerComesWholeAndInPieces(t *testing.T) {
	t.Parallel()
	paused, goOn := make(chan time.Duration), make(chan bool)
	clock := emulator.FrozenAt(epoch)
	clock.Pause = func(_ context.Context, span time.Duration) error {
		paused <- span
		<-goOn
		return nil
	}
	url := serve(t, emulator.WithClock(clock))
	request, err := http.NewRequest(http.MethodGet, url+"/verification-requests/vr_fault_dribble", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	type answer struct {
		response *http.Response
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		answers <- answer{response, err}
	}()
	<-paused // the headers are on their way, and nothing of the body is
	a := <-answers
	if a.err != nil {
		t.Fatal(a.err)
	}
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

func TestFaultsOverTLSAndHTTP2EndTheRequest(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			t.Parallel()
			e, err := emulator.New((&pauses{}).option())
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewUnstartedServer(e)
			server.EnableHTTP2 = http2
			server.TLS = &tls.Config{}
			server.StartTLS()
			t.Cleanup(func() {
				server.Close()
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
			for id, whole := range map[string]bool{
				"vr_completed": true, "vr_fault_reset": false, "vr_fault_empty": false, "vr_fault_truncated": false,
				"vr_fault_malformed": false, "vr_fault_dribble": true,
			} {
				request, err := http.NewRequest(http.MethodGet, server.URL+"/verification-requests/"+id, nil)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Authorization", "Bearer "+key)
				response, err := server.Client().Do(request)
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

func TestADelayHoldsTheAnswerBack(t *testing.T) {
	t.Parallel()
	var p pauses
	c := start(t, p.option())
	wantStatus(t, c.Get("/verification-requests/vr_slow"), 200, "")
	wantStatus(t, c.Get("/verification-requests/vr_completed"), 200, "")
	if diff := cmp.Diff([]time.Duration{3 * time.Second}, p.spans); diff != "" {
		t.Error(diff)
	}
}

func TestAServerThatStopsDoesNotWaitForDelays(t *testing.T) {
	t.Parallel()
	clock := emulator.FrozenAt(epoch)
	clock.Pause = func(ctx context.Context, _ time.Duration) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	e, err := emulator.New(emulator.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.Hurry()
	request := httptest.NewRequest(http.MethodGet, "/verification-requests/vr_slow", nil)
	request.Header.Set("Authorization", "Bearer "+key)
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, request) // which returns at all
	if answer.Code != 200 {
		t.Errorf("answered %d", answer.Code)
	}
}

// Contract 8: what explains an answer is in the journal, also when its client has left before it.
func TestAClientThatDoesNotWaitEndsTheDelay(t *testing.T) {
	t.Parallel()
	clock := emulator.FrozenAt(epoch)
	waiting, left := make(chan bool), make(chan error, 1)
	clock.Pause = func(ctx context.Context, _ time.Duration) error {
		waiting <- true
		<-ctx.Done()
		left <- context.Cause(ctx)
		return context.Cause(ctx)
	}
	url := serve(t, emulator.WithClock(clock))
	conn := dial(t, url)
	send(t, conn, "vr_slow?fields=id,stat")
	<-waiting
	conn.Close()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the delay ended by %v", err)
	}
	c := apitest.New(t, url, key)
	var items []asked
	until(t, "the request is in the journal", func() bool {
		items, _ = listed(t, c, "")
		return len(items) > 0
	})
	want := []string{
		"no version was asked for: send Accept: application/json; version=2019-10-15", `fields: unknown name "stat" was ignored: did you mean state?`,
		"scenario slow holds the answer back for 3s, by its rule at catalogue/verification-requests/incidents.yaml:14:5",
		"the client did not wait for the answer",
	}
	if diff := cmp.Diff(want, items[0].Diagnosis); diff != "" || items[0].Status != 0 || items[0].Scenario != "slow" {
		t.Errorf("status %d, scenario %s %s", items[0].Status, items[0].Scenario, diff)
	}
}

package surface_test

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
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// sent sends a request on a new connection.
func sent(t *testing.T, url, method, path, body string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	lab.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, lab.Key, len(body), body)
	if body == "" {
		lab.NoError(t, err) // the connection may end before all of a body is sent
	}
	return conn
}

func TestFaultConnection(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	asked := func(fault string) net.Conn { return sent(t, url, "GET", "/verification-requests/vr_fault_"+fault, "") }
	if n, err := asked("reset").Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reset: %d bytes, %v; want ECONNRESET", n, err)
	}
	if n, err := asked("empty").Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("empty: %d bytes, %v; want the end", n, err)
	}
	long := lab.CancelOther + strings.Repeat(" ", 500_000) // the server ends the connection before it has read all of it
	if n, err := sent(t, url, "PUT", "/verification-requests/vr_fault_empty/cancel", long).Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("empty, after a body: %d bytes, %v; want the end", n, err)
	}

	text, err := io.ReadAll(asked("truncated"))
	lab.NoError(t, err)
	header, body, _ := strings.Cut(string(text), "\r\n\r\n")
	_, length, _ := strings.Cut(header, "Content-Length: ")
	length, _, _ = strings.Cut(length, "\r\n")
	announced, err := strconv.Atoi(length)
	if err != nil || !strings.HasPrefix(header, "HTTP/1.1 200 OK\r\n") || len(body) == 0 || len(body) != announced/2 {
		t.Errorf("truncated: %d bytes of %q: %s", len(body), length, header)
	}

	text, err = io.ReadAll(asked("malformed"))
	if err != nil || len(text) == 0 {
		t.Fatalf("malformed: %d bytes, %v", len(text), err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil); err == nil {
		t.Errorf("an HTTP client takes %q", text)
	}
}

func TestFaultDribble(t *testing.T) {
	t.Parallel()
	paused, goOn := make(chan time.Duration), make(chan bool)
	url := lab.Serve(t, lab.Pausing(func(_ context.Context, span time.Duration) error {
		paused <- span
		<-goOn
		return nil
	}))
	answers := make(chan *http.Response, 1)
	go func() {
		response, err := http.DefaultClient.Do(lab.RequestTo("GET", url+"/verification-requests/vr_fault_dribble", lab.Key, ""))
		if err != nil {
			t.Error(err)
		}
		answers <- response
	}()
	<-paused // the headers are sent, the body is not
	response := <-answers
	if response == nil {
		return
	}
	defer response.Body.Close()
	length := int(response.ContentLength)
	var body []byte
	for part := 1; part <= 10; part++ {
		goOn <- true
		data := make([]byte, length*part/10-len(body))
		if _, err := io.ReadFull(response.Body, data); err != nil {
			t.Fatalf("part %d: %v", part, err)
		}
		body = append(body, data...)
		if part < 10 {
			if span := <-paused; span != 500*time.Millisecond {
				t.Errorf("a pause of %v", span)
			}
		}
	}
	if !strings.HasPrefix(string(body), `{"id":"vr_fault_dribble"`) || body[len(body)-1] != '}' {
		t.Errorf("the body is %.80s", body)
	}
}

func TestFaultTLSAndHTTP2(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(lab.Launch(t, (&lab.Pauses{}).Option()))
			server.EnableHTTP2 = http2
			server.TLS = &tls.Config{}
			server.StartTLS()
			t.Cleanup(server.Close)
			for id, whole := range map[string]bool{
				"vr_completed": true, "vr_fault_reset": false, "vr_fault_empty": false, "vr_fault_truncated": false,
				"vr_fault_malformed": false, "vr_fault_dribble": true,
			} {
				response, err := server.Client().Do(lab.RequestTo("GET", server.URL+"/verification-requests/"+id, lab.Key, ""))
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

func TestDelay(t *testing.T) {
	t.Parallel()
	var p lab.Pauses
	lab.PlayScript(t, lab.Start(t, p.Option()), `
		GET /verification-requests/vr_slow → 200
		GET /verification-requests/vr_completed → 200`)
	if diff := cmp.Diff([]time.Duration{3 * time.Second}, p.Spans()); diff != "" {
		t.Error(diff)
	}
}

// A fault of the connection goes with a delay, whether the call is carried out or not: the delay comes first.
func TestDelayBesideFault(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"connection-reset", "empty", "truncated", "malformed"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var p lab.Pauses
			url := lab.Serve(t, p.Option(), lab.ScenarioFile(t, `
name: late
title: An answer that is late and broken
magic: {verification_request: vr_late_fault}
rules: [{on: get, delay: {fixed: 2s}}, {on: get, delay: {fixed: 3s}, fault: `+fault+`}]
`))
			response, err := http.DefaultTransport.RoundTrip(lab.RequestTo("GET", url+"/verification-requests/vr_late_fault", lab.Key, ""))
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			if diff := cmp.Diff([]time.Duration{5 * time.Second}, p.Spans()); diff != "" || err == nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

// waiting is a clock whose pauses last until their context ends.
func waiting(begun func(), ended func(cause error)) emulator.Option {
	return lab.Pausing(func(ctx context.Context, _ time.Duration) error {
		begun()
		<-ctx.Done()
		ended(context.Cause(ctx))
		return context.Cause(ctx)
	})
}

func TestDelayEndsOnShutdown(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t, waiting(func() {}, func(error) {}))
	e.Shutdown()
	if answer := lab.Direct(e, lab.Key, "GET", "/verification-requests/vr_slow", ""); answer.Code != 200 {
		t.Errorf("answered %d", answer.Code)
	}
}

// The journal has the diagnosis of an answer also when its client has disconnected before.
func TestDelayEndsOnDisconnect(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan bool), make(chan error, 1)
	url := lab.Serve(t, waiting(func() { begun <- true }, func(cause error) { ended <- cause }))
	conn := sent(t, url, "GET", "/verification-requests/vr_slow?fields=id,stat", "")
	<-begun
	conn.Close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the delay ended by %v", err)
	}
	c := apitest.New(t, url, lab.Key)
	var items []lab.Asked
	lab.Until(t, "the request is in the journal", func() bool {
		items, _ = lab.Listed(t, c, "")
		return len(items) > 0
	})
	want := []string{
		"the client did not wait for the answer",
		"no version was asked for: send Accept: application/json; version=2019-10-15", `fields: unknown name "stat" was ignored: did you mean state? (our decision; the specification is silent)`,
		"scenario slow holds the answer back for 3s, by its rule at catalogue/verification-requests/incidents.yaml:14:5",
	}
	if diff := cmp.Diff(want, items[0].Diagnosis); diff != "" || items[0].Status != 0 || items[0].Scenario != "slow" {
		t.Errorf("status %d, scenario %s %s", items[0].Status, items[0].Scenario, diff)
	}
}

package emulator_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

// follow opens the journal's stream, and returns a function that reads its next event as "name id".
func follow(t *testing.T, url, query, last string) (next func() string) {
	t.Helper()
	request := requestTo("GET", url+control+"journal/stream"+query, key, "")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(request.WithContext(t.Context()))
	noError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	lines := bufio.NewScanner(answer.Body)
	next = func() string {
		t.Helper()
		var event []string
		for lines.Scan() && lines.Text() != "" {
			event = append(event, lines.Text())
		}
		if len(event) == 0 {
			t.Fatalf("the stream ends: %v", lines.Err())
		}
		return strings.Join(event, "|")
	}
	if first := next(); !strings.HasPrefix(first, ": the journal of world ") {
		t.Errorf("begins with %s", first)
	}
	return next
}

func wantEvent(t *testing.T, next func() string, name, id string) {
	t.Helper()
	want := "event: " + name
	if id != "" {
		want += "|id: " + id + `|data: {"id":"` + id + `"`
	}
	got := next()
	for strings.HasPrefix(got, ":") { // a heartbeat
		got = next()
	}
	if !strings.HasPrefix(got, want) {
		t.Fatalf("event %s, want %s", got, want)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	first := idOf(c.Get("/verification-requests/vr_completed"))
	live := follow(t, url, "", "")
	second := idOf(c.Get("/verification-requests/vr_none"))
	third := idOf(c.Get("/verification-requests/vr_completed"))
	wantEvent(t, live, "request", second)
	wantEvent(t, live, "request", third)

	resumed := follow(t, url, "", first)
	wantEvent(t, resumed, "request", second)
	filtered := follow(t, url, "?status=2xx&since="+first, "")
	wantEvent(t, filtered, "request", third)
	whole := follow(t, url, "?since=2025-01-01T00:00:00Z", "")
	wantEvent(t, whole, "request", first)
	lost := follow(t, url, "", "01000000000000000000000000")
	wantEvent(t, lost, "gap", "")
	wantEvent(t, lost, "request", first)

	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	wantEvent(t, live, "reset", "")
	wantEvent(t, live, "request", idOf(c.Get("/verification-requests/vr_completed")))
}

// The streams of a server are limited, those of the control plane and the console together. A closed one gives its place back.
func TestStreamLimit(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	at := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	open := func(i int) *http.Response {
		t.Helper()
		path := control + "journal/stream?world=" + at
		if i%2 == 1 {
			path = "/_understudy/live"
		}
		r, err := http.Get(url + path)
		noError(t, err)
		t.Cleanup(func() { r.Body.Close() })
		return r
	}
	var last *http.Response
	for i := range limits.MaxStreams * 3 / 4 { // all come from one address
		if last = open(i); last.StatusCode != 200 {
			t.Fatalf("stream %d is %d", i, last.StatusCode)
		}
	}
	for i := range 2 {
		r := open(i)
		if text, _ := io.ReadAll(r.Body); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "open streams") {
			t.Errorf("one stream more is %d %s", r.StatusCode, text)
		}
	}
	last.Body.Close()
	until(t, "there is room for a stream", func() bool { return open(0).StatusCode == 200 })
}

func TestStreamHeartbeat(t *testing.T) {
	t.Parallel()
	due := make(chan bool)
	next := follow(t, serve(t, pausing(func(ctx context.Context, _ time.Duration) error {
		select {
		case <-due:
		case <-ctx.Done():
		}
		return ctx.Err()
	})), "", "")
	due <- true
	if got := next(); got != ": " {
		t.Errorf("a heartbeat is %q", got)
	}
}

// reluctant is a client that reads the first part of a stream when it is allowed to, and everything else at once.
type reluctant struct {
	header  http.Header
	reached chan bool // receives when the first part is there
	let     chan bool
	begun   bool
	text    strings.Builder
	enough  func() // called when it has two requests
}

func (r *reluctant) Header() http.Header { return r.header }
func (r *reluctant) WriteHeader(int)     {}
func (r *reluctant) Flush()              {}
func (r *reluctant) Write(text []byte) (int, error) {
	if !r.begun {
		r.begun = true
		r.reached <- true
		<-r.let
	}
	r.text.Write(text)
	if strings.Count(r.text.String(), "event: request") == 2 {
		r.enough()
	}
	return len(text), nil
}

func TestStreamSlowReader(t *testing.T) {
	t.Parallel()
	e := launch(t, emulator.WithJournalSize(2))
	ctx, enough := context.WithCancel(t.Context())
	client := &reluctant{header: http.Header{}, reached: make(chan bool), let: make(chan bool), enough: enough}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		e.ServeHTTP(client, requestTo("GET", control+"journal/stream", key, "").WithContext(ctx))
	}()
	<-client.reached
	for range 5 {
		direct(e, key, "GET", "/verification-requests/vr_completed", "")
	}
	client.let <- true
	<-ended
	text := client.text.String()
	if got := regexp.MustCompile(`(?m)^event: .*$`).FindAllString(text, -1); !slices.Equal(got, []string{"event: gap", "event: request", "event: request"}) {
		t.Errorf("%q in %s", got, text)
	}
	wantParts(t, text, `data: {"missed":3}`)
}

func TestStreamEndsOnShutdown(t *testing.T) {
	t.Parallel()
	e := launch(t)
	e.Shutdown()
	direct(e, key, "GET", control+"journal/stream", "") // which returns at all
}

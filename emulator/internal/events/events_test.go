package events_test

import (
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
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

func TestStream(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	first := lab.IDOf(c.Get("/verification-requests/vr_completed"))
	live := lab.Follow(t, url, "", "")
	second := lab.IDOf(c.Get("/verification-requests/vr_none"))
	third := lab.IDOf(c.Get("/verification-requests/vr_completed"))
	lab.WantEvent(t, live, "request", second)
	lab.WantEvent(t, live, "request", third)

	resumed := lab.Follow(t, url, "", first)
	lab.WantEvent(t, resumed, "request", second)
	filtered := lab.Follow(t, url, "?status=2xx&since="+first, "")
	lab.WantEvent(t, filtered, "request", third)
	whole := lab.Follow(t, url, "?since=2025-01-01T00:00:00Z", "")
	lab.WantEvent(t, whole, "request", first)
	lost := lab.Follow(t, url, "", "01000000000000000000000000")
	lab.WantEvent(t, lost, "gap", "")
	lab.WantEvent(t, lost, "request", first)

	lab.WantStatus(t, c.Post(lab.Control+"reset", nil), 200, "")
	lab.WantEvent(t, live, "reset", "")
	lab.WantEvent(t, live, "request", lab.IDOf(c.Get("/verification-requests/vr_completed")))
}

// The streams of a server are limited, those of the control plane and the console together. A closed one gives its place back.
func TestStreamLimit(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	at := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	open := func(i int) *http.Response {
		t.Helper()
		path := lab.Control + "journal/stream?world=" + at
		if i%2 == 1 {
			path = "/_understudy/live"
		}
		r, err := http.Get(url + path)
		lab.NoError(t, err)
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
	lab.Until(t, "there is room for a stream", func() bool { return open(0).StatusCode == 200 })
}

func TestStreamHeartbeat(t *testing.T) {
	t.Parallel()
	due := make(chan bool)
	next := lab.Follow(t, lab.Serve(t, lab.Pausing(func(ctx context.Context, _ time.Duration) error {
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
	e := lab.Launch(t, emulator.WithJournalSize(2))
	ctx, enough := context.WithCancel(t.Context())
	client := &reluctant{header: http.Header{}, reached: make(chan bool), let: make(chan bool), enough: enough}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		e.ServeHTTP(client, lab.RequestTo("GET", lab.Control+"journal/stream", lab.Key, "").WithContext(ctx))
	}()
	<-client.reached
	for range 5 {
		lab.Direct(e, lab.Key, "GET", "/verification-requests/vr_completed", "")
	}
	client.let <- true
	<-ended
	text := client.text.String()
	if got := regexp.MustCompile(`(?m)^event: .*$`).FindAllString(text, -1); !slices.Equal(got, []string{"event: gap", "event: request", "event: request"}) {
		t.Errorf("%q in %s", got, text)
	}
	lab.WantParts(t, text, `data: {"missed":3}`)
}

func TestStreamEndsOnShutdown(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	e.Shutdown()
	lab.Direct(e, lab.Key, "GET", lab.Control+"journal/stream", "") // which returns at all
}

// A stream that goes on from an entry that is gone says so once, without a number, and then counts as usual.
func TestStreamGapOnce(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithJournalSize(2))
	c := apitest.New(t, url, lab.Key)
	var ids []string
	for range 3 {
		ids = append(ids, lab.IDOf(c.Get("/verification-requests/vr_completed")))
	}
	next := lab.Follow(t, url, "", "01M8BZFD4376XXPNWBZBDA31AA")
	if got := next(); got != `event: gap|data: {"missed":null}` {
		t.Errorf("it begins with %s", got)
	}
	lab.WantEvent(t, next, "request", ids[1])
	lab.WantEvent(t, next, "request", ids[2])
	lab.WantEvent(t, next, "request", lab.IDOf(c.Get("/verification-requests/vr_completed")))
}

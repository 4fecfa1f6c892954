package lab

import (
	"bufio"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// LogText is a log that a test reads while the emulator writes it.
type LogText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *LogText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *LogText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logged returns a log and the option that makes an emulator write to it.
func Logged(level slog.Level) (*LogText, emulator.Option) {
	b := &LogText{}
	return b, emulator.WithLogger(slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: level})))
}

// Asked is a request in the journal of a world.
type Asked struct {
	ID        string          `json:"id"`
	Sequence  int             `json:"sequence"`
	Time      string          `json:"time"`
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Query     string          `json:"query"`
	Operation string          `json:"operation"`
	Status    int             `json:"status"`
	Fault     string          `json:"fault"`
	Scenario  string          `json:"scenario"`
	Rule      string          `json:"rule"`
	Diagnosis []string        `json:"diagnosis"`
	Headers   []any           `json:"headers"`
	Answered  []Header        `json:"response_headers"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
}

// Header is a header of an [Asked].
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Listed returns a page of the journal.
func Listed(t *testing.T, c *apitest.Client, query string) (items []Asked, next string) {
	t.Helper()
	r := c.Get(Control + "journal" + query)
	WantStatus(t, r, 200, "")
	var page struct {
		Items []Asked `json:"items"`
		Next  string  `json:"next"`
	}
	r.JSON(&page)
	return page.Items, page.Next
}

// EntryOf returns the journal's entry of a request.
func EntryOf(t *testing.T, c *apitest.Client, id string) (e Asked, text string) {
	t.Helper()
	r := c.Get(Control + "journal/" + id)
	WantStatus(t, r, 200, "")
	r.JSON(&e)
	return e, string(r.Body)
}

// IDOf returns the request id of an answer.
func IDOf(r *apitest.Response) string { return r.Header.Get("Understudy-Request-Id") }

// Follow opens the journal's stream, and returns a function that reads its next event as "name id".
func Follow(t *testing.T, url, query, last string) (next func() string) {
	t.Helper()
	request := RequestTo("GET", url+Control+"journal/stream"+query, Key, "")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(request.WithContext(t.Context()))
	NoError(t, err)
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

// WantEvent checks the next event of a stream that [Follow] has opened.
func WantEvent(t *testing.T, next func() string, name, id string) {
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

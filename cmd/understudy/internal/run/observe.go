package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
)

// observer is a handler that watches the requests with some API keys, and passes all on.
type observer struct {
	next http.Handler
	mu   sync.Mutex
	by   map[string]*watch // by API key; "" watches the requests with any other key
}

// around returns the observer of a handler.
func (o *observer) around(next http.Handler) http.Handler {
	o.next = next
	return o
}

// watch is what is seen of the requests with a key.
type watch struct {
	coverage *coverage.Coverage         // nil: not wanted
	created  func(session string) error // is called with the id of a created session, before its answer leaves; nil: nothing is to be done

	ended chan struct{} // receives when a request has ended; one is pending at most

	mu     sync.Mutex
	under  int             // requests under way
	whole  map[string]bool // request ids of the answers that left whole
	failed error           // of created
}

// watch begins to watch the requests with a key.
func (o *observer) watch(key string, w *watch) {
	w.whole, w.ended = make(map[string]bool), make(chan struct{}, 1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.by[key] = w
}

// lastRequests bounds how long the requests of a command that has ended are waited for: their clients have left.
const lastRequests = 10 * time.Second

// seen returns the request ids of the answers that left whole, once no request is under way.
func (w *watch) seen() (whole map[string]bool, err error) {
	limit := time.After(lastRequests)
	for {
		w.mu.Lock()
		under := w.under
		whole, err = maps.Clone(w.whole), w.failed
		w.mu.Unlock()
		if under == 0 {
			return whole, err
		}
		select {
		case <-w.ended:
		case <-limit:
			return whole, err
		}
	}
}

// begin notes a request under way until end.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.under++
}

func (w *watch) end() {
	w.mu.Lock()
	w.under--
	w.mu.Unlock()
	select {
	case w.ended <- struct{}{}:
	default: // is pending
	}
}

func (o *observer) watching(r *http.Request) *watch {
	_, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	o.mu.Lock()
	defer o.mu.Unlock()
	if w := o.by[strings.TrimSpace(key)]; w != nil {
		return w
	}
	return o.by[""]
}

func (o *observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	watch := o.watching(r)
	if watch == nil || strings.HasPrefix(r.URL.Path, "/_understudy") {
		o.next.ServeHTTP(w, r)
		return
	}
	watch.begin()
	defer watch.end()
	seen := &seenAnswer{ResponseWriter: w}
	if watch.created != nil && r.Method == http.MethodPost {
		seen.before = watch.prepare
	}
	o.next.ServeHTTP(seen, r) // which panics when it breaks the connection off
	if seen.status == 0 {     // the connection was taken over
		return
	}
	seen.done()
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.failed = errors.Join(watch.failed, seen.failed)
	watch.whole[w.Header().Get("Understudy-Request-Id")] = true
	if watch.coverage != nil {
		watch.coverage.Meet(r.Method, r.URL.Path, seen.status, seen.body.Bytes(), "")
	}
}

// prepare prepares the session that an answer has.
func (w *watch) prepare(status int, body []byte) error {
	var session struct{ ID string }
	if status != http.StatusCreated || json.Unmarshal(body, &session) != nil {
		return nil
	}
	return w.created(session.ID)
}

// seenAnswer is an answer that is kept.
type seenAnswer struct {
	http.ResponseWriter
	before func(status int, body []byte) error // is called once before the answer leaves, which is held until then; nil: it leaves at once
	failed error                               // of before
	status int                                 // 0: none
	body   bytes.Buffer
}

func (a *seenAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *seenAnswer) WriteHeader(status int) {
	a.status = status
	if a.before == nil {
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *seenAnswer) Write(part []byte) (int, error) {
	a.body.Write(part)
	if a.before != nil {
		return len(part), nil
	}
	return a.ResponseWriter.Write(part)
}

// FlushError makes the answer leave, for [http.ResponseController]: webhooks follow it.
func (a *seenAnswer) FlushError() error {
	a.done()
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// done lets an answer leave that is held.
func (a *seenAnswer) done() {
	if a.before == nil {
		return
	}
	a.failed, a.before = a.before(a.status, a.body.Bytes()), nil
	a.ResponseWriter.WriteHeader(a.status)
	a.ResponseWriter.Write(a.body.Bytes())
}

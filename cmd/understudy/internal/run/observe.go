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
	coverage *coverage                  // nil: not wanted
	created  func(session string) error // is called with the id of a created session, before its answer leaves; nil: nothing is to be done

	under sync.WaitGroup // requests under way

	mu     sync.Mutex
	whole  map[string]bool // request ids of the answers that left whole
	failed error           // of created
}

// watch begins to watch the requests with a key.
func (o *observer) watch(key string, w *watch) {
	w.whole = make(map[string]bool)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.by[key] = w
}

// lastRequests bounds how long the requests of a command that has ended are waited for: their clients have left.
const lastRequests = 10 * time.Second

// seen returns the request ids of the answers that left whole, once no request is under way.
func (w *watch) seen() (whole map[string]bool, err error) {
	ended := make(chan struct{})
	go func() {
		w.under.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(lastRequests):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.whole), w.failed
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
	watch.under.Add(1)
	defer watch.under.Done()
	seen := &seenAnswer{ResponseWriter: w, held: watch.created != nil && r.Method == http.MethodPost}
	o.next.ServeHTTP(seen, r) // which panics when it breaks the connection off
	if seen.status == 0 {     // the connection was taken over
		return
	}
	var failed error
	if seen.held {
		failed = watch.prepare(seen)
		w.WriteHeader(seen.status)
		w.Write(seen.body.Bytes())
	}
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.failed = errors.Join(watch.failed, failed)
	watch.whole[w.Header().Get("Understudy-Request-Id")] = true
	if watch.coverage != nil {
		watch.coverage.meet(r.Method, r.URL.Path, seen.status, seen.body.Bytes(), "")
	}
}

// prepare prepares the session of an answer that is held.
func (w *watch) prepare(held *seenAnswer) error {
	var session struct{ ID string }
	if held.status != http.StatusCreated || json.Unmarshal(held.body.Bytes(), &session) != nil {
		return nil
	}
	return w.created(session.ID)
}

// seenAnswer is an answer that is kept, and sent at once unless it is held.
type seenAnswer struct {
	http.ResponseWriter
	held   bool
	status int // 0: none
	body   bytes.Buffer
}

func (a *seenAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *seenAnswer) WriteHeader(status int) {
	a.status = status
	if !a.held {
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *seenAnswer) Write(part []byte) (int, error) {
	a.body.Write(part)
	if a.held {
		return len(part), nil
	}
	return a.ResponseWriter.Write(part)
}

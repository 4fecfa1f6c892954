package lab

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Receiver takes webhooks, and remembers them.
type Receiver struct {
	URL    string
	Answer func(w http.ResponseWriter, r *http.Request, body string) // nil: 204

	mu     sync.Mutex
	heard  []string // bodies
	tokens []string
}

// Receive starts a receiver that ends with the test.
func Receive(t *testing.T) *Receiver {
	t.Helper()
	r := new(Receiver)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL + "/hooks"
	return r
}

func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	r.heard, r.tokens = append(r.heard, string(body)), append(r.tokens, request.Header.Get("X-Webhook-Token"))
	answer := r.Answer
	r.mu.Unlock()
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, request, string(body))
}

// Bodies returns the bodies that came so far.
func (r *Receiver) Bodies() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.heard...)
}

// Tokens returns the tokens that came so far.
func (r *Receiver) Tokens() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.tokens...)
}

// SetAnswer changes how it answers; nil: 204.
func (r *Receiver) SetAnswer(answer func(w http.ResponseWriter, r *http.Request, body string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Answer = answer
}

// Told returns the states that came so far, each after the id of its request.
func (r *Receiver) Told(t *testing.T) (all []string) {
	t.Helper()
	for _, body := range r.Bodies() {
		all = append(all, ToldBy(t, body))
	}
	return all
}

// ToldBy returns what a body tells: the id of its request and the state.
func ToldBy(t *testing.T, body string) string {
	t.Helper()
	var told struct {
		Data struct {
			ID    string `json:"verification_request_id"`
			State string `json:"state"`
		} `json:"data"`
	}
	NoError(t, json.Unmarshal([]byte(body), &told))
	return told.Data.ID + " " + told.Data.State
}

// Subscribe subscribes a URL to the events of a client's world.
func Subscribe(t *testing.T, c *apitest.Client, url string, with ...string) {
	t.Helper()
	members := append([]string{`"url":"` + url + `"`}, with...)
	WantStatus(t, c.Post(Control+"webhooks", "{"+strings.Join(members, ",")+"}"), 201, "")
}

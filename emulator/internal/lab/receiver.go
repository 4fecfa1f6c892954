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

// Receiver takes webhooks, and stores them.
type Receiver struct {
	URL    string
	Answer func(w http.ResponseWriter, r *http.Request, body string) // nil: 204

	mu     sync.Mutex
	bodies []string // bodies
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
	r.bodies, r.tokens = append(r.bodies, string(body)), append(r.tokens, request.Header.Get("X-Webhook-Token"))
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
	return append([]string{}, r.bodies...)
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

// States returns the states that came so far, each after the id of its request.
func (r *Receiver) States(t *testing.T) (all []string) {
	t.Helper()
	for _, body := range r.Bodies() {
		all = append(all, StateIn(t, body))
	}
	return all
}

// StateIn returns what a body reports: the id of its request and the state.
func StateIn(t *testing.T, body string) string {
	t.Helper()
	var received struct {
		Data struct {
			ID    string `json:"verification_request_id"`
			State string `json:"state"`
		} `json:"data"`
	}
	NoError(t, json.Unmarshal([]byte(body), &received))
	return received.Data.ID + " " + received.Data.State
}

// Subscribe subscribes a URL to the events of a client's world.
func Subscribe(t *testing.T, c *apitest.Client, url string, with ...string) {
	t.Helper()
	members := append([]string{`"url":"` + url + `"`}, with...)
	WantStatus(t, c.Post(Control+"webhooks", "{"+strings.Join(members, ",")+"}"), 201, "")
}

package requests

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
)

// actOnEntry does what a form of an entry's page says. For the id clear it clears the journal.
func actOnEntry(x *frame.Exchange) (frame.Answer, error) {
	if x.Param("entry") == "clear" {
		return clearJournal(x)
	}
	e, _, err := entry(x, x.Param("entry"))
	if err != nil {
		return nil, err
	}
	switch x.Value("do") {
	case "redelivered":
		_, err := x.World.Resend(x.Context(), e.Delivery)
		return frame.Done(x.Here("webhooks"), "redelivered"), err
	case "resend":
		recorded := recorded.SnippetOf(x, e)
		if recorded.File {
			return nil, api.Because(http.StatusBadRequest, "The body is not recorded as a whole text: write it under Edit and resend")
		}
		return resend(x, recordedRequest(x, recorded))
	case "send":
		return resend(x, edited(x, recorded.Snippet{}))
	}
	_, id, _ := recorded.PartsOf(e)
	err = recorded.FailNext(x, x.Value("fail"), recorded.Operations[e.Operation].Rule, id)
	return frame.Done(x.Here("journal", e.ID)+recorded.Filters(x), "armed"), err
}

// editedRequest is a request in the fields of a form.
type editedRequest struct {
	Method, Target string
	Headers        string // one a line
	Body           string
}

// recordedRequest returns a request as its code sends it.
func recordedRequest(x *frame.Exchange, s recorded.Snippet) editedRequest {
	r := editedRequest{Method: s.Method, Target: strings.TrimPrefix(s.URL, x.BaseURL()), Body: s.Body}
	for _, h := range s.Headers {
		r.Headers += h.Name + ": " + h.Value + "\n"
	}
	return r
}

// edited returns the fields of the form: those that were posted, or the recorded request with JSON indented.
func edited(x *frame.Exchange, s recorded.Snippet) editedRequest {
	if x.Value("do") == "send" {
		form := x.Request.PostForm
		return editedRequest{form.Get("method"), form.Get("target"), form.Get("headers"), form.Get("body")}
	}
	r := recordedRequest(x, s)
	r.Body = words.Indented(r.Body)
	return r
}

// resend sends a request to the world, as a client does but without the key, and leads to its entry.
func resend(x *frame.Exchange, sent editedRequest) (frame.Answer, error) {
	r, err := http.NewRequest(sent.Method, sent.Target, strings.NewReader(sent.Body))
	if err != nil || !strings.HasPrefix(sent.Target, "/") || strings.HasPrefix(sent.Target, frame.Prefix) {
		return nil, api.Because(http.StatusBadRequest, "That cannot be sent: a method such as GET, and a path of the API such as /verification-requests/vr_completed")
	}
	for line := range strings.Lines(sent.Headers) {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name == "" && !ok {
			continue
		}
		if !ok || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return nil, api.Because(http.StatusBadRequest, "A header is written as Name: value, each on its line")
		}
		r.Header.Add(name, strings.TrimSpace(value))
	}
	got := send(x, r)
	id := got.Header().Get("Understudy-Request-Id")
	if _, _, err := entry(x, id); err != nil { // it was refused before it reached the world
		return nil, api.Because(http.StatusBadRequest, fmt.Sprintf("It reached no world: %d, %s", got.Status, got.Header().Get("Understudy-Diagnosis")))
	}
	return frame.Done(x.Here("journal", id)+recorded.Filters(x), "resent"), nil
}

// sendTimeout bounds the wait for an answer that a rule delays.
const sendTimeout = 15 * time.Second

// send sends a request to the world of the page. Of an answer that is broken off it returns what has come.
func send(x *frame.Exchange, r *http.Request) (got *surface.Recorder) {
	ctx, cancel := context.WithTimeout(x.Context(), sendTimeout)
	defer cancel()
	r.RemoteAddr, r.Host = x.Request.RemoteAddr, x.Request.Host
	r.Header.Del("Authorization")
	got = new(surface.Recorder)
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		}
	}()
	x.Send(got, r.WithContext(ctx), x.World)
	return got
}

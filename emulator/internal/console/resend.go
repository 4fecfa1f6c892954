package console

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// actOnEntry does what a form of an entry's page says. For the id clear it clears the journal.
func actOnEntry(x *exchange) (answer, error) {
	if x.param("entry") == "clear" {
		return clearJournal(x)
	}
	e, _, err := x.entry(x.param("entry"))
	if err != nil {
		return nil, err
	}
	switch x.value("do") {
	case "redelivered":
		_, err := x.world.Resend(x.context(), e.Delivery)
		return done(x.here("webhooks"), "redelivered"), err
	case "resend":
		recorded := x.snippetOf(e)
		if recorded.File {
			return nil, api.Because(http.StatusBadRequest, "The body is not recorded as a whole text: write it under Edit and resend")
		}
		return x.resend(x.recordedRequest(recorded))
	case "send":
		return x.resend(x.edited(snippet{}))
	}
	_, id, _ := partsOf(e)
	err = x.failNext(x.value("fail"), operations[e.Operation].rule, id)
	return done(x.here("journal", e.ID)+x.filters(), "armed"), err
}

// editedRequest is a request in the fields of a form.
type editedRequest struct {
	Method, Target string
	Headers        string // one a line
	Body           string
}

// recordedRequest returns a request as its code sends it.
func (x *exchange) recordedRequest(s snippet) editedRequest {
	r := editedRequest{Method: s.Method, Target: strings.TrimPrefix(s.URL, x.baseURL()), Body: s.Body}
	for _, h := range s.Headers {
		r.Headers += h.Name + ": " + h.Value + "\n"
	}
	return r
}

// edited returns the fields of the form: those that were posted, or the recorded request with JSON indented.
func (x *exchange) edited(s snippet) editedRequest {
	if x.value("do") == "send" {
		form := x.request.PostForm
		return editedRequest{form.Get("method"), form.Get("target"), form.Get("headers"), form.Get("body")}
	}
	r := x.recordedRequest(s)
	if body := jsontext.Value(r.Body); body.IsValid() {
		r.Body = indented(body)
	}
	return r
}

// resend sends a request to the world, as a client does but without the key, and leads to its entry.
func (x *exchange) resend(sent editedRequest) (answer, error) {
	r, err := http.NewRequest(sent.Method, sent.Target, strings.NewReader(sent.Body))
	if err != nil || !strings.HasPrefix(sent.Target, "/") || strings.HasPrefix(sent.Target, prefix) {
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
	got, _ := x.sendTo(x.world, r)
	id := got.Header().Get("Understudy-Request-Id")
	if _, _, err := x.entry(id); err != nil { // it was refused before it reached the world
		return nil, api.Because(http.StatusBadRequest, fmt.Sprintf("It reached no world: %d, %s", got.Status, got.Header().Get("Understudy-Diagnosis")))
	}
	return done(x.here("journal", id)+x.filters(), "resent"), nil
}

package behavior

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Response is what a rule answers with. Without Status the call is carried out and only the headers of its answer change; the
// rule of a limit answers 429 then.
type Response struct {
	Status      int                 `yaml:"status"`
	Message     string              `yaml:"message"`      // of the error; "" is the usual message of the status
	Headers     map[string]string   `yaml:"headers"`      // added to the usual ones, or in their place
	Dates       map[string]Duration `yaml:"dates"`        // headers with an HTTP date: how long after the world's time
	ContentType string              `yaml:"content_type"` // "" is application/json, and none without a body
	Body        *body               `yaml:"body"`         // in place of the error; nil is the error
	Omit        []omittedHeader     `yaml:"omit"`
}

// body is the text of an answer, as it is sent; it may be empty.
type body struct{ Text string }

// maxBody is the size of a body, in bytes.
const maxBody = 64 << 10

// UnmarshalText reads a text, or the word none.
func (b *body) UnmarshalText(text []byte) error {
	switch b.Text = string(text); {
	case b.Text == "":
		return errors.New("is empty: write body: none")
	case len(text) > maxBody:
		return fmt.Errorf("has %d bytes: a body may have 65536 (64 KiB)", len(text))
	case b.Text == "none":
		b.Text = ""
	}
	return nil
}

// omittedHeader is a header that the emulator sends and a rule may omit.
type omittedHeader string

// Values lists the headers that a rule may omit. The others frame the answer, or explain it.
func (omittedHeader) Values() []omittedHeader {
	return []omittedHeader{"Content-Type", "Date", "Retry-After", "WWW-Authenticate"}
}

// words describes the answer, such as "502 Bad Gateway with a body of its own as text/html".
func (r *Response) words(limit Limit) string {
	text, status := "the answer", r.Status
	if limit != (Limit{}) {
		status = cmp.Or(status, http.StatusTooManyRequests)
	}
	if status > 0 {
		text = strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
	}
	if r.Body != nil && r.Body.Text == "" {
		text += " without a body"
	} else if r.Body != nil {
		text += " with a body of its own"
	}
	if r.ContentType != "" {
		text += " as " + r.ContentType
	}
	for _, name := range r.Omit {
		text += " without " + string(name)
	}
	return text
}

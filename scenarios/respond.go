package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
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

// reservedHeaders are set by the emulator alone.
var reservedHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "Trailer", "Transfer-Encoding", "Upgrade"}

func (d *decoder) validateResponse(at nodePath, rule Rule, s *Scenario) {
	respond, r := at.to("respond"), rule.Respond
	d.validateStatus(at, rule, s)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		d.validateHeader(respond.to("headers", name), name, r.Headers[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Dates)) {
		d.validateHeader(respond.to("dates", name), name, "")
	}
	if !validHeaderValue(r.ContentType) {
		d.reject(respond.to("content_type"), "content_type may have up to 1000 printable ASCII characters, such as content_type: text/html")
	}
}

// validateHeader finds headers that no rule may set.
func (d *decoder) validateHeader(at nodePath, name, value string) {
	switch canonical := http.CanonicalHeaderKey(name); {
	case !consistsOf(name, alphanumeric+"!#$%&'*+.^_`|~-", 64):
		d.rejectKey(at, `%s is not the name of a header, such as headers: {Retry-After: "1"}`, source.Quote(name))
	case canonical == "Content-Type":
		d.rejectKey(at, "the header Content-Type has a key of its own: write content_type: text/html")
	case slices.Contains(reservedHeaders, canonical) || strings.HasPrefix(canonical, "Understudy-"):
		d.rejectKey(at, "the header %s is set by the emulator: leave it out", canonical)
	case !validHeaderValue(value):
		d.reject(at, `the header %s may have up to 1000 printable ASCII characters, such as headers: {Retry-After: "1"}`, canonical)
	}
}

func validHeaderValue(text string) bool {
	return len(text) <= 1000 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// validateStatus rejects a status that does not go with the rest of the answer, and warns of one that the spec does not list.
func (d *decoder) validateStatus(at nodePath, rule Rule, s *Scenario) {
	respond, r := at.to("respond"), rule.Respond
	path, body := respond.to("status"), respond.to("body")
	switch bodiless := r.Status == http.StatusNoContent || r.Status == http.StatusNotModified; {
	case !d.valid(path, body):
	case r.Status == 0:
		dressed := r.Headers != nil || r.Dates != nil || r.ContentType != "" || r.Omit != nil
		if d.valid(respond) && (!dressed || r.Message != "" || r.Body != nil) { // an unknown key may be what was meant
			d.reject(respond, "respond needs a status from 200 to 599: write respond: {status: 500}")
		}
	case r.Status < 200 || r.Status > 599:
		d.reject(path, "status %d is not a status from 200 to 599: write status: 500", r.Status)
	case r.Message != "" && (r.Body != nil || r.Status < 400):
		d.rejectKey(respond.to("message"), "message is that of an error from 400, which body replaces: leave it out")
	case r.Body == nil && r.Status < 400:
		d.reject(path, "status %d needs a body, which may be none: write respond: {status: %d, body: none}, or leave status out for the answer of the call itself", r.Status, r.Status)
	case bodiless && r.Body.Text != "":
		d.reject(body, "status %d never has a body: write body: none", r.Status)
	case d.valid(at.to("on"), nodePath{"magic"}):
		d.warnStatus(path, rule, s)
	}
}

// warnStatus warns of a status that the spec does not list for an operation of the rule.
func (d *decoder) warnStatus(path nodePath, rule Rule, s *Scenario) {
	status := rule.Respond.Status
	unlisted := slices.DeleteFunc(s.operations(rule.On), func(op api.Operation) bool {
		return op.Extension || status == op.Success || slices.Contains(op.Errors, status)
	})
	if len(unlisted) == 0 {
		return
	}
	verbs := verbsOf(unlisted)
	last := len(verbs) - 1
	operations := strings.TrimPrefix(strings.Join(verbs[:last], ", ")+" and "+verbs[last], " and ")
	listed := slices.DeleteFunc(slices.Clone(unlisted[0].Errors), func(status int) bool {
		return slices.ContainsFunc(unlisted, func(op api.Operation) bool { return !slices.Contains(op.Errors, status) })
	})
	words := strings.Trim(strings.ReplaceAll(fmt.Sprint(listed), " ", ", "), "[]")
	d.warn(path, "%d is not among the statuses that the spec lists for %s: %s", status, operations, words)
}

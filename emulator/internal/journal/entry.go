package journal

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const (
	// MaxBody is how much of a request's body, and of an answer's, an entry has, in bytes.
	MaxBody = 16 << 10

	maxText    = 2 << 10 // of a path, a query, a header, in bytes
	maxHeaders = 32      // lines
)

// Entry is one request and its answer. It has no key and no social security number that a client sent, in whatever part of
// the request.
type Entry struct {
	ID        string // of the request, as in Understudy-Request-Id
	Sequence  uint64 // its number in the world, from 1, in the order of the answers
	Time      time.Time
	Wall      time.Time // when it came, by the machine's clock; Time is by the world's
	Duration  time.Duration
	Method    string
	Path      string // decoded
	Query     string // as it was sent
	Operation string // in the OpenAPI document
	Status    int    // 0: the connection was broken off instead
	Fault     string // that the answer had on its way, or that took its place
	Scenario  string // that decided the answer
	Rule      string // of a scenario, that decided it: file:line:column
	Headers   []Header
	Diagnosis []string

	request, response *Body
	answer            []byte // in place of what response has: most are never shown, and their secrets are masked when they are
}

// Header is one line of a request's header.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Body is what an entry has of a body.
type Body struct {
	JSON      jsontext.Value `json:"json"` // null: it is no JSON, or not whole
	Text      *string        `json:"text"` // null: it is JSON
	Size      int64          `json:"size"` // of the whole, in bytes
	Truncated bool           `json:"truncated"`
}

// Asked is a request as it came. Its secrets are masked in the entry that is made of it.
type Asked struct {
	Method, Path, Query string
	Header              map[string][]string
	Body                []byte // its beginning is enough
	Size                int64  // of the whole body
}

// NewEntry returns an entry for a request and the body of its answer, which must not change any more.
func NewEntry(asked Asked, answer []byte) *Entry {
	e := &Entry{Method: strings.Clone(asked.Method), Path: kept(asked.Path, api.Mask), Query: kept(asked.Query, api.MaskQuery)}
	for _, name := range headers {
		lines := asked.Header[name]
		for _, value := range lines[:min(len(lines), maxHeaders-len(e.Headers))] {
			e.Headers = append(e.Headers, Header{name, kept(value, api.Mask)})
		}
	}
	if asked.Size > 0 {
		beginning := asked.Body[:min(len(asked.Body), MaxBody)]
		cut := int64(len(beginning)) < asked.Size
		if cut { // the beginning of a number is not recognized as one
			beginning = bytes.TrimRightFunc(beginning, func(r rune) bool { return !unicode.IsLetter(r) })
		}
		e.request = newBody(api.MaskBody(beginning), asked.Size, cut)
	}
	if size := len(answer); size > 0 {
		e.response = &Body{Size: int64(size), Truncated: size > MaxBody}
		if e.answer = answer; size > MaxBody {
			e.answer = bytes.Clone(answer[:MaxBody])
		}
	}
	return e
}

// kept returns what an entry has of a text, masked. It is a copy: texts of a request are parts of a line that may be long.
func kept(text string, mask func(string) string) string {
	if text == "" {
		return ""
	}
	if len(text) > maxText {
		text = text[:maxText] + "..."
	}
	return strings.Clone(mask(text))
}

// headers are the request's headers that an entry has. Authorization is never among them.
var headers = []string{
	"Accept", "Content-Encoding", "Content-Type", "Idempotency-Key", "Traceparent", "User-Agent", "X-Correlation-Id",
	"X-Request-Id",
}

// Headers lists the request's headers that an entry has.
func Headers() []string { return slices.Clone(headers) }

// newBody returns a body of which the text is known, or its beginning.
func newBody(text []byte, size int64, cut bool) *Body {
	b := &Body{Size: size, Truncated: cut}
	if value := jsontext.Value(text); !cut && value.IsValid() {
		b.JSON = value
	} else {
		b.Text = new(string(text))
	}
	return b
}

// Request returns the request's body, nil when there is none.
func (e *Entry) Request() *Body { return e.request }

// Response returns the answer's body, nil when there is none.
func (e *Entry) Response() *Body {
	if e.answer == nil {
		return e.response
	}
	return newBody(api.MaskBody(e.answer), e.response.Size, e.response.Truncated)
}

// text returns what there is of a body.
func (b *Body) text() []byte {
	if b.Text != nil {
		return []byte(*b.Text)
	}
	return b.JSON
}

// size returns about how many bytes of memory an entry takes.
func (e *Entry) size() int64 {
	const entry, header = 640, 32 // without their texts, and with a share of the ring
	size := entry + len(e.Path) + len(e.Query) + len(e.answer) + cap(e.Headers)*header
	if e.request != nil {
		size += cap(e.request.text())
	}
	for _, h := range e.Headers {
		size += len(h.Value)
	}
	for _, note := range e.Diagnosis {
		size += len(note)
	}
	return int64(size)
}

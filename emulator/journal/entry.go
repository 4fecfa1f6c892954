package journal

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const (
	// MaxBody is how much of a request's body, and of an answer's, an entry has, in bytes.
	MaxBody = 16 << 10

	maxText = 2 << 10 // of a path, a query, a header, in bytes
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

	request, answer body
}

// Header is one line of a request's header.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// body is a body as far as an entry has it.
type body struct {
	text []byte
	size int64 // of the whole
	cut  bool

	redacted bool // else an answer, whose secrets are masked when it is shown
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
	e := &Entry{
		Method: strings.Clone(asked.Method), // Method, path and query are parts of a line that may be long.
		Path:   strings.Clone(api.Mask(cutText(asked.Path))),
		Query:  strings.Clone(api.MaskQuery(cutText(asked.Query))),
		answer: body{text: answer, size: int64(len(answer))},
	}
	if len(answer) > MaxBody {
		e.answer.text, e.answer.cut = bytes.Clone(answer[:MaxBody]), true
	}
	for _, name := range headers {
		for _, value := range asked.Header[name] {
			e.Headers = append(e.Headers, Header{name, api.Mask(cutText(value))})
		}
	}
	if asked.Size > 0 {
		beginning := asked.Body[:min(len(asked.Body), MaxBody)]
		cut := int64(len(beginning)) < asked.Size
		if cut { // the beginning of a number is not recognized as one
			beginning = bytes.TrimRightFunc(beginning, func(r rune) bool { return !unicode.IsLetter(r) })
		}
		e.request = body{text: api.MaskBody(beginning), size: asked.Size, cut: cut, redacted: true}
	}
	return e
}

// headers are the request's headers that an entry has. Authorization is never among them.
var headers = []string{
	"Accept", "Content-Encoding", "Content-Type", "Idempotency-Key", "Traceparent", "User-Agent", "X-Correlation-Id",
	"X-Request-Id",
}

// Headers lists the request's headers that an entry has.
func Headers() []string { return slices.Clone(headers) }

func cutText(text string) string {
	if len(text) <= maxText {
		return text
	}
	return text[:maxText] + "..."
}

// size returns about how many bytes of memory an entry takes.
func (e *Entry) size() int64 {
	const entry, header = 640, 32 // without their texts, and with a share of the ring
	size := entry + len(e.Path) + len(e.Query) + cap(e.request.text) + len(e.answer.text) + cap(e.Headers)*header
	for _, h := range e.Headers {
		size += len(h.Value)
	}
	for _, note := range e.Diagnosis {
		size += len(note)
	}
	return int64(size)
}

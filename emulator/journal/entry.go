package journal

import (
	"bytes"
	"net/http"
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

// Entry is one request and its answer. No entry has a key or a social security number that a client sent, in whatever
// part of the request.
type Entry struct {
	ID        string // of the request, as in Understudy-Request-Id
	Sequence  uint64 // its number in the world, from 1, in the order of the answers; see [Shared] for those of several replicas
	Time      time.Time
	Wall      time.Time // when it came, by the machine's clock; Time is by the world's
	Duration  time.Duration
	Method    string
	Path      string // decoded
	Query     string // as it was sent
	Operation string // in the OpenAPI document
	Status    int    // 0: the connection was broken off instead
	Fault     string // that an answer had on its way, or instead of which there was none
	Scenario  string // that decided the answer
	Rule      string // of a scenario, that decided it: file:line:column
	Headers   []Header
	Diagnosis []string

	request, answer kept
	lines           [4]Header // has the headers of most entries
}

// Header is one line of a request's header.
type Header struct{ Name, Value string }

// kept is a body as far as it is kept.
type kept struct {
	text []byte
	size int64 // of the whole
	cut  bool

	redacted bool // nothing in it is secret; else an answer's body is looked through when it is shown
}

// Asked is a request as it came. What of it is secret is left out of the entry that is made of it.
type Asked struct {
	Method, Path, Query string
	Target              int // how long the target was that Path and Query are parts of; 0: no longer than these
	Header              http.Header
	Body                []byte // its beginning is enough
	Size                int64  // of the whole body
}

// NewEntry returns an entry for a request and the body of its answer, which must not change any more.
func NewEntry(asked Asked, answer []byte) *Entry {
	e := &Entry{Method: keepMethod(asked.Method), answer: keepAnswer(answer)}
	e.keepTarget(asked)
	e.keepHeaders(asked.Header)
	if asked.Size > 0 {
		beginning := asked.Body[:min(len(asked.Body), MaxBody)]
		cut := int64(len(beginning)) < asked.Size
		if cut { // what is left of a number is not known for one
			beginning = bytes.TrimRightFunc(beginning, func(r rune) bool { return !unicode.IsLetter(r) })
		}
		e.request = kept{text: api.MaskBody(beginning), size: asked.Size, cut: cut}
	}
	return e
}

// keepMethod returns a method without the line that it is a part of.
func keepMethod(method string) string {
	if i := slices.Index(methods, method); i >= 0 {
		return methods[i]
	}
	return strings.Clone(method)
}

// spare is how much longer than what is kept of it a target may be that is held whole, in bytes.
const spare = 64

// keepTarget keeps a path and a query. They are parts of the line that the server has read: that may stay as it is while
// most of it is kept, and else nothing of it is held.
func (e *Entry) keepTarget(asked Asked) {
	e.Path, e.Query = api.Mask(cutText(asked.Path)), api.MaskQuery(cutText(asked.Query))
	if target := max(asked.Target, len(asked.Path)+len(asked.Query)); target > len(e.Path)+len(e.Query)+spare {
		e.Path, e.Query = strings.Clone(e.Path), strings.Clone(e.Query)
	}
}

// keepAnswer keeps the bytes themselves when they are few, as they are most often those of a document that is answered
// again and again.
func keepAnswer(answer []byte) kept {
	k := kept{text: answer, size: int64(len(answer))}
	if len(answer) > MaxBody {
		k.text, k.cut = bytes.Clone(answer[:MaxBody]), true
	}
	return k
}

// headers are the lines of a request that an entry has. Authorization is never among them.
var headers = []string{
	"Accept", "Content-Encoding", "Content-Type", "Idempotency-Key", "Traceparent", "User-Agent", "X-Correlation-Id",
	"X-Request-Id",
}

// Headers lists the headers of a request that an entry has.
func Headers() []string { return slices.Clone(headers) }

func (e *Entry) keepHeaders(all http.Header) {
	e.Headers = e.lines[:0]
	for _, name := range headers {
		for _, value := range all[name] {
			e.Headers = append(e.Headers, Header{name, api.Mask(cutText(value))})
		}
	}
}

// cutText cuts a text that is too long, so that nothing of it is held.
func cutText(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.Clone(text[:maxText]) + "..."
}

// entrySize is about what an entry takes by itself, with its share of the book, in bytes.
const entrySize = 768

// headerSize is what a line of a header takes without its text, in bytes.
const headerSize = 32

// size is about what an entry takes without the body of its answer, in bytes.
func (e *Entry) size() int64 {
	size := entrySize + len(e.Path) + len(e.Query) + cap(e.request.text)
	if cap(e.Headers) > len(e.lines) { // they have not stayed within the entry
		size += cap(e.Headers) * headerSize
	}
	for _, h := range e.Headers {
		size += len(h.Value)
	}
	for _, note := range e.Diagnosis {
		size += len(note)
	}
	return int64(size)
}

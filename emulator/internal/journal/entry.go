package journal

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const (
	// MaxBody is the maximum size of a captured body, in bytes. Of a larger body an entry has the beginning.
	MaxBody = 16 << 10

	maxText    = 2 << 10 // bytes of a path, a query or a header
	maxHeaders = 32      // header lines
)

// Kind is what an entry is of.
type Kind string

const (
	KindRequest Kind = "request" // of a client
	KindWebhook Kind = "webhook" // an attempt to deliver an event to a client
)

// Values lists the kinds.
func (Kind) Values() []Kind { return []Kind{KindRequest, KindWebhook} }

// Check returns a 400 for a text that is no kind.
func (k Kind) Check() error {
	if k == "" || slices.Contains(k.Values(), k) {
		return nil
	}
	kinds := []string{string(KindRequest), string(KindWebhook)}
	return api.Because(http.StatusBadRequest, "The kind "+api.Quote(string(k))+" is neither request nor webhook"+api.DidYouMean(string(k), kinds, ""))
}

// Entry is one request and its answer. API keys and social security numbers are masked in all of its parts.
type Entry struct {
	ID        string    // of the request, as in Understudy-Request-Id
	Kind      Kind      // "" is KindRequest
	Delivery  string    // id of a webhook's delivery
	Sequence  uint64    // number of the entry in its world, from 1, in the order of the answers
	Time      time.Time // when the request arrived, by the world's clock
	Wall      time.Time // the same by the machine's clock
	Duration  time.Duration
	Method    string
	Path      string // decoded; of a webhook the whole URL
	Query     string // as sent
	Operation string // operation id of the OpenAPI document
	Status    int    // 0 if the connection was closed without an answer
	Fault     string // injected into the answer, or instead of it
	Scenario  string // of the answer
	Rule      string // of the answer: file:line:column
	Headers   []Header
	Diagnosis []string

	ResponseHeaders []Header // none in entries of earlier releases

	request, response *Body
	rawResponse       []byte // the content of response, unmasked: most are never read, and Response masks them then
}

// Header is one header line of a request or an answer.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Body is a captured body. It has either JSON or Text.
type Body struct {
	JSON      jsontext.Value `json:"json"` // null if the body is not JSON or is truncated
	Text      *string        `json:"text"`
	Size      int64          `json:"size"` // of the whole body, in bytes
	Truncated bool           `json:"truncated"`
}

// Request is a request as received, or a webhook as sent, unmasked.
type Request struct {
	Kind                Kind
	Method, Path, Query string
	Header              map[string][]string
	Body                []byte // at least the first MaxBody bytes
	Size                int64  // of the whole body
	Omitted             int64  // bytes by which Body is shorter than what was sent of it
}

// NewEntry returns an entry for a request and its response, whose body the caller must not change later.
func NewEntry(r Request, response []byte, answered map[string][]string) *Entry {
	e := &Entry{Kind: r.Kind, Method: masked(r.Method, api.Mask), Path: masked(r.Path, api.Mask), Query: masked(r.Query, api.MaskQuery)}
	e.Headers = headerLines(r.Header, headers)
	if e.Kind == KindWebhook {
		e.Headers = append(e.Headers, tokenLines(r.Header)...)
	}
	e.ResponseHeaders = headerLines(answered, slices.Sorted(maps.Keys(answered)))
	if r.Size > 0 {
		beginning := r.Body[:min(len(r.Body), MaxBody)]
		truncated := int64(len(beginning))+r.Omitted < r.Size
		if truncated { // the masker does not recognize the beginning of a social security number
			beginning = bytes.TrimRightFunc(beginning, func(r rune) bool { return !unicode.IsLetter(r) })
		}
		e.request = newBody(api.MaskBody(beginning), r.Size, truncated)
	}
	if size := len(response); size > 0 {
		e.response = &Body{Size: int64(size), Truncated: size > MaxBody}
		if e.rawResponse = response; size > MaxBody {
			e.rawResponse = bytes.Clone(response[:MaxBody])
		}
	}
	return e
}

// headerLines returns the lines of named headers, masked.
func headerLines(from map[string][]string, names []string) (lines []Header) {
	for _, name := range names {
		values := from[name]
		for _, value := range values[:min(len(values), maxHeaders-len(lines))] {
			lines = append(lines, Header{name, value}.masked())
		}
	}
	return lines
}

// tokenLines returns the header lines of a webhook that are not among headers, each with the last four characters of its value.
func tokenLines(from map[string][]string) (lines []Header) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		for _, value := range from[name] {
			if !slices.Contains(headers, name) {
				lines = append(lines, Header{name, "…" + value[max(len(value)-4, min(len(value), 4)):]})
			}
		}
	}
	return lines
}

// masked masks the value, unless the emulator made it and it only looks like a secret, as the id of a world does.
func (h Header) masked() Header {
	mask := api.Mask
	switch h.Name {
	case "Content-Length", "Date", "Understudy-Request-Id", "Understudy-World":
		mask = strings.Clone
	}
	return Header{h.Name, masked(h.Value, mask)}
}

// masked returns a masked copy of a text, up to maxText. It copies, because the text may share the memory of a longer line.
func masked(text string, mask func(string) string) string {
	if text == "" {
		return ""
	}
	text = mask(text) // whole: the masker does not recognize the beginning of a social security number
	if len(text) > maxText {
		return text[:maxText] + "..."
	}
	return strings.Clone(text)
}

// headers are the names of the recorded headers. Authorization must never be one of them.
var headers = []string{
	"Accept", "Content-Encoding", "Content-Type", "Idempotency-Key", "Traceparent", "User-Agent", "X-Correlation-Id",
	"X-Request-Id",
}

// Headers returns the names of the recorded headers.
func Headers() []string { return slices.Clone(headers) }

func newBody(text []byte, size int64, truncated bool) *Body {
	b := &Body{Size: size, Truncated: truncated}
	if value := jsontext.Value(text); !truncated && value.IsValid() {
		b.JSON = value
	} else {
		b.Text = new(string(text))
	}
	return b
}

// Request returns the request's body, nil without one.
func (e *Entry) Request() *Body { return e.request }

// Response returns the response's body, nil without one.
func (e *Entry) Response() *Body {
	if e.rawResponse == nil {
		return e.response
	}
	return newBody(api.MaskBody(e.rawResponse), e.response.Size, e.response.Truncated)
}

// Answered reports whether the response's body has something, as it came and as it is shown. Masking takes long: most bodies
// do not have it as they came.
func Answered(e *Entry, has func([]byte) bool) bool {
	if e.rawResponse == nil {
		return has(e.response.Content())
	}
	return has(e.rawResponse) && has(e.Response().Content())
}

// Content returns the captured bytes, nil without a body.
func (b *Body) Content() []byte {
	if b == nil {
		return nil
	}
	if b.Text != nil {
		return []byte(*b.Text)
	}
	return b.JSON
}

// size returns the approximate memory of an entry, in bytes.
func (e *Entry) size() int64 {
	const entry, header = 640, 32 // without their texts; entry includes its share of the ring
	size := entry + len(e.Method) + len(e.Path) + len(e.Query) + len(e.rawResponse) + (cap(e.Headers)+cap(e.ResponseHeaders))*header
	size += cap(e.request.Content())
	for _, lines := range [][]Header{e.Headers, e.ResponseHeaders} {
		for _, h := range lines {
			size += len(h.Value)
		}
	}
	for _, finding := range e.Diagnosis {
		size += len(finding)
	}
	return int64(size)
}

// Outcome returns the status of the answer and its fault, or --- for a connection without an answer.
func (e *Entry) Outcome() string {
	outcome := "---"
	if e.Status != 0 {
		outcome = strconv.Itoa(e.Status)
	}
	if e.Fault != "" {
		outcome += " (" + e.Fault + ")"
	}
	return outcome
}

// Excerpt returns up to size bytes of a body as valid UTF-8.
func (b *Body) Excerpt(size int) string {
	shown := string(b.Content())
	if len(shown) > size {
		shown = shown[:size] + "..."
	}
	return strings.ToValidUTF8(shown, "\uFFFD")
}

// Package recorded says what is known of a recorded request: its reason, its differences from another one, its row, and its code.
package recorded

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// SnippetOf returns an entry's request as code, with placeholders for what the journal does not have.
func SnippetOf(x *frame.Exchange, e *journal.Entry) Snippet {
	s := SnippetFor(x, "code", e.Method, "", "")
	s.URL += s.target(e)
	for _, h := range e.Headers {
		if h.Name != "User-Agent" {
			s.Headers = append(s.Headers, journal.Header{Name: h.Name, Value: s.Recorded("A header", h.Value)})
		}
	}
	if body := e.Request(); body != nil {
		s.record(body)
	}
	if x.Status != nil { // a test has a world
		s.Status = e.Status
	}
	return s
}

// target returns the path and the query. The path of an entry is decoded: its id is escaped again as one segment.
func (s *Snippet) target(e *journal.Entry) string {
	kind, id, rest := PartsOf(e)
	target := kind + url.PathEscape(s.Recorded("The path", id)) + rest
	if id == "." || id == ".." {
		s.unlike("Python and Node take the id for a step of the path: they cannot send it.")
	}
	if e.Query == "" {
		return target
	}
	if _, err := url.PathUnescape(e.Query); err != nil {
		s.unlike("The query had a % that begins no escape, which few clients can send: it is %25 here.")
	}
	return target + "?" + address(s.Recorded("The query", e.Query))
}

// PartsOf splits an entry's path into the part before the id, the id, and the part after it.
func PartsOf(e *journal.Entry) (kind, id, rest string) {
	if e.Kind == journal.KindWebhook {
		return e.Path, "", ""
	}
	path := e.Path
	if trimmed := strings.TrimSuffix(path, "/"); trimmed != path {
		path, rest = trimmed, "/"
	}
	if e.Operation == "cancelVerificationRequest" {
		if trimmed, ok := strings.CutSuffix(path, "/cancel"); ok {
			path, rest = trimmed, "/cancel"+rest
		}
	}
	if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 && !strings.HasPrefix(path, "/credentials/") {
		return path[:i+2], path[i+2:], rest
	}
	return path, "", rest
}

// record adds a recorded body. A truncated or binary one must come from a file.
func (s *Snippet) record(b *journal.Body) {
	text := RawBody(b)
	switch {
	case b.Truncated:
		s.File = true
		s.unlike(fmt.Sprintf("Only the beginning of the body, %s, is recorded: put the whole body into a file named body.", words.BytesOf(b.Size)))
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		s.File = true
		s.unlike("The body is not text: put it into a file named body.")
	default:
		s.Body = s.Recorded("The body", text)
	}
}

// The journal's masks of social security numbers, and of keys and longer numbers.
var (
	maskedNumber = words.Expression(`\*\*\*-\*\*-([0-9]{4})`)
	masked       = words.Expression(`\*{3}|###|(?:%23){3}`)
)

// Recorded returns a recorded part of the request, and adds its differences from the sent one. It replaces masked social
// security numbers by valid ones that no person has.
func (s *Snippet) Recorded(part, text string) string {
	numbered := maskedNumber().ReplaceAllString(text, "000-00-$1")
	if numbered != text {
		s.unlike(part + " had a social security number, of which the last four digits are recorded: 000-00- before them is valid for test people only.")
	}
	if masked().MatchString(numbered) {
		s.unlike(part + " had a secret that the journal does not have, such as a key or a long number: put it in place of *** or ###.")
	}
	if len(text) > 1<<10 && strings.HasSuffix(text, "...") {
		s.unlike(part + " was longer: only the beginning is recorded.")
	}
	return numbered
}

// unlike adds a difference, once.
func (s *Snippet) unlike(what string) {
	if !slices.Contains(s.Unlike, what) {
		s.Unlike = append(s.Unlike, what)
	}
}

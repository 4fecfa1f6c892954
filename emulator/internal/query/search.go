package query

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// word is a word of a search, masked and in lower case.
type word struct {
	text     []byte
	ofStatus func(int) bool
	only     bool // see statusOf
}

// wordsOf returns the words of a search.
func wordsOf(text string) (words []word) {
	if _, err := ulid.ParseStrict(text); err != nil { // it is not the id of a request, which may look like a secret
		text = api.Mask(text)
	}
	for _, text := range strings.Fields(strings.ToLower(text)) {
		status, only := statusOf(text)
		words = append(words, word{[]byte(text), status.matcher(), only})
	}
	return words
}

// hasWords reports whether an entry, as it is shown, has all words: each as the status, in a text, or in a body.
func hasWords(e *journal.Entry, words []word) bool {
	texts := []byte(strings.Join(append([]string{e.ID, e.Method, e.Path, e.Query, e.Scenario, e.Fault}, e.Diagnosis...), "\n"))
	asked := e.Request().Content()
	var left []word
	for _, w := range words {
		if found := w.ofStatus(e.Status); w.only && !found {
			return false
		} else if !found && !w.in(texts) && !w.in(asked) {
			left = append(left, w)
		}
	}
	return len(left) == 0 || journal.Answered(e, func(body []byte) bool {
		return !slices.ContainsFunc(left, func(w word) bool { return !w.in(body) })
	})
}

// in reports whether a text has the word, in any case. It copies no text for a word in ASCII: a search reads thousands of bodies.
func (w word) in(text []byte) bool {
	if slices.ContainsFunc(w.text, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return bytes.Contains(bytes.ToLower(text), w.text)
	}
	first := w.text[0]
	capital := byte(unicode.ToUpper(rune(first)))
	return w.from(text, first) || capital != first && w.from(text, capital)
}

// from is in, where the word begins with a byte as it is.
func (w word) from(text []byte, first byte) bool {
	for {
		at := bytes.IndexByte(text, first)
		if at < 0 || len(text) < at+len(w.text) {
			return false
		}
		if bytes.EqualFold(text[at:at+len(w.text)], w.text) {
			return true
		}
		text = text[at+1:]
	}
}

// statusOf returns the status filter that a word of a search is. With a sign, as in status>=400, 400,406 and -200, it is only that;
// another word may also be in a text.
func statusOf(word string) (status Status, only bool) {
	value, named := strings.CutPrefix(word, "status")
	if named && value != "" && strings.ContainsAny(value[:1], "<>=") {
		return Status(strings.TrimPrefix(value, "=")), true
	}
	_, _, ok := Status(word).parse()
	return Status(word), ok && strings.ContainsAny(word, "<>,-")
}

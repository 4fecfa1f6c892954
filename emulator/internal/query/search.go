package query

import (
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// word is a word of a search, masked and in lower case.
type word struct {
	text     string
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
		words = append(words, word{text, status.matcher(), only})
	}
	return words
}

// hasWords reports whether an entry, as it is shown, has all words: each as the status, in a text, or in a body.
func hasWords(e *journal.Entry, words []word) bool {
	texts := strings.Join([]string{e.ID, e.Method, e.Path, e.Query, e.Scenario, e.Fault, string(e.Request().Content())}, "\n")
	texts = strings.ToLower(texts)
	var left []word
	for _, w := range words {
		if found := w.ofStatus(e.Status); w.only && !found {
			return false
		} else if !found && !strings.Contains(texts, w.text) {
			left = append(left, w)
		}
	}
	return len(left) == 0 || journal.Answered(e, func(body []byte) bool {
		text := strings.ToLower(string(body))
		return !slices.ContainsFunc(left, func(w word) bool { return !strings.Contains(text, w.text) })
	})
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

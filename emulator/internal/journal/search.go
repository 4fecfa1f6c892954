package journal

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// search is the words of a search, and what it has read of the entries so far.
type search struct {
	words []word
	read  map[readAnswer]bool // entries that show the same document share its bytes: each is read once
	texts []byte              // of an entry, without its answer's body
}

// word is a word of a search, masked and in lower case.
type word struct {
	text     []byte
	ofStatus func(int) bool
	only     bool // see statusOf
}

// readAnswer is an answer's body, and the index of a word in it.
type readAnswer struct {
	body       *byte
	size, word int
}

func newSearch(text string) *search {
	s := &search{read: make(map[readAnswer]bool)}
	if _, err := ulid.ParseStrict(text); err != nil { // it is not the id of a request, which may look like a secret
		text = api.Mask(text)
	}
	for _, text := range strings.Fields(strings.ToLower(text)) {
		status, only := statusOf(text)
		s.words = append(s.words, word{[]byte(text), status.matcher(), only})
	}
	return s
}

// in reports whether an entry, as it is shown, has all words: each in a text, or as the status.
func (s *search) in(e *Entry) bool {
	s.texts = s.texts[:0]
	for _, text := range []string{e.ID, e.Method, e.Path, e.Query, e.Scenario, e.Fault} {
		s.texts = append(append(s.texts, text...), '\n')
	}
	s.texts = append(s.texts, e.request.content()...)
	for i, w := range s.words {
		if found := w.ofStatus(e.Status); !found && (w.only || !hasWord(s.texts, w.text) && !s.answered(e, i)) {
			return false
		}
	}
	return true
}

// answered reports whether an answer's body, as it is shown, has a word.
func (s *search) answered(e *Entry, i int) bool {
	word := s.words[i].text
	if e.rawResponse == nil {
		return hasWord(e.response.content(), word)
	}
	key := readAnswer{&e.rawResponse[0], len(e.rawResponse), i}
	found, ok := s.read[key]
	if !ok {
		found = hasWord(e.rawResponse, word) && hasWord(e.Response().content(), word) // masking takes longest
		s.read[key] = found
	}
	return found
}

// byFrequency are the characters of bodies, the most frequent first.
const byFrequency = "e ta\"noirs_lmdcpyu:,0125-.hbgfvwkxjqz"

// hasWord reports whether a text has a word, which is in lower case, in any case. It copies nothing, and looks for the rarest
// character of the word.
func hasWord(text, word []byte) bool {
	at, rarest := 0, -1
	for i, c := range word {
		if c >= utf8.RuneSelf {
			return bytes.Contains(bytes.ToLower(text), word)
		}
		rank := strings.IndexByte(byFrequency, c)
		if rank < 0 {
			rank = len(byFrequency)
		}
		if rank > rarest {
			at, rarest = i, rank
		}
	}
	c, capital := word[at], byte(unicode.ToUpper(rune(word[at])))
	return hasAround(text, word, at, c) || capital != c && hasAround(text, word, at, capital)
}

// hasAround is hasWord, with a character at an index of the word as it is.
func hasAround(text, word []byte, at int, c byte) bool {
	for from := at; from < len(text); from++ {
		i := bytes.IndexByte(text[from:], c)
		begin := from + i - at
		if i < 0 || begin+len(word) > len(text) {
			return false
		}
		if bytes.EqualFold(text[begin:begin+len(word)], word) {
			return true
		}
		from += i
	}
	return false
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

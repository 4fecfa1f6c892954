package journal

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// maxSearch is the maximum length of [Filter].Text, in bytes: each word is searched in all bodies.
const maxSearch = 200

// word is a word of a search, masked and in lower case.
type word struct {
	plain, capital string
	text           []byte // plain
	status         Status // if it is one or a class
	digits         bool   // it has a digit
	rare           int    // the index of its rarest byte; -1 if the word is not ASCII
	lower, upper   byte
}

// wordsOf returns the words of a text.
func wordsOf(text string) (words []word) {
	if _, err := ulid.ParseStrict(text); err != nil { // it is not the id of a request, which may look like a secret
		text = api.Mask(text)
	}
	for _, plain := range strings.Fields(strings.ToLower(text)) {
		words = append(words, newWord(plain))
	}
	return words
}

// common are the bytes of bodies, the most frequent first.
const common = `"e_tanriosl:d,0cum-p2y1.g3h5f4b69v87kwxzjq`

func newWord(text string) word {
	status := Status(text)
	if status.Check() != nil {
		status = ""
	}
	w := word{plain: text, capital: strings.ToUpper(text), text: []byte(text), status: status, digits: strings.ContainsAny(text, "0123456789")}
	rank := func(c byte) uint { return uint(strings.IndexByte(common, c)) } // of an absent one the highest
	for i, c := range w.text {
		if c >= utf8.RuneSelf {
			w.rare = -1
			return w
		}
		if rank(c) > rank(w.text[w.rare]) {
			w.rare = i
		}
	}
	w.lower = w.text[w.rare]
	w.upper = w.capital[w.rare]
	return w
}

// matchesText reports whether an entry has all words.
func (e *Entry) matchesText(words []word, c *effort) bool {
	for _, w := range words {
		if !e.has(w, c) {
			return false
		}
	}
	return true
}

// has reports whether an entry has a word. It looks into the bodies last, as far as the effort goes.
func (e *Entry) has(w word, c *effort) bool {
	if w.status != "" && w.status.matches(e.Status) {
		return true
	}
	for _, field := range []string{e.Path, e.Query, e.Scenario} {
		if strings.Contains(strings.ToLower(field), w.plain) {
			return true
		}
	}
	if strings.Contains(e.ID, w.capital) || w.capital == e.Method || w.plain == e.Fault {
		return true
	}
	if w.rare < 0 && !c.spend(slowSteps) {
		return false
	}
	return e.request != nil && w.index(e.request.content()) >= 0 || w.isShown(e, c)
}

// slowSteps is the steps of folding the case of an entry's bodies, for a word that is not ASCII, and of masking the surroundings
// of a word.
const slowSteps = 16

// Whether a text is a part of a secret depends on so many bytes around it for a number, and before it for a key.
const nearNumber, nearKey = 40, 160

// isShown reports whether the word is in the response as it is shown. Most responses are kept unmasked, and are too many to
// be masked whole: only the surroundings of the word are.
func (w word) isShown(e *Entry, c *effort) bool {
	if e.rawResponse == nil {
		return e.response != nil && w.index(e.response.content()) >= 0
	}
	text := e.rawResponse
	for from := 0; c.spend(slowSteps); from++ {
		i := w.index(text[from:])
		if i < 0 {
			return false
		}
		from += i
		begin, end := max(0, from-nearNumber), min(len(text), from+len(w.text)+nearNumber)
		if key := text[max(0, from-nearKey):end]; bytes.Contains(key, []byte("k_")) || bytes.ContainsAny(key, `%\&`) {
			begin = end - len(key)
		} else if !w.digits {
			return true
		}
		if w.index([]byte(api.Mask(string(text[begin:end])))) >= 0 {
			return true
		}
	}
	return false
}

// index returns where the word begins in a text, in any case; -1 for nowhere. It goes from one rarest byte to the next.
func (w word) index(text []byte) int {
	if w.rare < 0 {
		return bytes.Index(bytes.ToLower(text), w.text)
	}
	next := func(c byte, from int) int {
		if i := bytes.IndexByte(text[from:], c); i >= 0 {
			return from + i
		}
		return len(text)
	}
	lower, upper := -1, -1
	if w.lower == w.upper {
		upper = len(text)
	}
	for at := 0; ; at++ {
		if lower < at {
			lower = next(w.lower, at)
		}
		if upper < at {
			upper = next(w.upper, at)
		}
		at = min(lower, upper)
		begin, end := at-w.rare, at-w.rare+len(w.text)
		if end > len(text) {
			return -1
		}
		if begin >= 0 && bytes.EqualFold(text[begin:end], w.text) {
			return begin
		}
	}
}

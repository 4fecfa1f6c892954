// Package explain words what is wrong with a text for its sender: errors of decoding and unknown words flow in, sentences flow out.
// What they quote is masked and short.
package explain

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/mask"
)

const (
	quotedLength  = 60   // characters of a quoted text
	excerptLength = 200  // characters of an excerpt
	readLength    = 4096 // bytes of a text that are read for an excerpt
)

// Excerpt masks a text and shortens it to 200 characters. It reads only the first 4 KiB of a long text.
func Excerpt(text string) string {
	if len(text) > readLength {
		text = strings.TrimRightFunc(text[:readLength], mayBeginNumber) + "..."
	}
	return shorten(mask.Text(text), excerptLength)
}

// mayBeginNumber reports whether a number, possibly percent-encoded, may begin with such characters.
func mayBeginNumber(r rune) bool {
	return !unicode.IsLetter(r) || strings.ContainsRune("abcdefuABCDEF", r)
}

// Quote quotes a text for a diagnosis, a header or a log: masked, at most 60 characters, ASCII. What is quoted is masked
// again, because an escape such as \x12 may look like the first digits of a number.
func Quote(text string) string {
	return mask.Text(strconv.QuoteToASCII(shorten(Excerpt(text), quotedLength)))
}

// shorten returns the first characters of a text, with "..." for the rest.
func shorten(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return text
}

// DidYouMean returns ": did you mean X?" for the nearest of some words, or otherwise if none is near.
func DidYouMean(mistyped string, words []string, otherwise string) string {
	if nearest, ok := Nearest(mistyped, words); ok {
		return ": did you mean " + nearest + "?"
	}
	return otherwise
}

// Nearest returns the most similar of some words, ignoring case. It differs by at most two letters, and by less than half of
// the word. Without one Nearest returns a word of the same letters, or the only word that begins with the given one.
func Nearest(word string, words []string) (nearest string, ok bool) {
	best, typed := min(2, (len(word)-1)/2), strings.ToLower(word)
	var longer []string // words that begin with what was typed
	swapped := ""       // a word of the same letters
	for _, candidate := range words {
		lower := strings.ToLower(candidate)
		if len(lower) == len(typed) && letters(lower) == letters(typed) {
			swapped = candidate
		}
		if len(typed) >= 3 && strings.HasPrefix(lower, typed) {
			longer = append(longer, candidate)
		}
		if difference := len(lower) - len(typed); difference < -best || difference > best {
			continue
		}
		if distance := levenshtein.ComputeDistance(typed, lower); distance < best || distance == best && !ok {
			nearest, best, ok = candidate, distance, true
		}
	}
	switch {
	case ok:
		return nearest, true
	case swapped != "":
		return swapped, true
	case len(longer) == 1:
		return longer[0], true
	}
	return "", false
}

// letters returns the letters of a word in order.
func letters(word string) string {
	sorted := []rune(word)
	slices.Sort(sorted)
	return string(sorted)
}

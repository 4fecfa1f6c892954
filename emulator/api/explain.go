package api

import (
	"reflect"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/explain"
)

// ExplainJSON explains an error of decoding JSON to the sender: what is wrong, and where. It repeats no value, which may be
// a secret, and uses no word of Go.
func ExplainJSON(err error) string { return explain.JSON(err, "") }

// Missing returns the first problem of JSON that lacks a required member of a type, such as "cursor.entered is missing", or
// "". A member is required if encoding the type always writes it. Types that decode themselves are not checked.
func Missing(text []byte, of reflect.Type) string { return explain.Missing(text, of, "") }

// Excerpt masks a text and shortens it to 200 characters. It reads only the first 4 KiB of a long text.
func Excerpt(text string) string { return explain.Excerpt(text) }

// Quote quotes a text for a diagnosis, a header or a log: masked, at most 60 characters, ASCII.
func Quote(text string) string { return explain.Quote(text) }

// DidYouMean returns ": did you mean X?" for the nearest of some words, or otherwise if none is near.
func DidYouMean(mistyped string, words []string, otherwise string) string {
	return explain.DidYouMean(mistyped, words, otherwise)
}

// Nearest returns the most similar of some words, ignoring case; ok is false when none is near.
func Nearest(word string, words []string) (nearest string, ok bool) {
	return explain.Nearest(word, words)
}

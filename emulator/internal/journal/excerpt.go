package journal

import (
	"strconv"
	"strings"
)

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
	shown := string(b.content())
	if len(shown) > size {
		shown = shown[:size] + "..."
	}
	return strings.ToValidUTF8(shown, "\uFFFD")
}

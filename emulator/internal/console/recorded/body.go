package recorded

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// BodyText returns a recorded body for people: JSON is indented.
func BodyText(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return words.Indented(b.JSON)
}

// RawBody returns a recorded body as it is.
func RawBody(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return string(b.JSON)
}

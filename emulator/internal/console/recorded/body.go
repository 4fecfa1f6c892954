package recorded

import "github.com/understudy-sandbox/understudy/emulator/internal/journal"

// RawBody returns a recorded body as it is.
func RawBody(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return string(b.JSON)
}

package console

import "github.com/understudy-sandbox/understudy/emulator/internal/journal"

func bodyText(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return indented(b.JSON)
}

// rawBody returns a recorded body as it is.
func rawBody(b *journal.Body) string {
	if b.Text != nil {
		return *b.Text
	}
	return string(b.JSON)
}

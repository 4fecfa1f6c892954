package console

import "testing"

// drawn returns what a part of a page makes of data.
func drawn(t *testing.T, part string, data any) string {
	t.Helper()
	text, err := render("verification", part, data)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

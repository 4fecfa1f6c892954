package journal

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A search without copies finds what one in a copy in lower case finds.
func TestHasWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abAB_."é-]{0,40}`).Draw(t, "text")
		word := strings.ToLower(rapid.StringMatching(`[abAB_."é-]{1,4}`).Draw(t, "word"))
		want := bytes.Contains(bytes.ToLower([]byte(text)), []byte(word))
		if got := hasWord([]byte(text), []byte(word)); got != want {
			t.Errorf("%q in %q: %t, want %t", word, text, got, want)
		}
	})
}

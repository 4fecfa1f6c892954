package guard_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/guard"
)

// Tokens are compared by their hashes, in a constant time: how much of a wrong one is right changes nothing in the work
// that is done.
func TestOnlyTheTokenItselfIsTheToken(t *testing.T) {
	t.Parallel()
	g := guard.Guard{Token: "correct-horse"}
	for text, want := range map[string]bool{
		"correct-horse": true, "": false, "correct-hors": false, "correct-horse ": false, "Correct-horse": false, "correct-horsf": false,
		"correct-horse\x00": false, strings.Repeat("correct-horse", 10_000): false,
	} {
		if g.IsToken(text) != want {
			t.Errorf("%.20q", text)
		}
	}
}

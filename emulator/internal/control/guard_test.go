package control_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
)

// That a comparison takes the same time whatever of a text is right is what crypto/subtle and crypto/hmac, which do it, are
// for: a test with a clock would add nothing to that but chance.
func TestGuardToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	g := control.Guard{Token: token}
	proof := g.Proof()
	for name, tt := range map[string]struct {
		right string
		is    func(string) bool
	}{"token": {token, g.IsToken}, "proof": {proof, g.IsProof}} {
		for text, want := range map[string]bool{
			tt.right: true, "": false, tt.right[:len(tt.right)-1]: false, tt.right + " ": false, "C" + tt.right[1:]: false,
			tt.right[:len(tt.right)-1] + "x": false, tt.right + "\x00": false, strings.Repeat(tt.right, 10_000): false,
		} {
			if tt.is(text) != want {
				t.Errorf("%s: %.20q", name, text)
			}
		}
	}
	if other := (control.Guard{Token: "other"}); other.IsProof(proof) || g.IsProof(token) || g.IsToken(proof) {
		t.Error("the token and the proof of one are taken for those of another")
	}
}

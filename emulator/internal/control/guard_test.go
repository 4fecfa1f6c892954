package control_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
)

// The constant time of the comparisons is left to crypto/subtle and crypto/hmac: a timed test would fail by chance.
func TestGuardComparison(t *testing.T) {
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
		t.Error("a token or proof is accepted for another token")
	}
}

package guard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/guard"
)

// quickest returns the least time that each of some texts takes to be compared, in turns, so that what else the machine
// does meets all alike.
func quickest(texts []string, compare func(string) bool) []time.Duration {
	least := make([]time.Duration, len(texts))
	for range 500 {
		for i, text := range texts {
			began := time.Now()
			compare(text)
			if took := time.Since(began); least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	return least
}

// Somebody who measures learns nothing: a guess that is right but for its end takes as long as one that is wrong from its
// beginning. Compared byte by byte, one of this length would take thousands of times as long as the other.
func TestHowLongAComparisonTakesTellsNothingOfTheToken(t *testing.T) {
	token := strings.Repeat("correct-horse-", 4096)
	g := guard.Guard{Token: token}
	proof := g.Proof()
	for name, tt := range map[string]struct {
		right   string
		compare func(string) bool
	}{
		"the token":            {token, g.IsToken},
		"the proof of a visit": {proof, g.IsProof},
	} {
		last := len(tt.right) - 1
		least := quickest([]string{"x" + tt.right[1:], tt.right[:last] + "x", tt.right}, tt.compare)
		t.Logf("%s: wrong from the beginning %s, at the end %s, right %s", name, least[0], least[1], least[2])
		for _, took := range least[1:] {
			if ratio := float64(took) / float64(least[0]); ratio > 1.5 || ratio < 1/1.5 {
				t.Errorf("%s: %s beside %s", name, took, least[0])
			}
		}
	}
}

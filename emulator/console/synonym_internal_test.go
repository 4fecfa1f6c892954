package console

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestEverySynonymLeadsToAScenario(t *testing.T) {
	t.Parallel()
	builtin, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for word, also := range synonyms {
		found := false
		for _, s := range builtin.All() {
			found = found || strings.Contains(strings.Join(synonymsOf(s.Name), "\n")+"\n", also+"\n")
		}
		if !found {
			t.Errorf("no scenario has %s in its name", word)
		}
		if also != strings.ToLower(also) {
			t.Errorf("%s: a search looks at small letters: %s", word, also)
		}
	}
}

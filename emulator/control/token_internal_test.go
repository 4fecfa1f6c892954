package control

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Contract 2, --control-token. How long a comparison takes would tell how much of a guess is right: so two hashes, of one
// length whatever is guessed, are compared as a whole, and nothing else in this package looks into the token.
func TestTheTokenIsComparedWithoutTellingHowMuchIsRight(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`.*\bp\.Token\b.*|.*\bConfig\.Token\b.*`)
	var lines []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			lines = append(lines, used.FindAllString(string(text), -1)...)
		}
	}
	want := []string{ // whether there is one at all, and its hash
		`	if p.Token == "" || p.isToken(`,
		`	want, got := sha256.Sum256([]byte(p.Token)), sha256.Sum256([]byte(text))`,
	}
	if len(lines) != len(want) {
		t.Fatalf("the token is looked into elsewhere:\n%s", strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("%s is not %s", line, want[i])
		}
	}
	guard, err := os.ReadFile("guard.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guard), want[1]+"\n	return subtle.ConstantTimeCompare(want[:], got[:]) == 1\n") {
		t.Error("the hashes are not compared in a constant time")
	}
}

func TestOnlyTheTokenItselfIsTheToken(t *testing.T) {
	t.Parallel()
	p := plane{Config{Token: "correct-horse"}}
	for text, want := range map[string]bool{
		"correct-horse": true, "": false, "correct-hors": false, "correct-horse ": false, "Correct-horse": false, "correct-horsf": false,
		"correct-horse\x00": false, strings.Repeat("correct-horse", 10_000): false,
	} {
		if p.isToken(text) != want {
			t.Errorf("%.20q", text)
		}
	}
}

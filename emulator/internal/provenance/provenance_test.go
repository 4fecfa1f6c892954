package provenance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
)

// Each decision has a subject of its own, a class, and a test that exists.
func TestDecisions(t *testing.T) {
	t.Parallel()
	class, seen := regexp.MustCompile(`^(seen|ours|specification [0-9](\.[0-9])?)$`), map[string]bool{}
	for _, d := range provenance.Decisions() {
		if d.Subject == "" || d.Text == "" || seen[d.Subject] || !class.MatchString(d.Class) {
			t.Errorf("%+v is incomplete, or there twice", d)
		}
		seen[d.Subject] = true
		if lacks := missing(t, d.Test); lacks != "" {
			t.Errorf("%s: %s", d.Subject, lacks)
		}
	}
	for test, lacks := range map[string]bool{
		"emulator/internal/provenance TestDecisions": false, "emulator/internal/provenance TestNone": true, "emulator/internal/none TestDecisions": true,
		"emulator/internal/provenance TestDecisions/no case" + " of this name": true, "": true,
	} {
		if got := missing(t, test); got != "" != lacks {
			t.Errorf("%q: %q", test, got)
		}
	}
}

// missing says what there is not of a test: "" where its function and the words of its case are in the folder.
func missing(t *testing.T, test string) string {
	t.Helper()
	folder, name, _ := strings.Cut(test, " ")
	name, words, _ := strings.Cut(name, "/")
	files, err := filepath.Glob("../../../" + folder + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	function, inCase := false, false
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		function = function || strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
		inCase = inCase || strings.Contains(string(text), words)
	}
	switch {
	case name == "" || !function:
		return "there is no test " + test
	case !inCase:
		return "the tests of " + folder + " have no case " + words
	}
	return ""
}

func TestReason(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"publishable keys":             " (our decision; the specification is silent)",
		"cancel of a terminal request": " (seen in public material; the specification does not show it)",
		"a session's request":          "",
	} {
		if got := provenance.Reason(subject); got != want {
			t.Errorf("%s: %q, want %q", subject, got, want)
		}
	}
}

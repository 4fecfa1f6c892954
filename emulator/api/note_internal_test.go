package api

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
)

// Each kind of note belongs to a meaning of strict mode, and each meaning has one.
func TestNoteKinds(t *testing.T) {
	t.Parallel()
	used := make(map[string]int)
	for i, kind := range noteKinds[:moreNotes] {
		if lines := SumUp(map[string]int{kind.name: 2}); len(lines) != 1 || !strings.HasPrefix(lines[0], "2 ") || !strings.HasSuffix(lines[0], ": --strict="+kind.meaning) {
			t.Errorf("kind %d is summed up as %q", i, lines)
		}
		used[kind.meaning]++
		if kind.subject != "" {
			provenance.Reason(kind.subject) // panics for an unknown subject
		}
	}
	for _, m := range meanings {
		if used[m.word] == 0 || !strings.Contains(StrictUsage(), m.word+" ("+m.rejects+")") {
			t.Errorf("no kind has the meaning %s, or it is not listed", m.word)
		}
		delete(used, m.word)
	}
	if len(used) > 0 {
		t.Errorf("unknown meanings: %v", used)
	}
}

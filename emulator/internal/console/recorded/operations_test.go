package recorded_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
)

// Each operation has a short name of its own, and the name that rules have for it.
func TestOperations(t *testing.T) {
	t.Parallel()
	short := make(map[string]string)
	for _, op := range api.Operations() {
		of, ok := recorded.Operations[op.Name]
		if !ok {
			t.Errorf("%s has no short name: add it to operations.go", op.Name)
			continue
		}
		if want := op.Verb + " " + strings.ReplaceAll(op.Resource, " ", "_"); of.Rule != want {
			t.Errorf("rules name %s %q, want %q", op.Name, of.Rule, want)
		}
		if other := short[of.Short]; other != "" || of.Short == "" {
			t.Errorf("%s and %q are both %q", op.Name, other, of.Short)
		}
		short[of.Short] = op.Name
	}
	if len(recorded.Operations) != len(short) {
		t.Errorf("%d operations have short names, and there are %d", len(recorded.Operations), len(short))
	}
}

package console

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Each operation has a sample request.
func TestSampleForms(t *testing.T) {
	t.Parallel()
	for _, op := range api.Operations() {
		if sampleForms[op.Name].name == "" {
			t.Errorf("%s has no sample request", op.Name)
		}
	}
}

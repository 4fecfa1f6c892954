package console

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The sample request of each operation has a name and a button.
func TestSampleForms(t *testing.T) {
	t.Parallel()
	for _, op := range api.Operations() {
		if form := sampleForms[op.Name]; form.name == "" || form.button == "" {
			t.Errorf("%s has none", op.Name)
		}
	}
}

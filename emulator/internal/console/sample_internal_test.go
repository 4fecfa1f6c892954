package console

import (
	"slices"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Each operation has a sample request.
func TestSampleForms(t *testing.T) {
	t.Parallel()
	var operations, sampled []string
	for _, op := range api.Operations() {
		operations = append(operations, op.Name)
	}
	for _, form := range sampleForms {
		sampled = append(sampled, form.operation)
	}
	slices.Sort(operations)
	slices.Sort(sampled)
	if !slices.Equal(sampled, operations) {
		t.Errorf("the samples are of %v, the operations %v", sampled, operations)
	}
}

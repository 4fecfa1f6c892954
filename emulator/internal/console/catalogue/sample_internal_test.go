package catalogue

import (
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// The sample request of each operation has a name and a button.
func TestSampleForms(t *testing.T) {
	t.Parallel()
	every := scenarios.Scenario{Magic: scenarios.Magic{VerificationRequest: "vr_a", TenantProperty: "tp_a", QualificationCheck: "qc_a", SSN: scenarios.AnySSN}}
	names := map[string]bool{}
	for _, s := range every.Samples(true) {
		form := sampleForms[s.Operation.Name]
		if form.name == "" || form.button == "" || names[form.name] {
			t.Errorf("%s has none, or that of another one: %q", s.Operation.Name, form)
		}
		names[form.name] = true
	}
}

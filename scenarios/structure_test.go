package scenarios_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Spec 2.1 and 2.2: what the language refuses is refused of a shape that was read as JSON too, at its place.
func TestValidateFindsWhatTheLanguageRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "",
		`{"type":"assets","set":{"price":{"amount":"1.00"}},"reports":[{"pay":{"frequency":"weekly"}}]}`: "",
		`{"type":"loan"}`:                                        `type must be one of`,
		`{"use_case":"other"}`:                                   `use_case must be one of`,
		`{"permissible_purpose":"fun"}`:                          `permissible_purpose must be one of`,
		`{"employer_filter":"some"}`:                             `employer_filter must be one of`,
		`{"pricing_tier":"gold"}`:                                `pricing_tier must be one of`,
		`{"set":{"price":null}}`:                                 `set may not make price null`,
		`{"set":{"use_case":"zzz"}}`:                             `set gives use_case a value that is none of its own`,
		`{"set":{"state":"completed"}}`:                          `set may not set state`,
		`{"person":{"last_four":"123456789"}}`:                   `person.last_four must be the last four digits`,
		`{"reports":[{},{"employee":{"status_detail":"gone"}}]}`: `reports.1.employee.status_detail`,
		`{"reports":[{"set":{"disputes":null}}]}`:                `reports.0.set may not make disputes null`,
		`{"reseller_originating_party":{"use_case":"zzz"}}`:      `reseller_originating_party.permissible_purpose has the unknown value ""`,
		`{"reports":[` + strings.Repeat("{},", 20) + `{}]}`:      `reports may be 20 reports at most, these are 21`,
	} {
		var shape fixtures.VerificationShape
		if err := json.Unmarshal([]byte(text), &shape); err != nil {
			t.Fatal(err)
		}
		if got := firstViolation(shape); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestADocumentThatIsDrawnIsValid(t *testing.T) {
	t.Parallel()
	g := fixtures.Generator{Seed: 1}
	v := g.VerificationRequest("vr_a", "a", fixtures.VerificationShape{}, fixtures.Progress{State: api.StateCompleted})
	if got := firstViolation(v); got != "" {
		t.Error(got)
	}
	v.Target.SocialSecurityNumber = new("000-12-3456")
	if got := firstViolation(v); !strings.HasPrefix(got, "target.social_security_number must be obfuscated") {
		t.Errorf("of a whole number: %q", got)
	}
	v.State = "late"
	if got := firstViolation(v); !strings.HasPrefix(got, `state has the unknown value "late": it must be one of pending-approval`) {
		t.Errorf("of a state that is none: %q", got)
	}
}

// firstViolation returns the first violation of a structure in a line, "" when it has none.
func firstViolation(structure any) string {
	for _, f := range scenarios.Validate(structure) {
		return f.Field + " " + f.What
	}
	return ""
}

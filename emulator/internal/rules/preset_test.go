package rules_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// The rule of each preset is valid, also for the next call of one operation.
func TestPresets(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range rules.Presets() {
		if names[p.Name] || !scenarios.ValidName(p.Name) || p.Label == "" {
			t.Errorf("%+v", p)
		}
		names[p.Name] = true
		rule, problems := scenarios.ParseRule(p.Name, []byte(p.Rule))
		on := scenarios.Operation("any")
		if p.Webhook() {
			on = "webhook"
		}
		if problems.Errors() > 0 || rule.On != on || !strings.HasPrefix(p.Rule, `{"on":"`+string(on)+`",`) || p.Limited() != (rule.Times > 0) {
			t.Errorf("%s: %s: %v", p.Name, p.Rule, problems)
		}
		if p.Limited() {
			continue
		}
		once, problems := scenarios.ParseRule(p.Name, []byte(p.Once("get verification_request")))
		if problems.Errors() > 0 || once.Times != 1 || once.On != "get verification_request" && !p.Webhook() {
			t.Errorf("%s once: %s: %v", p.Name, p.Once("get verification_request"), problems)
		}
	}
	if len(names) != 23 {
		t.Errorf("%d presets", len(names))
	}
}

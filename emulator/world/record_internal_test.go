package world

import (
	"strings"
	"testing"
)

// Contract 3: raw keys are never stored; contract 6: the worlds are listed with masked keys, by which they are told apart.
func TestMask(t *testing.T) {
	t.Parallel()
	masked := make(map[string]string)
	for _, name := range []string{"a", "b", "me", "ci", "suite", "seven77", "suite_a_0003", "suite_b_0003"} {
		key := "svc_sk_test_" + name
		shown := mask(key)
		if strings.Contains(shown, name) || !strings.HasPrefix(shown, "svc_sk_test_…") || !strings.HasSuffix(shown, "#"+IDOf(key)[:4]) {
			t.Errorf("%s is shown as %s", key, shown)
		}
		if other, taken := masked[shown]; taken {
			t.Errorf("%s and %s are both shown as %s", key, other, shown)
		}
		masked[shown] = key
	}
	if shown := mask("svc_sk_test_suite_0003"); !strings.Contains(shown, "…0003#") {
		t.Errorf("a long one is shown as %s, without its end", shown)
	}
}

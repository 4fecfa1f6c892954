package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// The global scenarios of a key come in the order of their files, those of the base before those of the files that are added.
func TestForKeyOrder(t *testing.T) {
	t.Parallel()
	global := func(name, magic string) string {
		return "name: " + name + "\ntitle: t\n" + magic + "rules: [{on: any, respond: {status: 500}}]\n"
	}
	const down, other = "magic: {api_key: \"*_down\"}\n", "magic: {api_key: other}\n"
	base, err := scenarios.Files{}.With("b.yaml", []byte(global("b1", "")+"---\n"+global("b2", down)+"---\n"+global("b3", other))).Over(nil)
	if err != nil {
		t.Fatal(err)
	}
	added, err := scenarios.Files{}.With("a.yaml", []byte(global("a1", "magic: {api_key: \"*down\"}\n")+"---\n"+global("a2", ""))).Over(base)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"team_down": "b1 b2 a1 a2", "team": "b1 a2", "other": "b1 b3 a2", "other_down_": "b1 a2"} {
		var names []string
		for _, s := range added.ForKey(name) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("the key %s: %s, want %s", name, got, want)
		}
	}
}

// Settings keep each value of their own beside those of others.
func TestSettingsOr(t *testing.T) {
	t.Parallel()
	mine, theirs := new(scenarios.Account), &scenarios.Account{Reseller: new(true)}
	own := scenarios.Settings{Grease: "off", SessionFlow: "auto", Account: mine}
	others := scenarios.Settings{Grease: "on", SessionFlow: scenarios.FlowManual, Account: theirs}
	if got := own.Or(others); got != own {
		t.Errorf("%+v is not %+v", got, own)
	}
	if got := (scenarios.Settings{}).Or(others); got != others {
		t.Errorf("without values: %+v is not %+v", got, others)
	}
	if diff := cmp.Diff(scenarios.Settings{Grease: "on", Account: mine, SessionFlow: scenarios.FlowManual}, scenarios.Settings{Account: mine}.Or(others)); diff != "" {
		t.Error(diff)
	}
}

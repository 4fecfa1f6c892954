package scenarios_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// The source of a scenario can be saved and edited: parsed again, it is the same scenario.
func TestSource(t *testing.T) {
	t.Parallel()
	c := builtin(t)
	ignored := cmp.FilterPath(func(p cmp.Path) bool {
		return slices.Contains([]string{".Revision", ".document", ".values", ".Matrix"}, p.Last().String()) || p.Last().Type() == reflect.TypeFor[scenarios.Position]()
	}, cmp.Ignore())
	all := cmp.Exporter(func(reflect.Type) bool { return true })
	for _, s := range c.All() {
		source := s.Source()
		found, problems := scenarios.Parse("s.yaml", []byte(source))
		if problems.Errors() > 0 || len(found) != 1 {
			t.Errorf("%s: %d scenarios, %v in\n%s", s.Name, len(found), problems, source)
			continue
		}
		if diff := cmp.Diff(s, found[0], ignored, all); diff != "" {
			t.Errorf("%s\n%s", diff, source)
		}
		if strings.Contains(source, "yaml-language-server") || strings.Contains(source, "\nmatrix:") {
			t.Errorf("%s has more than the scenario:\n%s", s.Name, source)
		}
	}
}

func TestSourceMatrix(t *testing.T) {
	t.Parallel()
	mine := folder(t, map[string]string{"m.yaml": `# yaml-language-server: $schema=x.json
name: first
title: First
magic: {tenant_property: tp_first}
---
# About the <n>.
matrix:
  # Three.
  n: [one,
  two]
  m: [a-b]
# The name.
name: m-<n>
title: The <n>
magic: {tenant_property: tp_<n>_<m_>} # here
`})
	c := load(t, mine)
	want := `# One of the 2 scenarios that a matrix makes: here <m> is a-b, <n> is two.
# About the two.
# The name.
name: m-two
title: The two
magic: {tenant_property: tp_two_a_b} # here
`
	if diff := cmp.Diff(want, c.ByName("m-two").Source()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("name: first\ntitle: First\nmagic: {tenant_property: tp_first}\n", c.ByName("first").Source()); diff != "" {
		t.Error(diff)
	}
}

func TestSourceFlowStyle(t *testing.T) {
	t.Parallel()
	const document = "{matrix: {n: [1, 2]}, name: m-<n>, title: T, magic: {tenant_property: tp_<n>}}\n"
	c := load(t, folder(t, map[string]string{"m.yaml": document}))
	if diff := cmp.Diff("# One of the 2 scenarios that a matrix makes: here <n> is 1.\n"+document, c.ByName("m-1").Source()); diff != "" {
		t.Error(diff)
	}
}

func TestMagicValues(t *testing.T) {
	t.Parallel()
	c := builtin(t)
	want := []scenarios.MagicValue{{Kind: scenarios.VerificationRequestID, Value: "vr_lifecycle"}, {Kind: scenarios.SSN, Value: "000-00-1001"}}
	if diff := cmp.Diff(want, c.ByName("lifecycle").MagicValues()); diff != "" {
		t.Error(diff)
	}
}

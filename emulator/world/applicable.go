package world

import (
	"context"
	"slices"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// Applicable is a rule that is judged for calls on a resource.
type Applicable struct {
	Rule     *scenarios.Rule
	Fault    string // the id of the fault that it is; "" when it is none
	Scenario string // of the resource, or one whose rules are for every call; "" of a fault
	Own      bool   // it is of the resource's own scenario
}

// Rules returns the rules that are judged for calls on a verification request, in their order: the world's faults that
// are not used up, those of its scenario, and those for every call of the world. Of a world that was opened by its id
// none are known that are for some API keys.
func (w *World) Rules(ctx context.Context, v Verification) (all []Applicable, err error) {
	faults, err := w.Faults(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if asksForVerification(f.Rule) && (f.Rule.Times == 0 || f.Applied < f.Rule.Times) {
			all = append(all, Applicable{Rule: f.Rule, Fault: f.ID})
		}
	}
	if v.Scenario != nil {
		for i := range v.Scenario.Rules {
			all = append(all, Applicable{Rule: &v.Scenario.Rules[i], Scenario: v.Name, Own: true})
		}
	}
	for _, s := range w.global {
		for i := range s.Rules {
			if asksForVerification(&s.Rules[i]) {
				all = append(all, Applicable{Rule: &s.Rules[i], Scenario: s.Name})
			}
		}
	}
	return all, nil
}

// asksForVerification reports whether a rule is for calls on verification requests (spec 4.1 and 4.2).
func asksForVerification(rule *scenarios.Rule) bool {
	return slices.Contains([]scenarios.Operation{scenarios.OnAny, scenarios.OnGet, scenarios.OnCancel}, rule.On)
}

// String says in words what the rule does, and where it comes from unless that is the resource's own scenario.
func (a Applicable) String() string {
	switch {
	case a.Own:
		return a.Rule.String()
	case a.Fault != "":
		return a.Rule.String() + " (" + a.Fault + ")"
	}
	return a.Rule.String() + " (scenario " + a.Scenario + ", for every call)"
}

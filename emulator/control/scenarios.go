package control

import (
	"slices"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// scenarioSummary is a scenario as a list shows it.
type scenarioSummary struct {
	Name  string       `json:"name"`
	Title string       `json:"title"`
	Magic []magicValue `json:"magic"`
	File  string       `json:"file"`
	Own   bool         `json:"own"` // to this world
}

type magicValue struct {
	Kind  scenarios.Kind `json:"kind"`
	Value string         `json:"value"`
}

// scenarioView is a scenario with what it says.
type scenarioView struct {
	scenarioSummary
	Timeline []string `json:"timeline"` // in words
	Rules    []string `json:"rules"`    // in words
	Source   string   `json:"source"`   // YAML
}

func (x *exchange) summarizeScenario(s *scenarios.Scenario) scenarioSummary {
	shown := scenarioSummary{Name: s.Name, Title: s.Title, Magic: []magicValue{}, File: s.At.File}
	for _, m := range s.MagicValues() {
		shown.Magic = append(shown.Magic, magicValue(m))
	}
	shown.Own = slices.Contains(x.world.OwnScenarios(), s)
	return shown
}

func (x *exchange) viewScenario(s *scenarios.Scenario) scenarioView {
	shown := scenarioView{
		scenarioSummary: x.summarizeScenario(s), Timeline: []string{}, Rules: []string{}, Source: x.world.Catalogue().Source(s),
	}
	for i, step := range s.Timeline() {
		words := string(step.State)
		if i > 0 {
			words += " " + step.After.String()
		}
		shown.Timeline = append(shown.Timeline, words)
	}
	for _, rule := range s.Rules {
		shown.Rules = append(shown.Rules, rule.String())
	}
	return shown
}

// listScenarios shows those that the world follows, its own files' behind those of all worlds.
func listScenarios(x *exchange) (any, error) {
	after, limit, err := x.span(scenarios.ValidName)
	if err != nil {
		return nil, err
	}
	passed := after == ""
	listed := pageOf(x.world.Catalogue().All(), limit, func(s *scenarios.Scenario) string { return s.Name }, func(s *scenarios.Scenario) bool {
		behind := passed
		passed = passed || s.Name == after
		return behind
	})
	shown := list[scenarioSummary]{Items: []scenarioSummary{}, Next: listed.Next}
	for _, s := range listed.Items {
		shown.Items = append(shown.Items, x.summarizeScenario(s))
	}
	return shown, nil
}

func showScenario(x *exchange) (any, error) {
	s, err := x.world.ScenarioNamed(x.param("name"))
	if err != nil {
		return nil, err
	}
	return x.viewScenario(s), nil
}

// putScenarios takes a scenario file of the world's own, YAML or JSON, and shows the scenarios in it.
func putScenarios(x *exchange) (any, error) {
	text, err := x.read()
	if err != nil {
		return nil, err
	}
	warnings, err := x.world.PutScenarios(x.context(), x.param("name"), text)
	if err != nil {
		return nil, err
	}
	shown := struct {
		Items    []scenarioSummary `json:"items"`
		Warnings []string          `json:"warnings"`
	}{[]scenarioSummary{}, []string{}}
	for _, s := range x.world.OwnScenarios() {
		if s.At.File == x.param("name")+".yaml" {
			shown.Items = append(shown.Items, x.summarizeScenario(s))
		}
	}
	for _, w := range warnings {
		shown.Warnings = append(shown.Warnings, w.String())
	}
	return shown, nil
}

func deleteScenarios(x *exchange) (any, error) {
	return nil, x.world.DeleteScenarios(x.context(), x.param("name"))
}

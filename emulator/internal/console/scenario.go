package console

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

type scenarioView struct {
	scenarioRow
	File     string
	Timeline scenarios.Timeline // of its verification request; nil when it has none
	Rules    []scenarios.Rule
	Source   []yamlToken
	Samples  []codedSample // requests that it answers
	Answer   *sampleAnswer
}

func showScenario(x *exchange) (answer, error) {
	view, err := x.scenario()
	return page{name: "scenario", title: view.Title, data: view}, err
}

func (x *exchange) scenario() (view scenarioView, err error) {
	catalogue, own, err := x.catalogue()
	if err != nil {
		return view, err
	}
	s, err := world.ScenarioNamed(catalogue, x.param("name"))
	if err != nil {
		return view, err
	}
	view = scenarioView{
		scenarioRow: x.rowOfScenario(s, own), File: s.At.File, Rules: s.Rules, Source: highlightYAML(s.Source()),
	}
	if s.Magic.VerificationRequest != "" || s.Magic.SSN != "" || s.VerificationRequest != nil {
		view.Timeline = s.Timeline()
	}
	for _, sample := range samplesOf(s, x.Extended) {
		accept := journal.Header{Name: "Accept", Value: "application/json; version=" + sample.Version}
		view.Samples = append(view.Samples, codedSample{sample, x.snippetFor("code-"+sample.Name, sample.Method, sample.Path, sample.Body, accept)})
	}
	return view, nil
}

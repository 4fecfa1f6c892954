package catalogue

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

type scenarioView struct {
	ScenarioRow
	File     string
	Timeline scenarios.Timeline // of its verification request; nil when it has none
	Rules    []scenarios.Rule
	Source   []words.Token
	Samples  []codedSample // requests that it answers
}

func showScenario(x *frame.Exchange) (frame.Answer, error) {
	view, err := scenario(x)
	return frame.Page{Name: "scenario", Title: view.Title, Data: view}, err
}

func scenario(x *frame.Exchange) (view scenarioView, err error) {
	catalogue, own, err := Catalogue(x)
	if err != nil {
		return view, err
	}
	s, err := resource.ScenarioNamed(catalogue, x.Param("name"))
	if err != nil {
		return view, err
	}
	view = scenarioView{
		ScenarioRow: rowOfScenario(x, s, own), File: s.At.File, Rules: s.Rules, Source: words.Highlighted(s.Source()),
	}
	if s.Magic.VerificationRequest != "" || s.Magic.SSN != "" || s.VerificationRequest != nil {
		view.Timeline = s.Timeline()
	}
	for _, sample := range SamplesOf(s, x.Extended) {
		accept := journal.Header{Name: "Accept", Value: "application/json; version=" + sample.Version}
		view.Samples = append(view.Samples, codedSample{sample, recorded.SnippetFor(x, "code-"+sample.Name, sample.Method, sample.Path, sample.Body, accept)})
	}
	return view, nil
}

package console

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// scenarioView is a scenario with what it says.
type scenarioView struct {
	scenarioRow
	File     string
	Timeline []stepView // of its verification request; nil when it has none
	Rules    []ruleView
	Source   []span
	Trials   []trial // that can be made of it
	Tried    *tried  // what came of one; nil before
}

type stepView struct {
	State api.State
	After string // in words
}

type ruleView struct {
	Line  int // of its file, by which the journal names it
	Words string
}

// showScenario shows a scenario: what leads to it, how it moves, what its rules do, its text, and a way to try it.
func showScenario(x *exchange) (answer, error) {
	view, err := x.scenario()
	if err != nil {
		return nil, err
	}
	return page{name: "scenario", title: view.Title, data: view}, nil
}

func (x *exchange) scenario() (view scenarioView, err error) {
	catalogue, err := x.catalogue()
	if err != nil {
		return view, err
	}
	name := x.param("name")
	s := catalogue.ByName(name)
	if s == nil {
		return view, unknownScenario(catalogue, name)
	}
	view = scenarioView{scenarioRow: x.row(s), File: s.At.File, Source: highlightYAML(catalogue.Source(s))}
	if s.Magic.VerificationRequest != "" || s.Magic.SSN != "" || s.VerificationRequest != nil {
		for i, step := range s.Timeline() {
			shown := stepView{State: step.State}
			if i > 0 {
				shown.After = step.After.String()
			}
			view.Timeline = append(view.Timeline, shown)
		}
	}
	for _, rule := range s.Rules {
		view.Rules = append(view.Rules, ruleView{rule.At.Line, rule.String()})
	}
	if !view.Own {
		view.Trials = trialsOf(s)
	}
	return view, nil
}

func unknownScenario(catalogue *scenarios.Catalogue, name string) error {
	var names []string
	for _, s := range catalogue.All() {
		names = append(names, s.Name)
	}
	message := "There is no scenario " + api.Quote(name)
	if nearest, ok := api.Nearest(name, names); ok {
		message += ": did you mean " + nearest + "?"
	}
	return api.Because(http.StatusNotFound, message)
}

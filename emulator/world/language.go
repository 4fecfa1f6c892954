package world

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// decode reads a text in the language of scenario files, YAML or JSON, into a structure of its types. Its error is an
// [*api.Error] that says what the first problem is, and where.
func decode(text []byte, into any) error {
	problems := scenarios.Decode("body", text, into)
	if problems.Errors() > 0 {
		return api.Because(http.StatusBadRequest, "The body is not right: "+problems[0].At.String()+": "+problems[0].What)
	}
	return nil
}

// change is a text that changes a resource: {"set":{"name":"Quay"}}.
type change[T any] struct {
	Set fixtures.Overlay[T] `yaml:"set"`
}

// Flaws finds a change of nothing, and of the id.
func (c change[T]) Flaws() (flaws []fixtures.Flaw) {
	if c.Set.Empty() {
		flaws = append(flaws, fixtures.Flaw{What: `needs what is to change, such as {"set":{...}}`})
	}
	if c.Set.Sets("id") {
		flaws = append(flaws, fixtures.Flaw{Field: "set", What: "may not set id: it follows from elsewhere"})
	}
	return flaws
}

// ScenarioNamed returns a scenario that the world follows. Its error for a name that none has is an [*api.Error].
func (w *World) ScenarioNamed(name string) (*scenarios.Scenario, error) {
	if s := w.catalogue.ByName(name); s != nil {
		return s, nil
	}
	var names []string
	for _, s := range w.catalogue.All() {
		names = append(names, s.Name)
	}
	message := "There is no scenario " + api.Quote(name)
	if nearest, ok := api.Nearest(name, names); ok {
		message += ": did you mean " + nearest + "?"
	}
	return nil, api.Because(http.StatusNotFound, message)
}

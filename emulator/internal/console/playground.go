package console

import (
	"cmp"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// firstScenario is the text that the playground begins with.
const firstScenario = `# What a magic value does. Change it, and see what happens.
name: my-first
title: The approval takes two reads, the rest an hour
magic: {verification_request: vr_my_first}
verification_request:
  timeline:
    - state: pending-approval
    - {state: processing, after: {reads: 2}}
    - {state: completed, after: {elapsed: 1h}}
reports:
  - employee: {status_detail: part-time}
    pay: {frequency: biweekly, base: 31000.00}
rules:
  - {on: cancel, calls: 1, respond: {status: 500}}
`

// playgroundPage is the data of pages/playground.html.
type playgroundPage struct {
	trial
	Text    string
	Posted  bool     // the text is of the form, and saved nowhere
	Query   string   // of the form's targets: the world of the page
	Key     string   // of the world that is offered before there is any
	Sources []string // what a text can begin as: names of scenarios and of their files
}

// showPlayground shows the text of the form, or the scenario or file that ?from= names, and what it does.
func showPlayground(x *exchange) (answer, error) {
	catalogue, _, err := x.catalogue()
	if err != nil {
		return nil, err
	}
	p := playgroundPage{
		Text: firstScenario, Posted: x.request.Method == http.MethodPost, Key: x.start().Key, Sources: sourcesOf(catalogue),
	}
	if id := x.request.URL.Query().Get("world"); id != "" {
		p.Query = "?world=" + id
	}
	if from := x.request.URL.Query().Get("from"); p.Posted {
		p.Text = x.text()
	} else if from != "" {
		if p.Text, err = x.textFrom(catalogue, from); err != nil {
			return nil, err
		}
	}
	p.trial, err = x.trial(p.Text)
	return page{name: "playground", title: "Playground", data: p}, err
}

// text returns the text of the form. Browsers send its lines as they came, or with CR LF.
func (x *exchange) text() string {
	return strings.ReplaceAll(x.request.PostForm.Get("text"), "\r\n", "\n")
}

// sourcesOf lists the files of a catalogue, and then its scenarios.
func sourcesOf(catalogue *scenarios.Catalogue) (sources []string) {
	for _, s := range catalogue.All() {
		if name := path.Base(s.At.File); !slices.Contains(sources, name) {
			sources = append(sources, name)
		}
	}
	slices.Sort(sources)
	return append(sources, catalogue.Names()...)
}

// textFrom returns the text of a scenario, or of all scenarios of a file. Of a matrix it has the first scenario.
func (x *exchange) textFrom(catalogue *scenarios.Catalogue, name string) (string, error) {
	var texts []string
	before := scenarios.Position{}
	for _, s := range catalogue.All() {
		if path.Base(s.At.File) == path.Base(name) && s.At != before {
			texts, before = append(texts, x.textOf(s)), s.At
		}
	}
	if texts != nil {
		return strings.Join(texts, "---\n"), nil
	}
	s, err := world.ScenarioNamed(catalogue, name)
	if err != nil {
		return "", err
	}
	return x.textOf(s), nil
}

// Lines of a scenario's text.
var (
	nameLine     = expression(`(?m)^name: .*\n`)
	replacesLine = expression(`(?m)^replaces: .*\n`)
)

// textOf returns the text of a scenario. That of all worlds takes its own place there, so that a change of it can be tried.
func (x *exchange) textOf(s *scenarios.Scenario) string {
	if x.Worlds.Config().Catalogue.ByName(s.Name) != s {
		return s.Source()
	}
	return nameLine().ReplaceAllString(replacesLine().ReplaceAllString(s.Source(), ""), "${0}replaces: "+s.Name+"\n")
}

// runPlayground shows what the text of the form does, for an open page.
func runPlayground(x *exchange) (answer, error) {
	trial, err := x.trial(x.text())
	return fragment{"playground", "run", trial}, err
}

// saveScenarios saves the scenarios of the text, each under its name, in the chosen world.
func saveScenarios(x *exchange) (answer, error) {
	text := x.text()
	catalogue, err := x.catalogueOf(text)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return nil, api.Because(http.StatusBadRequest, problems.Count()+" in the text: correct it first")
	}
	into := x.Worlds.ByKey(x.start().Key)
	if id := x.value("into"); id != "" {
		into = x.Worlds.ByID(id)
	}
	added := catalogue.Added()
	if len(added) == 0 {
		return nil, api.Because(http.StatusBadRequest, "The text has no scenario in it")
	}
	for _, s := range added {
		if len(added) > 1 {
			text = s.Source()
		}
		if _, _, err := into.PutScenario(x.context(), s.Name, text); err != nil {
			return nil, err
		}
	}
	status, err := into.Status(x.context())
	if err != nil {
		return nil, err
	}
	if len(added) > 1 {
		return done(link("catalogue")+"?world="+status.ID, "saved"), nil
	}
	return done(link("catalogue", added[0].Name)+"?world="+status.ID, "saved"), nil
}

// downloadScenario answers with the text as a file.
func downloadScenario(x *exchange) (answer, error) {
	text, name := x.text(), "scenario"
	if found, _ := scenarios.Parse("", []byte(text)); len(found) > 0 && scenarios.ValidName(found[0].Name) {
		name = found[0].Name
	}
	disposition := "attachment; filename=" + strconv.Quote(name+".yaml")
	return content{"application/yaml; charset=utf-8", "Content-Disposition", disposition, []byte(text)}, nil
}

// showSchema answers with the JSON Schema of scenario files, for the completion.
func showSchema(*exchange) (answer, error) {
	return content{"application/schema+json", "Cache-Control", "no-cache", scenarios.Schema()}, nil
}

// trial is what the text of the playground does: its problems, one of its scenarios, and the answers to the steps.
type trial struct {
	Problems scenarios.Problems
	Names    []string // of the scenarios
	More     int      // scenarios that have no tab
	Chosen   int      // the index of the shown scenario

	Reason  string   // of the last cancel
	Scratch *scratch // nil: the text has errors or no scenario
}

// maxTabs bounds the scenarios of a text that can be chosen: a matrix makes up to 1,000.
const maxTabs = 24

// trial returns what a text does, by the scenario and the steps of the form.
func (x *exchange) trial(text string) (t trial, err error) {
	catalogue, err := x.catalogueOf(text)
	if errors.As(err, &t.Problems) {
		return t, nil
	}
	t.Problems = catalogue.Warnings()
	added := catalogue.Added()
	if len(added) == 0 {
		return t, nil
	}
	shown := added[:min(len(added), maxTabs)]
	for _, s := range shown {
		t.Names = append(t.Names, s.Name)
	}
	t.More = len(added) - len(shown)
	chosen, _ := strconv.Atoi(cmp.Or(x.value("choose"), x.value("scenario")))
	t.Reason = x.value("reason")
	t.Chosen = min(max(chosen, 0), len(shown)-1)
	t.Scratch, err = x.play(catalogue, shown[t.Chosen])
	return t, err
}

// textName names the text in problems and diagnoses.
const textName = "scenario.yaml"

// catalogueOf returns the scenarios of a text over those of all worlds. Its error is their problems.
func (x *exchange) catalogueOf(text string) (*scenarios.Catalogue, error) {
	return scenarios.Files{}.With(textName, []byte(text)).Over(x.Worlds.Config().Catalogue)
}

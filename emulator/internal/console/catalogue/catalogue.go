// Package catalogue is the pages of scenarios, with the requests that they answer.
package catalogue

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// group is the scenario files of one folder.
type group struct {
	Name  string
	Files []file
}

type file struct {
	Name      string
	Scenarios []ScenarioRow
}

// ScenarioRow is a scenario in a list: pages/part_scenario.html.
type ScenarioRow struct {
	Name, Title string
	Link        string
	Magic       []scenarios.MagicValue
	Own         bool        // a world scenario
	States      []api.State // of a request that does not just begin completed
	Statuses    []int       // of its errors
	Effects     []string    // of its rules on the connection
	Why         string      // it was found; "" in a list of all
	First       bool        // of the results of a search
}

// Catalogue returns the scenarios of the world that ?world= names, and its world scenarios; else those of every world.
func Catalogue(x *frame.Exchange) (all *scenarios.Catalogue, own []*scenarios.Scenario, err error) {
	if x.Request.URL.Query().Get("world") == "" {
		return x.Worlds.Config().Catalogue, nil, nil
	}
	if err := x.Open(); err != nil {
		return nil, nil, err
	}
	return x.World.Catalogue(x.Context())
}

// showCatalogue lists all scenarios by folder and file.
func showCatalogue(x *frame.Exchange) (frame.Answer, error) {
	catalogue, own, err := Catalogue(x)
	if err != nil {
		return nil, err
	}
	var groups []group
	for _, s := range catalogue.All() {
		groups = addRow(groups, s, rowOfScenario(x, s, own))
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(groupOrder(a.Name), groupOrder(b.Name)) })
	for _, g := range groups {
		slices.SortStableFunc(g.Files, func(a, b file) int { return cmp.Compare(fileOrder(a.Name), fileOrder(b.Name)) })
	}
	return frame.Page{Name: "catalogue", Title: "Catalogue", Data: struct {
		Groups []group
		All    int
	}{groups, len(catalogue.Names())}}, nil
}

// maxNearest bounds the scenarios that are shown in place of one that has all words.
const maxNearest = 6

// FindScenarios returns the scenarios with all words of a query, or the nearest.
func FindScenarios(x *frame.Exchange, catalogue *scenarios.Catalogue, own []*scenarios.Scenario, q string) (all []ScenarioRow, whole bool) {
	found, whole := catalogue.Search(q)
	if !whole {
		found = found[:min(len(found), maxNearest)]
	}
	for _, m := range found {
		row := rowOfScenario(x, m.Scenario, own)
		row.Why = m.Why
		all = append(all, row)
	}
	return all, whole
}

func rowOfScenario(x *frame.Exchange, s *scenarios.Scenario, own []*scenarios.Scenario) ScenarioRow {
	row := ScenarioRow{Name: s.Name, Title: s.Title, Link: frame.Link("catalogue", s.Name), Magic: s.MagicValues(), Own: slices.Contains(own, s)}
	if x.Status != nil {
		row.Link += "?world=" + x.Status.ID
	}
	for _, step := range s.Timeline() {
		row.States = append(row.States, step.State)
	}
	if s.VerificationRequest == nil || len(s.VerificationRequest.Timeline) == 0 {
		row.States = nil
	}
	for i := range s.Rules {
		switch rule := &s.Rules[i]; {
		case rule.Respond != nil:
			row.Statuses = append(row.Statuses, rule.Respond.Status)
		case rule.Fault != scenarios.NoFault:
			row.Effects = append(row.Effects, string(rule.Fault))
		case rule.Delay != nil:
			row.Effects = append(row.Effects, "delay "+rule.Delay.String())
		}
	}
	return row
}

// groupOrder puts the most requested resources first, and files that are not built in last.
func groupOrder(folder string) int {
	if at := slices.Index(frame.ResourceParts, folder); at >= 0 {
		return at
	}
	return len(frame.ResourceParts)
}

// filesInOrder are the first files of a group and, after "", the last ones. Other files come in place of "".
var filesInOrder = []string{"lifecycle", "states", "types", "reports", "incidents", "", "errors", "pay-frequencies", "employment-status"}

func fileOrder(name string) int {
	if at := slices.Index(filesInOrder, name); at >= 0 {
		return at
	}
	return slices.Index(filesInOrder, "")
}

// addRow adds a row to the group of its folder and file. The scenarios of a file are in sequence.
func addRow(groups []group, s *scenarios.Scenario, row ScenarioRow) []group {
	folder, name := path.Base(path.Dir(s.At.File)), strings.TrimSuffix(path.Base(s.At.File), path.Ext(s.At.File))
	if folder == "." || folder == "/" {
		folder = "of your own"
	}
	at := slices.IndexFunc(groups, func(g group) bool { return g.Name == folder })
	if at < 0 {
		groups = append(groups, group{Name: folder})
		at = len(groups) - 1
	}
	g := &groups[at]
	if last := len(g.Files) - 1; last < 0 || g.Files[last].Name != name {
		g.Files = append(g.Files, file{Name: name})
	}
	f := &g.Files[len(g.Files)-1]
	f.Scenarios = append(f.Scenarios, row)
	return groups
}

// Room is the scenarios.
func Room() frame.Room {
	return frame.Room{Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "catalogue", Serve: showCatalogue},
		{Method: http.MethodGet, Path: "catalogue/:name", Serve: showScenario},
	}}
}

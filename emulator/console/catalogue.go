package console

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// group is what scenario files of one folder are about.
type group struct {
	Name  string
	Files []file
}

// file is the scenarios of one file.
type file struct {
	Name      string
	Scenarios []scenarioRow
}

// scenarioRow is a scenario as the catalogue lists it.
type scenarioRow struct {
	Name, Title string
	Magic       []scenarios.MagicValue
	Own         bool   // to the world
	Search      string // all that a search looks at, in small letters
}

// catalogue returns the scenarios that are looked at: those of the world that ?world= names, else those of every world.
func (x *exchange) catalogue() (*scenarios.Catalogue, error) {
	id := x.request.URL.Query().Get("world")
	if id == "" {
		return x.Worlds.Config().Catalogue, nil
	}
	opened, err := x.Worlds.OpenID(x.context(), id)
	if err != nil {
		return nil, err
	}
	x.world = opened
	return opened.Catalogue(), nil
}

// showCatalogue lists the scenarios that ?q= finds, by what they are about.
func showCatalogue(x *exchange) (answer, error) {
	catalogue, err := x.catalogue()
	if err != nil {
		return nil, err
	}
	sought := strings.Fields(strings.ToLower(x.value("q")))
	var groups []group
	found := 0
	for _, s := range catalogue.All() {
		row := x.row(s)
		if !row.matches(sought) {
			continue
		}
		found++
		groups = placed(groups, s, row)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(place(a.Name), place(b.Name)) })
	for _, g := range groups {
		slices.SortStableFunc(g.Files, func(a, b file) int { return cmp.Compare(filePlace(a.Name), filePlace(b.Name)) })
	}
	return page{name: "catalogue", title: "Catalogue", data: struct {
		Groups     []group
		Found, All int
	}{groups, found, catalogue.Len()}}, nil
}

func (x *exchange) row(s *scenarios.Scenario) scenarioRow {
	row := scenarioRow{Name: s.Name, Title: s.Title, Magic: s.MagicValues(), Own: x.owns(s)}
	search := []string{s.Name, s.Title, s.At.File}
	for _, m := range row.Magic {
		search = append(search, string(m.Kind), m.Value)
	}
	search = append(search, synonymsOf(s.Name)...)
	row.Search = strings.ToLower(strings.Join(search, " "))
	return row
}

// owns reports whether a scenario is the world's own.
func (x *exchange) owns(s *scenarios.Scenario) bool {
	if x.world == nil {
		return false
	}
	for _, own := range x.world.OwnScenarios() {
		if own == s {
			return true
		}
	}
	return false
}

// matches reports whether every word that is sought is somewhere in the row.
func (r scenarioRow) matches(sought []string) bool {
	for _, word := range sought {
		if !strings.Contains(r.Search, word) {
			return false
		}
	}
	return true
}

// place returns where a group of the catalogue stands: what clients ask for most comes first, what is not built in last.
func place(folder string) int {
	kinds := resourceKinds()
	at := slices.IndexFunc(kinds, func(k resourceKind) bool { return k.Path == folder })
	if at < 0 {
		return len(kinds)
	}
	return at
}

// filesInOrder are the files that people look for first, and those they look for by a word alone; others stand between.
var filesInOrder = []string{"lifecycle", "states", "types", "reports", "incidents", "", "errors", "pay-frequencies", "employment-status"}

// filePlace returns where a file of a group stands.
func filePlace(name string) int {
	if at := slices.Index(filesInOrder, name); at >= 0 {
		return at
	}
	return slices.Index(filesInOrder, "")
}

// placed puts a row into the group of its folder and file. The scenarios of a file come one after the other.
func placed(groups []group, s *scenarios.Scenario, row scenarioRow) []group {
	folder, name := path.Base(path.Dir(s.At.File)), strings.TrimSuffix(path.Base(s.At.File), path.Ext(s.At.File))
	if folder == "." || folder == "/" {
		folder = "of your own"
	}
	at := -1
	for i := range groups {
		if groups[i].Name == folder {
			at = i
		}
	}
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

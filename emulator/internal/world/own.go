package world

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// ownFile is a scenario file of the world's own. Its text is stored under a name that no other text ever has, so that a
// catalogue that was parsed of it can be cached.
type ownFile struct {
	Name string `json:"name"`
	Text string `json:"text"` // its number among all that the world was given, and a part of its hash
}

func (f ownFile) name() string { return scenarioPrefix + f.Name + "/" + f.Text }

// What a world may have of its own.
const (
	maxOwnFiles   = 100
	ownCatalogues = 64 // that are cached, of all worlds
)

// ownCatalogue is all that a world's catalogue depends on.
type ownCatalogue struct {
	prefix, files string
	base          *scenarios.Catalogue
}

// ownCatalogue returns the world's own scenario files over those of all worlds.
func (w *World) ownCatalogue(base *scenarios.Catalogue) (*scenarios.Catalogue, error) {
	key := ownCatalogue{prefix: w.prefix, files: fmt.Sprint(w.record.Scenarios), base: base}
	if c, ok := w.worlds.parsed.Get(key); ok {
		return c, nil
	}
	files, err := w.ownFiles(w.record.Scenarios)
	if err != nil {
		return nil, err
	}
	c, err := files.Over(base)
	if err != nil {
		return nil, fmt.Errorf("read the scenarios of world %s: %w", w.ID, err)
	}
	w.worlds.parsed.Add(key, c)
	return c, nil
}

// ownFiles reads scenario files of the world's own.
func (w *World) ownFiles(of []ownFile) (files scenarios.Files, err error) {
	for _, f := range of {
		text, err := w.tx.Get(w.prefix + f.name())
		if err != nil {
			return files, err
		}
		files = files.With(fileName(f.Name), slices.Clone(text))
	}
	return files, nil
}

// fileName is the name that problems and diagnoses have for a world's own file.
func fileName(name string) string { return name + ".yaml" }

// ScenarioNamed returns a scenario that the world follows.
func (w *World) ScenarioNamed(name string) (*scenarios.Scenario, error) {
	if s := w.catalogue.ByName(name); s != nil {
		return s, nil
	}
	return nil, api.Because(http.StatusNotFound, "There is no scenario "+api.Quote(name)+api.DidYouMean(name, w.catalogue.Names(), ""))
}

// OwnScenarios returns the scenarios of the world's own files.
func (w *World) OwnScenarios() []*scenarios.Scenario {
	if len(w.record.Scenarios) == 0 {
		return nil
	}
	return w.catalogue.Added()
}

// PutScenarios gives the world a scenario file of its own, in place of what it had under the name. The warnings are what is
// allowed and probably not meant.
func (w *World) PutScenarios(name string, text []byte) (warnings scenarios.Problems, err error) {
	if !scenarios.ValidName(name) {
		return nil, api.Because(http.StatusBadRequest, "The name of a scenario file has 1 to 64 of a-z 0-9 . _ -")
	}
	others := slices.DeleteFunc(slices.Clone(w.record.Scenarios), func(f ownFile) bool { return f.Name == name })
	if len(others) >= maxOwnFiles {
		return nil, api.Because(http.StatusConflict, fmt.Sprintf("A world has %d scenario files of its own at most: delete some first", maxOwnFiles))
	}
	files, err := w.ownFiles(others)
	if err != nil {
		return nil, err
	}
	c, err := files.With(fileName(name), text).Over(w.worlds.catalogue.Load())
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The scenario file is not right:\n"+err.Error())
	}
	if !slices.ContainsFunc(c.Added(), func(s *scenarios.Scenario) bool { return s.At.File == fileName(name) }) {
		return nil, api.Because(http.StatusBadRequest, "The scenario file has no scenario in it")
	}
	hash := sha256.Sum256(text)
	added := ownFile{Name: name, Text: fmt.Sprintf("%d-%x", w.record.ScenariosMade+1, hash[:8])}
	if err := w.tx.Put(w.prefix+added.name(), text); err != nil {
		return nil, err
	}
	own := append(others, added)
	slices.SortFunc(own, func(a, b ownFile) int { return strings.Compare(a.Name, b.Name) })
	return c.Warnings(), w.setOwnFiles(own)
}

// DeleteScenarios takes a scenario file of the world's own away.
func (w *World) DeleteScenarios(name string) error {
	others := slices.DeleteFunc(slices.Clone(w.record.Scenarios), func(f ownFile) bool { return f.Name == name })
	if len(others) == len(w.record.Scenarios) {
		return api.Because(http.StatusNotFound, "The world has no scenario file of its own that is named "+api.Quote(name))
	}
	return w.setOwnFiles(others)
}

// setOwnFiles says which files are the world's own, and deletes the texts of those that no longer are.
func (w *World) setOwnFiles(files []ownFile) error {
	for _, f := range w.record.Scenarios {
		if slices.Contains(files, f) {
			continue
		}
		if err := w.tx.Delete(w.prefix + f.name()); err != nil {
			return err
		}
	}
	r := w.record
	r.Scenarios = files
	r.ScenariosMade++
	return w.setRecord(r)
}

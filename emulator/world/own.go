package world

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// ownFile is a scenario file of the world's own. Its text stands under a name that no other text ever has, so that a
// world sees all of a change or nothing, whoever else changes it.
type ownFile struct {
	Name string `json:"name"`
	Text string `json:"text"` // its number among all that the world was given, and a part of its hash
}

func newOwnFile(name string, number int, text []byte) ownFile {
	hash := sha256.Sum256(text)
	return ownFile{Name: name, Text: fmt.Sprintf("%d-%x", number, hash[:8])}
}

func (f ownFile) key() string { return scenarioPrefix + f.Name + "/" + f.Text }

// What a world may have of its own.
const (
	maxOwnFiles   = 100
	ownCatalogues = 64 // that are kept parsed, of all worlds
)

// ownCatalogue is all that a world's catalogue depends on.
type ownCatalogue struct {
	place, files string
	base         *scenarios.Catalogue
}

// catalogueOf returns what a world follows: its own scenario files over those of all worlds.
func (ws *Worlds) catalogueOf(ctx context.Context, w *World) (*scenarios.Catalogue, error) {
	base := ws.catalogue.Load()
	if len(w.record.Scenarios) == 0 {
		return base, nil
	}
	key := ownCatalogue{place: w.place, files: fmt.Sprint(w.record.Scenarios), base: base}
	if c, ok := ws.owned.Get(key); ok {
		return c, nil
	}
	files, err := w.ownFiles(ctx)
	if err != nil {
		return nil, err
	}
	c, err := files.Over(base)
	if err != nil {
		return nil, fmt.Errorf("read the scenarios of world %s: %w", w.ID, err)
	}
	ws.owned.Add(key, c)
	return c, nil
}

// ownFiles reads the world's own scenario files.
func (w *World) ownFiles(ctx context.Context) (files scenarios.Files, err error) {
	for _, f := range w.record.Scenarios {
		text, err := w.get(ctx, f.key())
		if err != nil {
			return files, err
		}
		files = files.With(fileName(f.Name), text)
	}
	return files, nil
}

// fileName is the name that problems and diagnoses have for a world's own file.
func fileName(name string) string { return name + ".yaml" }

// Catalogue returns the scenarios that the world follows.
func (w *World) Catalogue() *scenarios.Catalogue { return w.catalogue }

// OwnScenarios returns the scenarios of the world's own files.
func (w *World) OwnScenarios() []*scenarios.Scenario {
	if len(w.record.Scenarios) == 0 {
		return nil
	}
	return w.catalogue.Own()
}

// PutScenarios gives the world a scenario file of its own, in place of what it had under the name. Its error for a name or
// a text that is not right is an [*api.Error], and nothing is changed then. The warnings are what is allowed and probably
// not meant.
func (w *World) PutScenarios(ctx context.Context, name string, text []byte) (warnings scenarios.Problems, err error) {
	if !scenarios.ValidName(name) {
		return nil, api.Because(http.StatusBadRequest, "The name of a scenario file has 1 to 64 of a-z 0-9 . _ -")
	}
	for {
		warnings, err = w.tryPutScenarios(ctx, name, text)
		if !errors.Is(err, errOvertaken) {
			return warnings, err
		}
	}
}

// errOvertaken is the error of a change that was prepared for a world that has changed meanwhile.
var errOvertaken = errors.New("the world has changed meanwhile")

func (w *World) tryPutScenarios(ctx context.Context, name string, text []byte) (scenarios.Problems, error) {
	others := slices.DeleteFunc(slices.Clone(w.record.Scenarios), func(f ownFile) bool { return f.Name == name })
	if len(others) >= maxOwnFiles {
		return nil, api.Because(http.StatusConflict, fmt.Sprintf("A world has %d scenario files of its own at most: delete some first", maxOwnFiles))
	}
	warnings, err := w.checkOwn(ctx, others, name, text)
	if err != nil {
		return nil, err
	}
	next := newOwnFile(name, w.record.ScenariosMade+1, text)
	if err := w.update(ctx, next.key(), func([]byte) ([]byte, error) { return text, nil }); err != nil {
		return nil, err
	}
	files := append(others, next)
	slices.SortFunc(files, func(a, b ownFile) int { return strings.Compare(a.Name, b.Name) })
	return warnings, w.changeOwn(ctx, files)
}

// checkOwn parses a text together with the world's other files.
func (w *World) checkOwn(ctx context.Context, others []ownFile, name string, text []byte) (scenarios.Problems, error) {
	world := *w
	world.record.Scenarios = others
	files, err := world.ownFiles(ctx)
	if err != nil {
		return nil, err
	}
	c, err := files.With(fileName(name), text).Over(w.worlds.catalogue.Load())
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return nil, api.Because(http.StatusBadRequest, "The scenario file is not right:\n"+problems.Error())
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.Own(), func(s *scenarios.Scenario) bool { return s.At.File == fileName(name) }) {
		return nil, api.Because(http.StatusBadRequest, "The scenario file has no scenario in it")
	}
	return c.Warnings(), nil
}

// DeleteScenarios takes a scenario file of the world's own away. Its error for a name that none has is an [*api.Error].
func (w *World) DeleteScenarios(ctx context.Context, name string) error {
	for {
		others := slices.DeleteFunc(slices.Clone(w.record.Scenarios), func(f ownFile) bool { return f.Name == name })
		if len(others) == len(w.record.Scenarios) {
			return api.Because(http.StatusNotFound, "The world has no scenario file of its own that is named "+api.Quote(name))
		}
		err := w.changeOwn(ctx, others)
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

// changeOwn says which files are the world's own, unless they have changed since the World was opened: then it is
// opened again. Texts that nothing leads to any more are deleted.
func (w *World) changeOwn(ctx context.Context, files []ownFile) error {
	before := w.record
	overtaken := false
	err := w.changeRecord(ctx, func(r record) (record, error) {
		if overtaken = r.Generation != before.Generation || r.ScenariosMade != before.ScenariosMade; overtaken {
			return r, nil
		}
		r.Scenarios = files
		r.ScenariosMade++
		return r, nil
	})
	if err != nil {
		return err
	}
	if overtaken {
		return errOvertaken
	}
	for _, f := range before.Scenarios {
		if slices.Contains(w.record.Scenarios, f) {
			continue
		}
		if err := w.update(ctx, f.key(), func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			return err
		}
	}
	return nil
}

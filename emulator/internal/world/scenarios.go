package world

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Catalogue returns all scenarios of the world, and of these the world scenarios: those of its own files.
func (w *World) Catalogue(ctx context.Context) (all *scenarios.Catalogue, own []*scenarios.Scenario, err error) {
	err = w.Do(ctx, func(tx *Tx) error {
		all, own = tx.Catalogue, tx.worldScenarios()
		return nil
	})
	return all, own, err
}

func (tx *Tx) worldScenarios() []*scenarios.Scenario {
	if len(tx.record.Scenarios) == 0 {
		return nil
	}
	return tx.Catalogue.Added()
}

// PutScenario stores a scenario of the world, given as a file in YAML or JSON with this scenario alone, in place of an earlier
// one with the name. It returns the scenario, and warnings of what is valid and probably a mistake in the file.
func (w *World) PutScenario(ctx context.Context, name, file string) (added []*scenarios.Scenario, warnings scenarios.Problems, err error) {
	if err := w.worlds.CheckScenario(name, file); err != nil {
		return nil, nil, err
	}
	err = w.Update(ctx, func(tx *Tx) (err error) {
		others := slices.DeleteFunc(slices.Clone(tx.record.Scenarios), func(f catalogues.File) bool { return f.Name == name })
		if added, warnings, err = tx.worlds.Added(tx.Values, others, name, file); err != nil {
			return err
		}
		return tx.addFile(name, file, others)
	})
	return added, warnings, err
}

// addFile stores a scenario file beside others of the world.
func (tx *Tx) addFile(name, file string, others []catalogues.File) error {
	hash := sha256.Sum256([]byte(file))
	added := catalogues.File{Name: name, Text: fmt.Sprintf("%d-%x", tx.record.ScenariosMade+1, hash[:8])}
	if err := tx.Values.Put(added.Stored(), []byte(file)); err != nil {
		return err
	}
	all := append(others, added)
	slices.SortFunc(all, func(a, b catalogues.File) int { return strings.Compare(a.Name, b.Name) })
	return tx.setFiles(all)
}

// DeleteScenario deletes a scenario of the world.
func (w *World) DeleteScenario(ctx context.Context, name string) error {
	return w.Update(ctx, func(tx *Tx) error {
		others := slices.DeleteFunc(slices.Clone(tx.record.Scenarios), func(f catalogues.File) bool { return f.Name == name })
		if len(others) == len(tx.record.Scenarios) {
			var names []string
			for _, other := range others {
				names = append(names, other.Name)
			}
			return notFound("The world has no scenario of its own that is named " + api.Quote(name) +
				api.DidYouMean(name, names, ": the list of scenarios marks its own"))
		}
		return tx.setFiles(others)
	})
}

// setFiles stores the list of the world's scenario files, and deletes the texts of those that are not in it.
func (tx *Tx) setFiles(files []catalogues.File) error {
	for _, f := range tx.record.Scenarios {
		if slices.Contains(files, f) {
			continue
		}
		if err := tx.Values.Delete(f.Stored()); err != nil {
			return err
		}
	}
	r := tx.record
	r.Scenarios = files
	r.ScenariosMade++
	if err := tx.setRecord(r); err != nil || !tx.Outbox.Subscribed() {
		return err
	}
	return tx.Search("") // other timelines have other steps
}

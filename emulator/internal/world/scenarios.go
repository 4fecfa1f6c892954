package world

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// scenarioFile is a scenario file of a world. Each text is stored under a name of its own, so that its parsed catalogue
// can be cached by name.
type scenarioFile struct {
	Name string `json:"name"`
	Text string `json:"text"` // number of the file among all that the world ever had, and part of the text's hash
}

func (f scenarioFile) name() string { return snapshot.ScenarioPrefix + f.Name + "/" + f.Text }

const (
	maxFiles = 100     // of a world
	maxText  = 1 << 20 // bytes of their texts together
)

// worldCatalogue is the cache key of a world's catalogue.
type worldCatalogue struct {
	prefix, files string
	base          *scenarios.Catalogue
}

// worldCatalogue returns the catalogue of the world's scenario files over those of all worlds.
func (tx *Tx) worldCatalogue(base *scenarios.Catalogue) (*scenarios.Catalogue, error) {
	key := worldCatalogue{prefix: tx.Values.Prefix, files: fmt.Sprint(tx.record.Scenarios), base: base}
	return tx.worlds.parsed.get(key, func() (*scenarios.Catalogue, error) {
		files, _, err := tx.worldFiles(tx.record.Scenarios)
		if err != nil {
			return nil, err
		}
		c, err := files.Over(base) // which has changed since where names clash
		if c == nil {
			return nil, fmt.Errorf("read the scenarios of world %s: %w", tx.World, err)
		}
		return c, nil
	})
}

// limitedCatalogue returns the catalogue of a world's files over those of all worlds. It refuses files that take too much
// memory: by their size before they are parsed, else by their scenarios, which a matrix multiplies. Its error for invalid files
// is [scenarios.Problems].
func (ws *Worlds) limitedCatalogue(files scenarios.Files, size int) (*scenarios.Catalogue, error) {
	if size > maxText {
		return nil, tooLarge(fmt.Sprintf("The scenario files of a world may have %d KiB together: delete some first", maxText>>10))
	}
	ws.parsed.parsing.Lock()
	defer ws.parsed.parsing.Unlock()
	c, err := files.Over(ws.catalogue.Load())
	if c == nil {
		return nil, err
	}
	if c.Bytes() > maxCatalogue {
		return nil, tooLarge(fmt.Sprintf("The scenarios of a world may take %d MiB of memory together, and these take %d: write smaller matrices, or delete files first",
			maxCatalogue>>20, c.Bytes()>>20))
	}
	return c, err
}

// worldFiles reads scenario files of the world, and returns their size in bytes.
func (tx *Tx) worldFiles(of []scenarioFile) (files scenarios.Files, size int, err error) {
	for _, f := range of {
		text, err := tx.Values.Get(f.name())
		if err != nil {
			return files, 0, err
		}
		files, size = files.With(fileName(f.Name), slices.Clone(text)), size+len(text)
	}
	return files, size, nil
}

// fileName is the name of a world's scenario file in problems and diagnoses.
func fileName(name string) string { return name + ".yaml" }

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
	if !scenarios.ValidName(name) {
		return nil, nil, invalid("The name of a scenario has 1 to 64 of a-z 0-9 . _ -")
	}
	if err := w.worlds.checkAddress(name, file); err != nil {
		return nil, nil, err
	}
	if api.MaskLine(name) != name { // it is shown in problems, lists and snapshots
		return nil, nil, invalid("The name of a scenario file may not have a social security number")
	}
	err = w.Update(ctx, func(tx *Tx) error {
		others := slices.DeleteFunc(slices.Clone(tx.record.Scenarios), func(f scenarioFile) bool { return f.Name == name })
		if len(others) >= maxFiles {
			return conflict(fmt.Sprintf("A world has %d scenarios of its own at most: delete some first", maxFiles))
		}
		files, size, err := tx.worldFiles(others)
		if err != nil {
			return err
		}
		c, err := tx.worlds.limitedCatalogue(files.With(fileName(name), []byte(file)), size+len(file))
		ofOthers := func(p scenarios.Problem) bool { return p.At.File != fileName(name) }
		if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
			here := slices.DeleteFunc(slices.Clone(problems), ofOthers)
			if c == nil && here.Errors() == 0 {
				here = problems
			}
			if here.Errors() > 0 {
				return invalid("The scenario file is invalid:\n" + here.Error())
			}
		} else if err != nil { // names that others have lost since are not the file's fault
			return err
		}
		added = slices.DeleteFunc(c.Added(), func(s *scenarios.Scenario) bool { return s.At.File != fileName(name) })
		warnings = slices.DeleteFunc(slices.Clone(c.Warnings()), ofOthers)
		return tx.addFile(name, file, others)
	})
	return added, warnings, err
}

// checkAddress returns an error for a valid file unless it has one scenario, with the name of its address.
func (ws *Worlds) checkAddress(name, file string) error {
	ws.parsed.parsing.Lock()
	defer ws.parsed.parsing.Unlock()
	found, problems := scenarios.Parse(fileName(name), []byte(file))
	switch {
	case problems.Errors() > 0: // reported with those of its magic values
		return nil
	case len(found) == 0:
		return invalid("The scenario file has no scenario in it")
	case len(found) > 1:
		return invalid(fmt.Sprintf("The scenario file has %d scenarios, such as %s and %s: send each alone, to the address with its name",
			len(found), found[0].Name, found[1].Name))
	case len(found[0].Webhooks) > 0:
		return invalid("A scenario of one world has no webhooks, which are those of new worlds: subscribe this world by POST /_understudy/v1/webhooks, or understudy webhooks add")
	case found[0].Name != name:
		return invalid("The body names the scenario " + found[0].Name + ", the address " + name + ": use one name")
	}
	return nil
}

// addFile stores a scenario file beside others of the world.
func (tx *Tx) addFile(name, file string, others []scenarioFile) error {
	hash := sha256.Sum256([]byte(file))
	added := scenarioFile{Name: name, Text: fmt.Sprintf("%d-%x", tx.record.ScenariosMade+1, hash[:8])}
	if err := tx.Values.Put(added.name(), []byte(file)); err != nil {
		return err
	}
	all := append(others, added)
	slices.SortFunc(all, func(a, b scenarioFile) int { return strings.Compare(a.Name, b.Name) })
	return tx.setFiles(all)
}

// DeleteScenario deletes a scenario of the world.
func (w *World) DeleteScenario(ctx context.Context, name string) error {
	return w.Update(ctx, func(tx *Tx) error {
		others := slices.DeleteFunc(slices.Clone(tx.record.Scenarios), func(f scenarioFile) bool { return f.Name == name })
		if len(others) == len(tx.record.Scenarios) {
			return notFound("The world has no scenario of its own that is named " + api.Quote(name))
		}
		return tx.setFiles(others)
	})
}

// setFiles stores the list of the world's scenario files, and deletes the texts of those that are not in it.
func (tx *Tx) setFiles(files []scenarioFile) error {
	for _, f := range tx.record.Scenarios {
		if slices.Contains(files, f) {
			continue
		}
		if err := tx.Values.Delete(f.name()); err != nil {
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

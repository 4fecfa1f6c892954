package catalogues

import (
	"errors"
	"fmt"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// File is a scenario file of a world. Each text is stored under a name of its own, so that its parsed catalogue can be cached by name.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"` // number of the file among all that the world ever had, and part of the text's hash
}

// Prefix begins the names under which the texts of a world's scenario files are stored.
const Prefix = "scenario/"

// Stored returns the name under which the file's text is stored.
func (f File) Stored() string { return Prefix + f.Name + "/" + f.Text }

// FileName is the name of a world's scenario file in problems and diagnoses.
func FileName(name string) string { return name + ".yaml" }

// Bounds of a world's scenario files.
const (
	MaxFiles  = 100
	MaxText   = 1 << 20  // bytes of their texts together
	maxMemory = 24 << 20 // approximate bytes of their scenarios, and of all that are cached
)

// CatalogueOf returns the catalogue of a world with files among its values.
func (c *Catalogues) CatalogueOf(values stored.Values, files []File) (*scenarios.Catalogue, error) {
	if len(files) == 0 {
		return c.Base(), nil
	}
	base := c.Base()
	return c.cache.get(key{values.Prefix, fmt.Sprint(files), base}, func() (*scenarios.Catalogue, error) {
		texts, _, err := read(values, files)
		if err != nil {
			return nil, err
		}
		all, err := texts.Over(base) // which has changed since where names clash
		if all == nil {
			return nil, fmt.Errorf("read the scenarios of %s: %w", values.Prefix, err)
		}
		return all, nil
	})
}

// read reads scenario files among values, and returns their size in bytes.
func read(values stored.Values, of []File) (files scenarios.Files, size int, err error) {
	for _, f := range of {
		text, err := values.Get(f.Stored())
		if err != nil {
			return files, 0, err
		}
		files, size = files.With(FileName(f.Name), slices.Clone(text)), size+len(text)
	}
	return files, size, nil
}

// Limited returns the catalogue of a world's files over those of all worlds. It refuses files that take too much
// memory: by their size before they are parsed, else by their scenarios, which a matrix multiplies. Its error for invalid files
// is [scenarios.Problems].
func (c *Catalogues) Limited(files scenarios.Files, size int) (*scenarios.Catalogue, error) {
	if size > MaxText {
		return nil, api.Because(413, fmt.Sprintf("The scenario files of a world may have %d KiB together: delete some first", MaxText>>10))
	}
	c.cache.parsing.Lock()
	defer c.cache.parsing.Unlock()
	all, err := files.Over(c.Base())
	if all == nil {
		return nil, err
	}
	if all.Bytes() > maxMemory {
		return nil, api.Because(413, fmt.Sprintf("The scenarios of a world may take %d MiB of memory together, and these take %d: write smaller matrices, or delete files first",
			maxMemory>>20, all.Bytes()>>20))
	}
	return all, err
}

// Added returns the scenarios that a file adds to others of a world, and warnings of what is valid and probably a mistake in it.
func (c *Catalogues) Added(values stored.Values, others []File, name, file string) (added []*scenarios.Scenario, warnings scenarios.Problems, err error) {
	if len(others) >= MaxFiles {
		return nil, nil, api.Because(409, fmt.Sprintf("A world has %d scenarios of its own at most: delete some first", MaxFiles))
	}
	files, size, err := read(values, others)
	if err != nil {
		return nil, nil, err
	}
	all, err := c.Limited(files.With(FileName(name), []byte(file)), size+len(file))
	ofOthers := func(p scenarios.Problem) bool { return p.At.File != FileName(name) }
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		here := slices.DeleteFunc(slices.Clone(problems), ofOthers)
		if all == nil && here.Errors() == 0 {
			here = problems
		}
		if here.Errors() > 0 {
			return nil, nil, invalid("The scenario file is invalid:\n" + here.Error())
		}
	} else if err != nil { // names that others have lost since are not the file's fault
		return nil, nil, err
	}
	added = slices.DeleteFunc(all.Added(), func(s *scenarios.Scenario) bool { return s.At.File != FileName(name) })
	return added, slices.DeleteFunc(slices.Clone(all.Warnings()), ofOthers), nil
}

// CheckScenario returns an error for a file that cannot be the scenario with a name, as far as it shows without the others of a world: it is
// either invalid, or has this scenario alone.
func (c *Catalogues) CheckScenario(name, file string) error {
	if !scenarios.ValidName(name) {
		return invalid("The name of a scenario has 1 to 64 of a-z 0-9 . _ -")
	}
	if err := c.checkAddress(name, file); err != nil {
		return err
	}
	if api.MaskLine(name) != name { // it is shown in problems, lists and snapshots
		return invalid("The name of a scenario file may not have a social security number")
	}
	return nil
}

// checkAddress returns an error for a valid file unless it has one scenario, with the name of its address.
func (c *Catalogues) checkAddress(name, file string) error {
	c.cache.parsing.Lock()
	defer c.cache.parsing.Unlock()
	found, problems := scenarios.Parse(FileName(name), []byte(file))
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

func invalid(message string) error { return api.Because(400, message) }

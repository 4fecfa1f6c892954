package scenarios

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
)

// shipped holds the scenarios that answer in every world.
//
//go:embed catalogue
var shipped embed.FS

// Builtin returns the embedded catalogue.
func Builtin() (*Catalogue, error) { return Files{}.Load() }

// indexed says of a built-in scenario what leads to it, so that its document need not be read before it is asked for:
// most starts ask for a few.
type indexed struct {
	at    Position
	name  string
	magic Magic
}

// document is one of the built-in documents.
type document struct {
	at    Position
	parse sync.Once
	found []*Scenario
}

// scenarios returns what the document makes. That it can be read, and makes what the index says, is tested.
func (d *document) scenarios() []*Scenario {
	d.parse.Do(func() {
		text := builtinText(d.at.File)
		for _, s := range parseAt(d.at, text) {
			s.Revision = revision(text, d.at.Line)
			d.found = append(d.found, s)
		}
	})
	return d.found
}

// parseAt reads the document that begins at a place of a file.
func parseAt(at Position, text string) (all []*Scenario) {
	for _, piece := range cut(linesOf(text)) {
		if at.Line <= piece.after || at.Line > piece.after+len(piece.lines) {
			continue
		}
		bodies, _ := piece.read(at.File)
		for _, body := range bodies {
			found, _ := parseDocument(decoder{file: at.File, body: body}, len(text))
			for _, s := range found {
				all = append(all, s.Scenario)
			}
		}
	}
	return all
}

func builtinText(file string) string {
	text, err := shipped.ReadFile(file)
	if err != nil {
		return "" // it is of no built-in file
	}
	return string(text)
}

// addBuiltin takes in the built-in scenarios, but for those of files that others stand in for.
func (c *Catalogue) addBuiltin(others Files) {
	from, row := &document{}, 0
	for _, i := range index {
		if i.at != from.at {
			from, row = &document{at: i.at}, 0
		}
		if by, ok := others.named(path.Base(i.at.File)); ok {
			c.replace(replacement{i.at.File, by})
			continue
		}
		c.add(&entry{name: i.name, magic: i.magic, at: i.at, from: from, row: row}, nil)
		row++
	}
	c.builtin = len(c.entries)
}

// replacement is a built-in file, and the one that stands in for it.
type replacement struct{ file, by string }

func (c *Catalogue) replace(r replacement) {
	if !slices.Contains(c.replaced, r) {
		c.replaced = append(c.replaced, r)
	}
}

// Replaced names the built-in files that others of the same name stand in for, and these.
func (c *Catalogue) Replaced() (all []string) {
	for _, r := range c.replaced {
		all = append(all, r.file+" by "+r.by)
	}
	return all
}

// Lost returns a warning for each built-in file that another stands in for: that it is gone as a whole, and which magic
// values with it.
func (c *Catalogue) Lost() (warnings Problems) {
	for _, r := range c.replaced {
		what := "replaces all of the built-in " + r.file
		if gone := c.gone(r.file); len(gone) > 0 {
			what += ", and with it go " + strings.Join(gone, " ")
		}
		warnings = append(warnings, Problem{At: Position{File: r.by}, What: what, Warning: true})
	}
	return warnings
}

// gone lists the magic values of a built-in file that the catalogue does not have.
func (c *Catalogue) gone(file string) (all []string) {
	for _, i := range index {
		if i.at.File != file {
			continue
		}
		for magic := range i.magic.values() {
			if c.byMagic[magic] == nil {
				all = append(all, magic.String())
			}
		}
	}
	return all
}

package scenarios

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// builtin holds the scenarios that answer in every world.
//
//go:embed catalogue
var builtin embed.FS

// Builtin returns the embedded catalogue.
func Builtin() (*Catalogue, error) { return Load(builtin) }

// Load reads the scenario files of a file system, and no others. Its error is all [Problems].
func Load(files fs.FS) (*Catalogue, error) {
	c := newCatalogue()
	return c.finish(c.addFiles(lookAt(files).Read()))
}

// LoadFolders returns the built-in catalogue with the scenario files of folders added. A file of the same base name as
// a built-in one replaces it. Its error is all [Problems] of all files.
func LoadFolders(folders ...string) (*Catalogue, error) { return ReadFolders(folders...).Load() }

// Load returns the built-in catalogue with the files added. A file of the same base name as a built-in one replaces it.
// Its error is all [Problems] of all files.
func (f Files) Load() (*Catalogue, error) {
	c := newCatalogue()
	shipped := lookAt(builtin).Read()
	kept := shipped
	kept.found = nil
	for _, file := range shipped.found {
		if by, ok := f.named(path.Base(file.name)); ok {
			c.replaced = append(c.replaced, replacement{file.name, by})
			continue
		}
		kept.found = append(kept.found, file)
	}
	problems := c.addFiles(kept)
	c.builtin = len(c.scenarios)
	return c.finish(append(problems, c.addFiles(f)...))
}

func newCatalogue() *Catalogue {
	return &Catalogue{
		byName:  make(map[string]*Scenario),
		byMagic: make(map[magicValue]*Scenario),
		values:  make(map[Kind][]string),
		texts:   make(map[string]string),
	}
}

// addFiles takes the scenarios of files in, and returns what is wrong with them.
func (c *Catalogue) addFiles(f Files) Problems {
	problems := f.problems
	for i, parsed := range parseAll(f.found) {
		file := f.found[i]
		for i, s := range parsed.found {
			if i > 0 && parsed.found[i-1].At == s.At { // another row of its matrix
				s.Revision = parsed.found[i-1].Revision
			} else {
				s.Revision = revision(string(file.data), s.At.Line)
			}
			taken := c.add(s.Scenario, s.places)
			taken.cite(string(file.data))
			parsed.wrong = append(parsed.wrong, taken...)
		}
		c.texts[file.name] = string(file.data)
		problems = append(problems, parsed.wrong...)
	}
	return problems
}

// revision names the text of the document that has a line.
func revision(text string, line int) string {
	hash := sha256.Sum256([]byte(documentAt(text, line)))
	return hex.EncodeToString(hash[:6])
}

type parsedFile struct {
	found []placed
	wrong Problems
}

// parseAll parses files on all cores: the built-in ones are a good part of a start.
func parseAll(files []file) []parsedFile {
	all := make([]parsedFile, len(files))
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				all[i].found, all[i].wrong = parse(files[i].name, files[i].data)
			}
		})
	}
	working.Wait()
	return all
}

// finish returns the catalogue, unless one of the problems is more than a warning.
func (c *Catalogue) finish(problems Problems) (*Catalogue, error) {
	problems.sort()
	if err := problems.err(); err != nil {
		return nil, err
	}
	c.warnings = problems
	return c, nil
}

// Lost returns a warning for each built-in file that another stands in for: that it is gone as a whole, and which magic
// values with it.
func (c *Catalogue) Lost() (warnings Problems) {
	for _, r := range c.replaced {
		data, err := builtin.ReadFile(r.file)
		if err != nil {
			continue // it is embedded: it was read when it was found
		}
		found, _ := Parse(r.file, data)
		var gone []string
		for _, s := range found {
			for i, magic := range s.Magic.values() {
				if c.byMagic[magic] == nil {
					gone = append(gone, s.MagicValues()[i].Value)
				}
			}
		}
		what := "replaces all of the built-in " + r.file
		if len(gone) > 0 {
			what += ", and with it go " + strings.Join(gone, " ")
		}
		warnings = append(warnings, Problem{At: Position{File: r.by}, What: what, Warning: true})
	}
	return warnings
}

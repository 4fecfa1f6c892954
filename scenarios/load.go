package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"
)

// Load reads the scenario files of a file system, and no others. Its error is all [Problems].
func Load(files fs.FS) (*Catalogue, error) {
	c := newCatalogue(0)
	return c.finish(c.addFiles(lookAt(files).Read()))
}

// LoadFolders returns the built-in catalogue with the scenario files of folders added. A file of the same base name as
// a built-in one replaces it. Its error is all [Problems] of all files.
func LoadFolders(folders ...string) (*Catalogue, error) { return ReadFolders(folders...).Load() }

// Load returns the built-in catalogue with the files added. A file of the same base name as a built-in one replaces it.
// Its error is all [Problems] of all files.
func (f Files) Load() (*Catalogue, error) {
	c := newCatalogue(len(index))
	c.addBuiltin(f)
	return c.finish(c.addFiles(f))
}

// newCatalogue returns a catalogue with room for a number of scenarios, and for more.
func newCatalogue(room int) *Catalogue {
	return &Catalogue{
		entries: make([]*entry, 0, room),
		byName:  make(map[string]*entry, room),
		byMagic: make(map[magicValue]*entry, room),
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
			e := loaded(s.Scenario)
			taken := append(c.add(e, s.places), c.taking(e, s.places)...)
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

package scenarios

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// shipped holds the scenarios that answer in every world.
//
//go:embed catalogue
var shipped embed.FS

// index lists the built-in scenarios in the order of their files: where their documents begin, their names, and what
// leads to them. With it a built-in file is parsed when one of its scenarios is asked for: to parse all of them at the
// start would double its time, and add a quarter to the memory of an idle server.
//
//go:embed index.txt
var index string

// builtin returns the built-in files. Catalogues share their scenarios, which never change. That the index is current and
// the files have no problems is tested.
var builtin = sync.OnceValue(func() (all []parsedFile) {
	var scenarios func() []entry // of the file
	for line := range strings.Lines(index) {
		fields := strings.Fields(line)
		name, number, _ := strings.Cut(fields[0], ":")
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, parsedFile{file: file{name: name}})
			scenarios = sync.OnceValue(func() []entry {
				text, _ := shipped.ReadFile(name)
				return file{name, text}.parse().found
			})
		}
		of, from := &all[len(all)-1], scenarios
		row := len(of.found)
		e := entry{name: fields[1], at: Position{File: name, Column: 1}, scenario: sync.OnceValue(func() *Scenario { return from()[row].scenario() })}
		e.at.Line, _ = strconv.Atoi(number)
		for _, magic := range fields[2:] {
			key, value, _ := strings.Cut(magic, "=")
			memberOf(reflect.ValueOf(&e.magic).Elem(), key).SetString(value)
		}
		of.found = append(of.found, e)
	}
	return all
})

// Builtin returns the embedded catalogue.
func Builtin() (*Catalogue, error) { return Files{}.Load() }

// LoadFolders returns the built-in catalogue with the scenario files of folders added. A file of the same base name as
// a built-in one replaces it. Its error is all [Problems] of all files.
func LoadFolders(folders ...string) (*Catalogue, error) { return ReadFolders(folders...).Load() }

// Load returns the built-in catalogue with the files added. A file of the same base name as a built-in one replaces it.
// Its error is all [Problems] of all files.
func (f Files) Load() (*Catalogue, error) {
	c := newCatalogue(nil)
	for _, built := range builtin() {
		by := slices.IndexFunc(f.found, func(own file) bool { return filepath.Base(own.name) == path.Base(built.name) })
		if by >= 0 {
			c.replaced = append(c.replaced, replacement{built, f.found[by].name})
		} else {
			c.add(built) // the built-in files have no problems
		}
	}
	c.builtin = len(c.all)
	return c.load(f)
}

// Over returns a catalogue of files that lies over another: a name or a magic value that both have is that of the files.
// Without another the files stand alone. Its error is all [Problems] of the files.
func (f Files) Over(base *Catalogue) (*Catalogue, error) { return newCatalogue(base).load(f) }

// load adds files to the catalogue and returns it, unless one of their problems is more than a warning.
func (c *Catalogue) load(f Files) (*Catalogue, error) {
	problems := f.problems
	for _, file := range f.parse() {
		problems = append(append(problems, file.problems...), c.add(file)...)
	}
	problems.sort()
	if problems.Errors() > 0 {
		return nil, problems
	}
	c.warnings = problems
	c.inherit()
	return c, nil
}

// parsedFile is a scenario file and what was found in it.
type parsedFile struct {
	file

	found    []entry
	problems Problems
}

// parse parses the files on all cores.
func (f Files) parse() []parsedFile {
	all := make([]parsedFile, len(f.found))
	var working sync.WaitGroup
	for i, file := range f.found {
		working.Go(func() { all[i] = file.parse() })
	}
	working.Wait()
	return all
}

// parse parses one file. The revision of a scenario is a hash of its document.
func (f file) parse() parsedFile {
	found, problems := parse(f.name, f.data)
	documents := split(linesOf(string(f.data)))
	for _, e := range found {
		s := e.scenario()
		s.document = documentAt(documents, e.at.Line)
		hash := sha256.Sum256([]byte(s.document))
		s.Revision = hex.EncodeToString(hash[:6])
	}
	return parsedFile{f, found, problems}
}

// replacement is a built-in file, and the name of the one that replaces it.
type replacement struct {
	file parsedFile
	by   string
}

// Replaced names the built-in files that others of the same name replace, and these.
func (c *Catalogue) Replaced() (all []string) {
	for _, r := range c.replaced {
		all = append(all, r.file.name+" by "+r.by)
	}
	return all
}

// Lost returns a warning for each built-in file that another replaces: that it is gone as a whole, and which magic values
// with it.
func (c *Catalogue) Lost() (warnings Problems) {
	for _, r := range c.replaced {
		var gone []string
		for _, s := range r.file.found {
			for magic := range s.magic.values() {
				if c.byMagic[magic] == nil {
					gone = append(gone, magic.String())
				}
			}
		}
		what := "replaces all of the built-in " + r.file.name
		if len(gone) > 0 {
			what += ", and with it go " + strings.Join(gone, " ")
		}
		warnings = append(warnings, Problem{At: Position{File: r.by}, What: what, Warning: true})
	}
	return warnings
}

// Source returns the scenario as a document of its own: as its file has it, comments and all, with its row of the matrix
// filled in.
func (s *Scenario) Source() string {
	if len(s.Matrix) == 0 {
		return s.document
	}
	var here []string
	for _, name := range slices.Sorted(maps.Keys(s.Matrix)) {
		here = append(here, "<"+name+"> is "+s.values["<"+name+">"])
	}
	explained := fmt.Sprintf("# One of the %d scenarios that a matrix makes: here %s.\n", s.Matrix.size(), strings.Join(here, ", "))
	filled := rowOf(s.values).fillIn(withoutMatrix(s.document))
	if found, problems := Parse(s.At.File, []byte(filled)); problems.Errors() > 0 || len(found) != 1 || found[0].Name != s.Name {
		return explained + s.document // it is written in another way than most
	}
	return explained + filled
}

// withoutMatrix leaves out the lines of the matrix.
func withoutMatrix(document string) string {
	var kept strings.Builder
	within := false
	for line := range strings.Lines(document) {
		if !strings.ContainsAny(line[:1], " \t\r\n-]}") { // what stands in the first column begins something else
			within = strings.HasPrefix(line, "matrix:")
		}
		if !within {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

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

// catalogue has the built-in scenario files. They define the magic values of every world, such as vr_pending_approval.
//
//go:embed catalogue
var catalogue embed.FS

// index lists the built-in scenarios in the order of their files: the positions of their documents, their names and their
// magic values. With it, a built-in file is parsed when one of its scenarios is used: parsing all of them would double the
// time of a start, and add a quarter to the memory of an idle server. A test writes it: go test ./scenarios -run Index -update
//
//go:embed index.txt
var index string

// builtin returns the built-in files. Catalogues share their scenarios, which are immutable. Tests ensure that the index is
// current and that the files have no problems.
var builtin = sync.OnceValue(func() (all []parsedFile) {
	var scenarios func() []entry // of the file
	for line := range strings.Lines(index) {
		fields := strings.Fields(line)
		name, number, _ := strings.Cut(fields[0], ":")
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, parsedFile{file: file{name: name}})
			scenarios = sync.OnceValue(func() []entry {
				text, _ := catalogue.ReadFile(name)
				return file{name, text}.parse().found
			})
		}
		of, from := &all[len(all)-1], scenarios
		row := len(of.found)
		e := entry{name: fields[1], at: Position{File: name, Column: 1}, scenario: sync.OnceValue(func() *Scenario { return from()[row].scenario() })}
		e.at.Line, _ = strconv.Atoi(number)
		for _, magic := range fields[2:] {
			key, value, _ := strings.Cut(magic, "=")
			member, _ := memberOf(reflect.ValueOf(&e.magic).Elem(), key)
			member.SetString(value)
		}
		of.found = append(of.found, e)
	}
	return all
})

// Load returns the built-in catalogue with the scenario files of folders added. A file with the base name of a built-in one
// replaces it. The error is the [Problems] of all files.
func Load(folders ...string) (*Catalogue, error) { return list(folders...).read().Load() }

// Load returns the built-in catalogue with the files added, as the function Load does.
func (f Files) Load() (*Catalogue, error) {
	c := newCatalogue(nil)
	for _, built := range builtin() {
		by := slices.IndexFunc(f.found, func(f file) bool { return filepath.Base(f.name) == path.Base(built.name) })
		if by >= 0 {
			c.replaced = append(c.replaced, replacement{built, f.found[by].name})
		} else {
			c.add(built) // the built-in files have no problems
		}
	}
	c.builtin = len(c.all)
	return c.load(f)
}

// Over returns the catalogue base with the files added. Their names and magic values hide those of base, which may be nil.
// The error is the [Problems] of the files.
func (f Files) Over(base *Catalogue) (*Catalogue, error) { return newCatalogue(base).load(f) }

// load adds files to the catalogue and returns it. Its error is their problems, when they are not warnings alone.
func (c *Catalogue) load(f Files) (*Catalogue, error) {
	problems := f.problems
	for _, file := range f.parse() {
		problems = append(append(problems, file.problems...), c.add(file)...)
		c.bytes += file.memory()
	}
	problems.sort()
	if problems.Errors() > 0 {
		return nil, problems
	}
	c.warnings = problems
	c.inherit()
	return c, nil
}

// parsedFile is a scenario file with its scenarios and problems.
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

// parse parses one file.
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

// memory returns the approximate memory of the scenarios of the file, in bytes.
func (f parsedFile) memory() int64 {
	const tree, scenario = 16, 5 // by byte of the file, and of the document of each scenario
	size := tree * len(f.data)
	for _, e := range f.found {
		size += scenario * len(e.scenario().document)
	}
	return int64(size)
}

// replacement is a built-in file and the name of the file that replaces it.
type replacement struct {
	file parsedFile
	by   string
}

// Replaced lists the built-in files that are replaced, such as "catalogue/states.yaml by mine/states.yaml".
func (c *Catalogue) Replaced() (all []string) {
	for _, r := range c.replaced {
		all = append(all, r.file.name+" by "+r.by)
	}
	return all
}

// ReplacementWarnings returns a warning for each built-in file that is replaced, with the magic values that are lost.
func (c *Catalogue) ReplacementWarnings() (warnings Problems) {
	for _, r := range c.replaced {
		var lost []string
		for _, s := range r.file.found {
			for magic := range s.magic.values() {
				if c.byMagic[magic] == nil {
					lost = append(lost, magic.Value)
				}
			}
		}
		what := "replaces all of the built-in " + r.file.name
		if len(lost) > 0 {
			what += ", and these magic values are lost: " + strings.Join(lost, " ")
		}
		warnings = append(warnings, Problem{At: Position{File: r.by}, What: what, Warning: true})
	}
	return warnings
}

// Source returns the text of the scenario's document with its comments, and with its row of the matrix filled in.
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
		return explained + s.document // a document in flow style
	}
	return explained + filled
}

// withoutMatrix returns the document without the lines of the matrix.
func withoutMatrix(document string) string {
	var rest strings.Builder
	within := false
	for line := range strings.Lines(document) {
		if !strings.ContainsAny(line[:1], " \t\r\n-]}") { // the line begins another key
			within = strings.HasPrefix(line, "matrix:")
		}
		if !within {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

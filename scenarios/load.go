package scenarios

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
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

// builtin returns the built-in scenarios. Tests ensure that the index is current and that the files have no problems.
var builtin = sync.OnceValue(func() *Catalogue {
	c, name, row := newCatalogue(nil), "", 0
	var found func() []entry // of the file
	for line := range strings.Lines(index) {
		fields := strings.Fields(line)
		of, number, _ := strings.Cut(fields[0], ":")
		if of != name {
			name, row = of, 0
			found = sync.OnceValue(func() []entry {
				text, _ := catalogue.ReadFile(of)
				return file{of, text}.parse(nil).found
			})
		}
		from, i := found, row
		e := entry{name: fields[1], at: Position{File: name, Column: 1}, scenario: sync.OnceValue(func() *Scenario { return from()[i].scenario() })}
		e.at.Line, _ = strconv.Atoi(number)
		for _, magic := range fields[2:] {
			key, value, _ := strings.Cut(magic, "=")
			member, _ := decode.MemberOf(reflect.ValueOf(&e.magic).Elem(), key)
			member.SetString(value)
		}
		c.register(&e)
		row++
	}
	c.inherited = len(c.all)
	return c
})

// Load returns the built-in catalogue with the scenario files of folders added. The error is the [Problems] of all files.
func Load(folders ...string) (*Catalogue, error) { return list(folders...).read().Load() }

// Load returns the built-in catalogue with the files added, as the function Load does.
func (f Files) Load() (*Catalogue, error) {
	if len(f.found)+len(f.problems) == 0 {
		return builtin(), nil
	}
	return f.Over(builtin())
}

// Over returns the catalogue base with the files added; without a base nothing that they replace is looked for. The error is
// the [Problems] of the files. When these are only about names and magic values, as when the base of stored files has changed,
// there is a catalogue, too, in which the scenarios of the files have them.
func (f Files) Over(base *Catalogue) (*Catalogue, error) {
	c, problems, parsed := newCatalogue(base), f.problems, f.parse()
	for _, file := range parsed {
		problems = append(problems, file.problems...)
		c.bytes += file.memory()
	}
	invalid := problems.Errors() > 0
	each := func(check func(*entry) Problems) {
		for _, file := range parsed {
			var found Problems
			for i := range file.found {
				found = append(found, check(&file.found[i])...)
			}
			source.AddLines(found, string(file.data))
			problems = append(problems, found...)
		}
	}
	each(func(e *entry) Problems { return c.replace(e, parsed) })
	c.inherit()
	each(c.add)
	each(c.lose)
	source.Sort(problems)
	switch c.warnings = problems; {
	case invalid:
		return nil, problems
	case problems.Errors() > 0:
		return c, problems
	}
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
		working.Go(func() { all[i] = file.parse((*validator).validateDrawn) })
	}
	working.Wait()
	return all
}

// parse parses one file. warn adds warnings of a scenario without problems; nil adds none.
func (f file) parse(warn func(*validator)) parsedFile {
	found, problems := parse(f.name, f.data, warn)
	documents := source.Split(string(f.data))
	for _, e := range found {
		s := e.scenario()
		s.document = source.DocumentAt(documents, e.at.Line)
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

// Source returns the text of the scenario's document with its comments, and with its row of the matrix filled in.
func (s *Scenario) Source() string {
	if len(s.Matrix) == 0 {
		return s.document
	}
	var here []string
	for _, name := range slices.Sorted(maps.Keys(s.Matrix)) {
		here = append(here, "<"+name+"> is "+s.values["<"+name+">"])
	}
	explained := fmt.Sprintf("# One of the %d scenarios that a matrix makes: here %s.\n", s.Matrix.Size(), strings.Join(here, ", "))
	filled := decode.RowOf(s.values).Fill(withoutMatrix(s.document))
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

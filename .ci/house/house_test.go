// Package house has the rules of the house that can be counted: sizes of files, exported names, words.
package house

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

var positions = token.NewFileSet()

// source is a Go file of the repository.
type source struct {
	name string // from the root
	text []byte
	*ast.File
}

// sources returns all Go files, also those of .ci.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil || len(all) < 100 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

var parsed = sync.OnceValues(func() (all []source, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(path.Join(root, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(positions, name, text, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, source{name, text, file})
		return err
	})
	return all, err
})

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// A file has at most 400 lines. A file of tests, which has tables, may have 500.
func TestFileSizes(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		limit := 400
		if isTest(file.name) {
			limit = 500
		}
		if lines := bytes.Count(file.text, []byte("\n")); lines > limit {
			t.Errorf("%s has %d lines, and may have %d: split it where a subject ends", file.name, lines, limit)
		}
	}
}

// The public packages export at most 600 names. The methods of an internal type count where it has an alias. Packages for
// our own tests do not count.
func TestExportedNames(t *testing.T) {
	t.Parallel()
	files, packages := make(map[string][]*ast.File), make(map[string]*doc.Package)
	for _, file := range sources(t) {
		if folder := path.Dir(file.name); !isTest(file.name) && file.Name.Name != "main" {
			own, err := parser.ParseFile(positions, file.name, file.text, parser.ParseComments) // NewFromFiles changes what it reads
			if err != nil {
				t.Fatal(err)
			}
			files[folder] = append(files[folder], own)
		}
	}
	for folder, all := range files {
		p, err := doc.NewFromFiles(positions, all, folder)
		if err != nil {
			t.Fatal(err)
		}
		packages[folder] = p
	}
	sum := 0
	for folder, p := range packages {
		support := strings.HasSuffix(folder, "test") && folder != "emulator/emulatortest"
		if strings.Contains(folder, "internal") || strings.HasPrefix(folder, "docs/") || support {
			continue
		}
		count := values(p.Consts, p.Vars) + len(p.Funcs)
		for _, of := range p.Types {
			count += 1 + values(of.Consts, of.Vars) + len(of.Funcs) + len(of.Methods) + methodsOfAlias(packages, of)
		}
		t.Logf("%4d %s", count, folder)
		sum += count
	}
	if sum > 600 || sum < 300 {
		t.Errorf("%d exported names, and at most 600 are wanted: remove some, or make new ones internal", sum)
	}
}

// values returns the number of names that declarations have.
func values(declarations ...[]*doc.Value) (count int) {
	for _, all := range declarations {
		for _, d := range all {
			count += len(d.Names)
		}
	}
	return count
}

// methodsOfAlias returns the number of methods that a type has of an internal type for which it stands.
func methodsOfAlias(packages map[string]*doc.Package, alias *doc.Type) int {
	spec := alias.Decl.Specs[0].(*ast.TypeSpec)
	of, ok := spec.Type.(*ast.SelectorExpr)
	if !ok || !spec.Assign.IsValid() {
		return 0
	}
	for folder, p := range packages {
		if !strings.Contains(folder, "internal") || p.Name != of.X.(*ast.Ident).Name {
			continue
		}
		for _, named := range p.Types {
			if named.Name == of.Sel.Name {
				return len(named.Methods)
			}
		}
	}
	return 0
}

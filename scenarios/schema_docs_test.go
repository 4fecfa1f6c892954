package scenarios_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// docs are the comments on types and their fields, by package, type and field; read when a package is first asked about.
type docs struct {
	t    testing.TB
	read map[string]bool // packages
	text map[string]string
}

func newDocs(t testing.TB) docs { return docs{t, map[string]bool{}, map[string]string{}} }

// of returns the comment on a type.
func (d docs) of(t reflect.Type) string { return d.ofField(t, "") }

// ofField returns the comment above or behind a field.
func (d docs) ofField(t reflect.Type, field string) string {
	if t.Name() == "" {
		return ""
	}
	if !d.read[t.PkgPath()] {
		d.read[t.PkgPath()] = true
		d.readPackage(t.PkgPath())
	}
	return d.text[t.PkgPath()+"."+t.Name()+"."+field]
}

// readPackage reads the comments of a package of this module.
func (d docs) readPackage(name string) {
	d.t.Helper()
	module := filepath.Dir(reflect.TypeFor[scenarios.Scenario]().PkgPath())
	folder, ok := strings.CutPrefix(name, module)
	if !ok {
		return
	}
	files, err := filepath.Glob(filepath.Join("..", strings.TrimSuffix(folder, "_test"), "*.go"))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") != strings.HasSuffix(name, "_test") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			d.t.Fatal(err)
		}
		d.readFile(name, parsed)
	}
}

func (d docs) readFile(name string, file *ast.File) {
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			declared := spec.(*ast.TypeSpec)
			key := name + "." + declared.Name.Name + "."
			d.text[key] = sentence(group.Doc, declared.Doc, declared.Comment)
			structure, ok := declared.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range structure.Fields.List {
				for _, fieldName := range field.Names {
					d.text[key+fieldName.Name] = sentence(field.Doc, field.Comment)
				}
			}
		}
	}
}

var (
	docLink = regexp.MustCompile(`\[([A-Z][A-Za-z.]*)\]`)
	blank   = regexp.MustCompile(`\s+`)
)

// sentence returns the first comment that there is, on one line.
func sentence(comments ...*ast.CommentGroup) string {
	for _, comment := range comments {
		if text := strings.TrimSpace(comment.Text()); text != "" {
			return blank.ReplaceAllString(docLink.ReplaceAllString(text, "$1"), " ")
		}
	}
	return ""
}

package scenarios_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// docs are the comments on types and their fields, by package, type and field.
type docs map[string]string

func newDocs(t testing.TB) docs {
	t.Helper()
	d := docs{}
	for _, folder := range []string{"../scenarios", "../fixtures", "../emulator/api"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, declaration := range parsed.Decls {
				d.read(filepath.Base(folder), declaration)
			}
		}
	}
	return d
}

// of returns the comment on a type, or above or behind one of its fields.
func (d docs) of(t reflect.Type, field string) string {
	return d[path.Base(t.PkgPath())+"."+t.Name()+"."+field]
}

func (d docs) read(pkg string, declaration ast.Decl) {
	group, ok := declaration.(*ast.GenDecl)
	if !ok || group.Tok != token.TYPE {
		return
	}
	for _, spec := range group.Specs {
		declared := spec.(*ast.TypeSpec)
		key := pkg + "." + declared.Name.Name + "."
		d[key] = sentence(group.Doc, declared.Doc, declared.Comment)
		if structure, ok := declared.Type.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					d[key+name.Name] = sentence(field.Doc, field.Comment)
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

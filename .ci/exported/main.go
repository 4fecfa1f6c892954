// Command exported counts the exported identifiers of each package outside internal, and fails when their sum is above
// a limit. It is run in the root of the module: go run ./.ci/exported
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

const limit = 600

// testSupport names the packages that only tests import. They are counted, but are not part of the public face.
var testSupport = []string{"emulator/api/apitest", "store/storetest", "store/etcd/etcdtest"}

func main() {
	counts, err := count(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sum, public := 0, 0
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		note := ""
		if slices.Contains(testSupport, folder) {
			note = " (test support)"
		} else {
			public++
		}
		fmt.Printf("%4d %s%s\n", counts[folder], folder, note)
		sum += counts[folder]
	}
	fmt.Printf("%4d exported identifiers, at most %d; %d public packages\n", sum, limit, public)
	if sum > limit {
		os.Exit(1)
	}
}

// count returns the number of exported identifiers of each library package outside internal, by its folder.
func count(files fs.FS) (map[string]int, error) {
	counts := make(map[string]int)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (base == "internal" || base == "testdata" || base != "." && strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		for _, declaration := range file.Decls {
			counts[path.Dir(name)] += exported(declaration)
		}
		return nil
	})
	return counts, err
}

// exported counts functions, methods of exported types, types, constants and variables. Fields are not counted.
func exported(declaration ast.Decl) (n int) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || receiver(d.Recv.List[0].Type).IsExported()) {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

func receiver(expression ast.Expr) *ast.Ident {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return expression.(*ast.Ident)
}

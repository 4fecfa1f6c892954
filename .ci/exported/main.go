// Command exported counts the exported identifiers of each public package, with the methods of the internal types that it
// has aliases of, and fails when their sum is above a limit. Examples are not counted. It is run in the root of the module: go run ./.ci/exported
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

const (
	limit  = 600
	module = "github.com/understudy-sandbox/understudy/"
)

// testSupport names the packages that only tests import. They are not part of the public face.
var testSupport = []string{"emulator/api/apitest", "store/storetest", "store/etcd/etcdtest"}

func main() {
	folders, err := read(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sum, public := 0, 0
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		count := folders[name].names
		for _, aliased := range folders[name].aliases {
			if strings.Contains(aliased.folder, "internal") {
				count += folders[aliased.folder].methods[aliased.name]
			}
		}
		switch {
		case strings.Contains(name, "internal"), strings.HasPrefix(name, "docs/examples"):
		case slices.Contains(testSupport, name):
			fmt.Printf("%4d %s (test support, not in the sum)\n", count, name)
		default:
			fmt.Printf("%4d %s\n", count, name)
			sum, public = sum+count, public+1
		}
	}
	fmt.Printf("%4d exported identifiers, at most %d; %d public packages\n", sum, limit, public)
	if sum > limit {
		os.Exit(1)
	}
}

// folder is what a package exports. Fields are not counted.
type folder struct {
	names   int            // functions, methods of exported types, types, constants and variables
	methods map[string]int // exported ones, by their type
	aliases []named        // whose methods are exported too
}

// named is a type of another package of the module.
type named struct{ folder, name string }

// read returns the library packages of the module, by their folder.
func read(files fs.FS) (map[string]*folder, error) {
	folders := make(map[string]*folder)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (base == "testdata" || base != "." && strings.HasPrefix(base, ".")):
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
		in := folders[path.Dir(name)]
		if in == nil {
			in = &folder{methods: make(map[string]int)}
			folders[path.Dir(name)] = in
		}
		for _, declaration := range file.Decls {
			in.add(declaration, imports(file))
		}
		return nil
	})
	return folders, err
}

// imports returns the folders of the module's packages that a file imports, by the package's name.
func imports(file *ast.File) map[string]string {
	folders := make(map[string]string)
	for _, spec := range file.Imports {
		if in, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ok {
			folders[path.Base(in)] = in
		}
	}
	return folders
}

func (f *folder) add(declaration ast.Decl, imports map[string]string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		if d.Recv == nil {
			f.names++
		} else if of := receiver(d.Recv.List[0].Type); of.IsExported() {
			f.names++
			f.methods[of.Name]++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if !s.Name.IsExported() {
					continue
				}
				f.names++
				if of, ok := s.Type.(*ast.SelectorExpr); ok && s.Assign.IsValid() {
					f.aliases = append(f.aliases, named{imports[of.X.(*ast.Ident).Name], of.Sel.Name})
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						f.names++
					}
				}
			}
		}
	}
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

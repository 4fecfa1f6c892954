// Command words finds words in identifiers, in names of tests and in comments for which words.txt has a better one.
// It is run in the root of the module, for all of it or for some folders: go run ./.ci/words [folder…]
package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed words.txt
var list string

func main() {
	words, err := parseList(list)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	folders := os.Args[1:]
	if len(folders) == 0 {
		folders = []string{"."}
	}
	check := &checker{words: words, files: token.NewFileSet()}
	for _, folder := range folders {
		if err := filepath.WalkDir(folder, check.file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	if check.found > 0 {
		fmt.Printf("%d words have a better one: see .ci/words/words.txt\n", check.found)
		os.Exit(1)
	}
}

// wordList is what words.txt says.
type wordList struct {
	identifiers map[string]string // a word to its replacement
	comments    map[string]string
	phrases     []phrase
	allowed     map[string]bool // whole identifiers
}

// phrase is several words in a row, in a comment.
type phrase struct {
	pattern     *regexp.Regexp
	replacement string
}

// parseList parses lines of the form "forms | where | replacement | reason", and "identifiers | allowed | reason".
func parseList(text string) (*wordList, error) {
	l := &wordList{identifiers: map[string]string{}, comments: map[string]string{}, allowed: map[string]bool{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "|")
		for i, column := range columns {
			columns[i] = strings.TrimSpace(column)
		}
		if err := l.add(columns); err != nil {
			return nil, fmt.Errorf("words.txt:%d: %w", n, err)
		}
	}
	return l, lines.Err()
}

func (l *wordList) add(columns []string) error {
	if len(columns) < 3 {
		return errors.New("a line has at least three columns")
	}
	for _, word := range strings.Fields(columns[0]) {
		switch columns[1] {
		case "everywhere":
			l.identifiers[word], l.comments[word] = columns[2], columns[2]
		case "identifiers":
			if len(columns) < 4 {
				return fmt.Errorf("say why a comment may have %q", word)
			}
			l.identifiers[word] = columns[2]
		case "comments":
			l.comments[word] = columns[2]
		case "allowed":
			l.allowed[word] = true
		case "phrase":
			l.phrases = append(l.phrases, phrase{regexp.MustCompile(`(?i)\b` + columns[0] + `\b`), columns[2]})
			return nil
		default:
			return fmt.Errorf("%q is not everywhere, identifiers, comments, phrase or allowed", columns[1])
		}
	}
	return nil
}

type checker struct {
	words *wordList
	files *token.FileSet
	found int
}

// file checks a Go file. It is a fs.WalkDirFunc.
func (c *checker) file(name string, entry fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
		return fs.SkipDir
	case entry.IsDir() || filepath.Ext(name) != ".go":
		return nil
	}
	c.fileName(name)
	file, err := parser.ParseFile(c.files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			c.comment(comment)
		}
	}
	ast.Inspect(file, c.declared)
	return nil
}

func (c *checker) fileName(name string) {
	base := strings.TrimSuffix(filepath.Base(name), ".go")
	for _, word := range split(base) {
		if replacement, bad := c.words.identifiers[word]; bad && !c.words.allowed[base+".go"] {
			c.print(name+":1", "file name "+word, replacement)
		}
	}
}

// declared checks the identifiers that a node declares. Uses are not checked, for they may be another module's.
func (c *checker) declared(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.File:
		c.identifier(n.Name)
	case *ast.FuncDecl:
		c.identifier(n.Name)
	case *ast.TypeSpec:
		c.identifier(n.Name)
	case *ast.LabeledStmt:
		c.identifier(n.Label)
	case *ast.ImportSpec:
		if n.Name != nil {
			c.identifier(n.Name)
		}
	case *ast.Field: // of structs, interfaces, parameters and results
		c.identifiers(n.Names)
	case *ast.ValueSpec:
		c.identifiers(n.Names)
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			c.expressions(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			c.expressions(n.Key, n.Value)
		}
	case *ast.CallExpr:
		c.subtest(n)
	case *ast.KeyValueExpr:
		c.testCase(n)
	}
	return true
}

func (c *checker) expressions(all ...ast.Expr) {
	for _, expression := range all {
		if name, ok := expression.(*ast.Ident); ok {
			c.identifier(name)
		}
	}
}

func (c *checker) identifiers(all []*ast.Ident) {
	for _, name := range all {
		c.identifier(name)
	}
}

func (c *checker) identifier(name *ast.Ident) {
	if c.words.allowed[name.Name] {
		return
	}
	for _, word := range split(name.Name) {
		if replacement, bad := c.words.identifiers[word]; bad {
			c.print(c.position(name.Pos()), name.Name+": "+word, replacement)
		}
	}
}

// subtest checks the name in t.Run("name", …).
func (c *checker) subtest(call *ast.CallExpr) {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || function.Sel.Name != "Run" || len(call.Args) != 2 {
		return
	}
	if name, ok := call.Args[0].(*ast.BasicLit); ok && name.Kind == token.STRING {
		text, _ := strconv.Unquote(name.Value)
		c.prose(c.position(name.Pos()), text)
	}
}

// testCase checks the key of a table of cases: a text of several words.
func (c *checker) testCase(row *ast.KeyValueExpr) {
	key, ok := row.Key.(*ast.BasicLit)
	if position := c.position(row.Pos()); ok && key.Kind == token.STRING && strings.Contains(position, "_test.go:") {
		if text, _ := strconv.Unquote(key.Value); strings.Contains(text, " ") {
			c.prose(position, text)
		}
	}
}

var (
	quoted = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|https?://\\S+")
	word   = regexp.MustCompile(`\pL+`)
)

func (c *checker) comment(comment *ast.Comment) {
	if strings.HasPrefix(comment.Text, "//go:") {
		return
	}
	start := c.files.Position(comment.Pos())
	for i, line := range strings.Split(comment.Text, "\n") {
		c.prose(fmt.Sprintf("%s:%d", start.Filename, start.Line+i), quoted.ReplaceAllString(line, ""))
	}
}

// prose checks the words of a text, and the parts of the identifiers in it.
func (c *checker) prose(position, text string) {
	for _, written := range word.FindAllString(text, -1) {
		if c.words.allowed[written] {
			continue
		}
		if replacement, bad := c.words.comments[strings.ToLower(written)]; bad {
			c.print(position, written, replacement)
		}
	}
	for _, phrase := range c.words.phrases {
		if written := phrase.pattern.FindString(text); written != "" {
			c.print(position, written, phrase.replacement)
		}
	}
}

func (c *checker) position(at token.Pos) string {
	position := c.files.Position(at)
	return fmt.Sprintf("%s:%d", position.Filename, position.Line)
}

func (c *checker) print(position, found, replacement string) {
	c.found++
	fmt.Printf("%s: %s → %s\n", position, found, replacement)
}

// split returns the words of an identifier in lower case: putHTTPHeader_late has put, http, header and late.
func split(identifier string) (words []string) {
	runes := []rune(identifier)
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	upper := func(i int) bool { return i < len(runes) && 'A' <= runes[i] && runes[i] <= 'Z' }
	lower := func(i int) bool { return i < len(runes) && 'a' <= runes[i] && runes[i] <= 'z' }
	for i := range runes {
		switch {
		case !upper(i) && !lower(i):
			flush(i)
			start = i + 1
		case upper(i) && (i > 0 && lower(i-1) || lower(i+1)):
			flush(i)
		}
	}
	flush(len(runes))
	return words
}

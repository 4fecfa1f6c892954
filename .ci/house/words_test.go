package house

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Identifiers, names of tests and of files, and comments do without the words for which words.txt has a better one.
func TestWords(t *testing.T) {
	t.Parallel()
	list := readWords(t)
	for _, file := range sources(t) {
		report := func(at token.Pos, found []string) {
			for _, f := range found {
				t.Errorf("%s: %s", positions.Position(at), f)
			}
		}
		report(file.Pos(), list.inName(strings.TrimSuffix(path.Base(file.name), ".go")))
		for _, group := range file.Comments {
			for _, comment := range group.List {
				report(comment.Pos(), list.inText(comment.Text))
			}
		}
		others := make(map[ast.Node]bool) // names that another module may have chosen
		ast.Inspect(file.File, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.SelectorExpr:
				others[n.Sel] = true
			case *ast.KeyValueExpr:
				others[n.Key] = true
				report(n.Pos(), list.inText(testName(file.name, n.Key)))
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" && len(n.Args) == 2 {
					report(n.Pos(), list.inText(testName(file.name, n.Args[0])))
				}
			case *ast.Ident:
				if !others[n] {
					report(n.Pos(), list.inName(n.Name))
				}
			}
			return true
		})
	}
}

// testName returns the text of a name in a table of tests, or of a subtest, else "".
func testName(file string, name ast.Expr) string {
	if text, ok := name.(*ast.BasicLit); ok && isTest(file) && strings.Contains(text.Value, " ") {
		return strings.Trim(text.Value, "\"`")
	}
	return ""
}

// wordList has the lines of words.txt, by what they are about: a word or a phrase, and its replacement.
type wordList struct {
	names, texts map[string]string
	phrases      map[*regexp.Regexp]string
	allowed      map[string]bool // whole identifiers
}

func readWords(t *testing.T) wordList {
	t.Helper()
	text, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := wordList{map[string]string{}, map[string]string{}, map[*regexp.Regexp]string{}, map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") || len(columns) < 3 {
			continue
		}
		if columns[1] == "phrase" {
			list.phrases[regexp.MustCompile(`(?i)\b`+columns[0]+`\b`)] = columns[2]
			continue
		}
		for word := range strings.FieldsSeq(columns[0]) {
			switch columns[1] {
			case "everywhere":
				list.names[word], list.texts[word] = columns[2], columns[2]
			case "identifiers":
				list.names[word] = columns[2]
			case "allowed":
				list.allowed[word] = true
			default:
				t.Fatalf("words.txt: %q is no kind of line", columns[1])
			}
		}
	}
	return list
}

var (
	acronym    = regexp.MustCompile(`([A-Z])([A-Z][a-z])`) // putHTTPHeader is put, HTTP and Header
	partOfName = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	wordOfText = regexp.MustCompile(`\pL+`)
	quoted     = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|https?://\\S+|//go:.*")
)

// inName returns the words of the list that an identifier is made of.
func (l wordList) inName(name string) (found []string) {
	for _, part := range partOfName.FindAllString(acronym.ReplaceAllString(name, "$1 $2"), -1) {
		if better, ok := l.names[strings.ToLower(part)]; ok && !l.allowed[name] {
			found = append(found, name+": "+part+" → "+better)
		}
	}
	return found
}

// inText returns the words and phrases of the list that are in a text, outside of quotes.
func (l wordList) inText(text string) (found []string) {
	text = quoted.ReplaceAllString(text, "")
	for _, word := range wordOfText.FindAllString(text, -1) {
		if better, ok := l.texts[strings.ToLower(word)]; ok && !l.allowed[word] {
			found = append(found, word+" → "+better)
		}
	}
	for phrase, better := range l.phrases {
		if written := phrase.FindString(text); written != "" {
			found = append(found, written+" → "+better)
		}
	}
	return found
}

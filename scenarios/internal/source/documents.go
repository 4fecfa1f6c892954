// Package source reads the text of scenario files. A file flows in, and its YAML documents flow out, or problems with their
// positions and lines.
package source

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// MaxFile is the size of a scenario file, in bytes. It and the next limits bound the time of the YAML parser, which grows faster
// than its input, unlike its lexer's.
const MaxFile = 64 << 10

const (
	maxDepth  = 32  // nested lists and mappings in flow style; the language needs 5
	maxTokens = 500 // on a line
)

// Read returns the documents of a file that are not empty. Each is parsed by itself, since the parser stops at the first
// that is empty or not YAML.
func Read(file string, data []byte) (documents []ast.Node, problems Problems) {
	if len(data) > MaxFile {
		return nil, Problems{TooLarge(file, int64(len(data)))}
	}
	if problems := notUTF8(file, data); problems != nil {
		return nil, problems
	}
	for _, document := range Split(string(data)) {
		found, more := document.read(file)
		documents, problems = append(documents, found...), append(problems, more...)
	}
	return documents, problems
}

// lineBreaks replaces the line breaks of all systems.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// linesOf returns the lines of a file without line breaks and byte-order mark.
func linesOf(text string) []string {
	return strings.Split(lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff")), "\n")
}

// Document is the part of a file between two separators.
type Document struct {
	lines []string
	after int // the number of lines before it
}

// Split splits a file where documents begin (---) and end (...). It ignores directives (%YAML).
func Split(text string) (documents []Document) {
	lines := linesOf(text)
	begin, inside := 0, false // inside a document that may have no directives
	for i, line := range lines {
		switch {
		case isSeparator(line, "---"):
			documents = append(documents, Document{lines[begin:i], begin})
			begin, inside = i, true
		case isSeparator(line, "..."):
			documents = append(documents, Document{lines[begin:i], begin})
			begin, inside = i+1, false
		case !inside && strings.HasPrefix(line, "%"):
			lines[i] = ""
		case !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "":
			inside = true
		}
	}
	return append(documents, Document{lines[begin:], begin})
}

// editorLine begins the line that names the schema of a file to editors.
const editorLine = "# yaml-language-server:"

// DocumentAt returns the text of the document that has a line, counted from 1, with the comments before it.
func DocumentAt(documents []Document, line int) string {
	i := slices.IndexFunc(documents, func(d Document) bool { return line <= d.after+len(d.lines) })
	lines := documents[i].lines
	if strings.TrimSpace(lines[0]) == "---" {
		lines = lines[1:]
	}
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(line, editorLine) })
	return strings.TrimSpace(strings.Join(lines, "\n")) + "\n"
}

// isSeparator reports whether a line begins with a separator of documents.
func isSeparator(line, separator string) bool {
	rest, ok := strings.CutPrefix(line, separator)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// empty reports whether the document has only comments.
func (d Document) empty() bool {
	return !slices.ContainsFunc(d.lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#' && line != "---"
	})
}

func (d Document) read(file string) (documents []ast.Node, problems Problems) {
	if d.empty() {
		return nil, nil
	}
	tokens, problems := d.tokenize(file)
	if problems != nil {
		return nil, problems
	}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, Problems{d.syntaxProblem(file, err)}
	}
	for _, document := range parsed.Docs {
		if document.Body != nil && document.Body.Type() != ast.CommentType {
			documents = append(documents, document.Body)
		}
	}
	return documents, nil
}

// tokenize splits a document into tokens. It refuses what takes too long to parse, and the parts of YAML that the language
// does not have, the first of them on each line.
func (d Document) tokenize(file string) (tokens token.Tokens, problems Problems) {
	tokens = lexer.Tokenize(strings.Join(d.lines, "\n"))
	depth, line, onLine, refused := 0, 0, 0, 0
	for _, t := range tokens {
		t.Position.Line += d.after
		if t.Position.Line != line {
			line, onLine = t.Position.Line, 0
		}
		onLine++
		at := Position{file, line, t.Position.Column}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.MappingKeyType:
			if line != refused {
				const what = `anchors (&), aliases (*), merge keys (<<), tags (!) and ? are not supported: write the value in full, or put a text in quotes, such as api_key: "*_down"`
				problems = append(problems, Problem{At: at, What: what})
			}
			refused = line
		}
		if depth > maxDepth {
			return nil, Problems{{At: at, What: fmt.Sprintf("lists and mappings are nested deeper than %d: close them with ] and }", maxDepth)}}
		}
		if onLine > maxTokens {
			return nil, Problems{{At: at, What: fmt.Sprintf("a line may have %d words and punctuation characters: break it into several", maxTokens)}}
		}
	}
	return tokens, problems
}

func (d Document) syntaxProblem(file string, err error) Problem {
	problem := Problem{At: Position{File: file, Line: d.after + 1, Column: 1}, What: "not valid YAML: " + err.Error()}
	if syntax := yaml.Error(nil); errors.As(err, &syntax) && syntax.GetToken() != nil {
		at := syntax.GetToken().Position
		problem.At.Line, problem.At.Column = at.Line, at.Column
		problem.What = "not valid YAML: " + plainMessage(syntax.GetMessage())
	}
	problem.What = api.MaskLine(problem.What) // it may repeat the text
	for i, line := range d.lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && len(indent) < len(line) && line[len(indent)] != '#' {
			return Problem{At: Position{file, d.after + i + 1, tab + 1}, What: "a tab in the indent: indent with spaces"}
		}
	}
	return d.indentProblem(problem)
}

// badIndent is the message for a line that begins where no line may.
const badIndent = "a wrong indent: indent all keys of a mapping, and all items of a list, alike"

// indentProblem returns a problem at the next line, in place of one of a value before a line that is indented further.
func (d Document) indentProblem(p Problem) Problem {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	if i := p.At.Line - d.after; i > 0 && i < len(d.lines) && strings.HasSuffix(p.What, misplacedColon) && indent(d.lines[i]) > indent(d.lines[i-1]) {
		return Problem{At: Position{p.At.File, p.At.Line + 1, indent(d.lines[i]) + 1}, What: "not valid YAML: " + badIndent}
	}
	return p
}

// misplacedColon is the message for a value that no mapping has.
const misplacedColon = `a colon that is out of place: quote a text with a colon, such as title: "Late: after a day", and indent all keys of a mapping alike`

// Expression compiles a pattern when it is needed first, so that no start pays for it.
func Expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// syntaxMessages replaces messages of the YAML parser by plain words and the right form.
var syntaxMessages = []struct {
	parser func() *regexp.Regexp
	plain  string
}{
	{Expression(`^mapping key "(.*)" already defined at \[(\d+):\d+\]$`), `the key $1 is on line $2 already: leave one of them out`},
	{Expression(`^mapping value is not allowed in this context$`), misplacedColon},
	{Expression(`^value is not allowed in this context$`), badIndent},
	{Expression(`mapping end token`), `the { is not closed: write } at the end, such as magic: {verification_request: vr_slow_approval}`},
	{Expression(`sequence end token`), `the [ is not closed: write ] at the end, such as state: [processing, completed]`},
	{Expression(`^could not find end character of`), `the quote is not closed: write it at the end too, such as title: "The target approves late"`},
	{Expression(`^'(.)' is a reserved character$`), `a text cannot begin with $1: put it in quotes, such as title: "@home"`},
	{Expression(`^unexpected directive value\. document not started$`), `a text cannot begin with %: put it in quotes, such as title: "%d of them"`},
	{Expression(`^unexpected key name$`), `a key needs a colon and a space, such as name: slow-approval`},
}

// plainMessage returns a message of the YAML parser in plain words.
func plainMessage(message string) string {
	for _, m := range syntaxMessages {
		if found := m.parser().FindStringSubmatchIndex(message); found != nil {
			return string(m.parser().ExpandString(nil, m.plain, message, found))
		}
	}
	return message
}

// notUTF8 finds the first byte that is not UTF-8.
func notUTF8(file string, data []byte) Problems {
	for i, line := range linesOf(string(data)) {
		for at, r := range line {
			if r == utf8.RuneError && !strings.HasPrefix(line[at:], "\ufffd") {
				column := utf8.RuneCountInString(line[:at]) + 1
				return Problems{{At: Position{file, i + 1, column}, What: "not UTF-8: save the file in that encoding"}}
			}
		}
	}
	return nil
}

// TooLarge returns the problem of a file over [MaxFile], given its size in bytes.
func TooLarge(file string, size int64) Problem {
	return Problem{At: Position{file, 1, 1}, What: fmt.Sprintf("a scenario file may have %d bytes (64 KiB), this one has %d: split it", MaxFile, size)}
}

package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// What a scenario file may have at most. The YAML parser's time grows faster than what it reads; its lexer's does not.
const (
	maxFile   = 64 << 10 // bytes
	maxDepth  = 32       // lists and mappings within one another in flow style; the language has 5
	maxTokens = 500      // on a line
)

// readYAML returns the documents of a file that have something in them. Each is parsed by itself, so that one that is
// empty or not YAML hides no other.
func readYAML(file string, data []byte) (documents []ast.Node, problems Problems) {
	if len(data) > maxFile {
		return nil, Problems{tooLarge(file, int64(len(data)))}
	}
	if problems := notUTF8(file, data); problems != nil {
		return nil, problems
	}
	for _, document := range split(linesOf(string(data))) {
		found, wrong := document.read(file)
		documents, problems = append(documents, found...), append(problems, wrong...)
	}
	return documents, problems
}

// lineBreaks are those of all systems; each is one of YAML's.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// linesOf returns the lines of a file without their ends, and without a byte-order mark.
func linesOf(text string) []string {
	return strings.Split(lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff")), "\n")
}

// document is what a file has between two separators.
type document struct {
	lines []string
	after int // so many lines of the file
}

// split splits a file where documents begin (---) and end (...). Directives (%YAML) say nothing here.
func split(lines []string) (documents []document) {
	begin, inside := 0, false // inside a document that may have no directives
	for i, line := range lines {
		switch {
		case isSeparator(line, "---"):
			documents = append(documents, document{lines[begin:i], begin})
			begin, inside = i, true
		case isSeparator(line, "..."):
			documents = append(documents, document{lines[begin:i], begin})
			begin, inside = i+1, false
		case !inside && strings.HasPrefix(line, "%"):
			lines[i] = ""
		case !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "":
			inside = true
		}
	}
	return append(documents, document{lines[begin:], begin})
}

// editorLine begins the line that tells editors which schema a file has. It says nothing about a scenario.
const editorLine = "# yaml-language-server:"

// documentAt returns the text of the document that has a line, counted from 1, with the comments before it.
func documentAt(documents []document, line int) string {
	i := slices.IndexFunc(documents, func(d document) bool { return line <= d.after+len(d.lines) })
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

// empty reports whether there is nothing but comments.
func (d document) empty() bool {
	return !slices.ContainsFunc(d.lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#' && line != "---"
	})
}

func (d document) read(file string) (documents []ast.Node, problems Problems) {
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

// tokenize splits a document into tokens. It finds what is too much to parse, and what YAML has and scenario files have
// not: what stands for something that is written elsewhere, or says of which type it is; one of these for each line.
func (d document) tokenize(file string) (tokens token.Tokens, problems Problems) {
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
				const what = "anchors, aliases, merge keys, tags and ? are not read here: write it out, or put a text in quotes"
				problems = append(problems, Problem{At: at, What: what})
			}
			refused = line
		}
		if depth > maxDepth {
			return nil, Problems{{At: at, What: fmt.Sprintf("nested deeper than %d lists and mappings", maxDepth)}}
		}
		if onLine > maxTokens {
			return nil, Problems{{At: at, What: fmt.Sprintf("more than %d words and marks on a line: break it", maxTokens)}}
		}
	}
	return tokens, problems
}

func (d document) syntaxProblem(file string, err error) Problem {
	problem := Problem{At: Position{File: file, Line: d.after + 1, Column: 1}, What: "not valid YAML: " + err.Error()}
	if syntax := yaml.Error(nil); errors.As(err, &syntax) && syntax.GetToken() != nil {
		at := syntax.GetToken().Position
		problem.At.Line, problem.At.Column = at.Line, at.Column
		problem.What = "not valid YAML: " + syntax.GetMessage()
	}
	problem.What = api.MaskLine(problem.What) // it may repeat what it cannot read
	for i, line := range d.lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && len(indent) < len(line) && line[len(indent)] != '#' {
			return Problem{At: Position{file, d.after + i + 1, tab + 1}, What: "a tab: indent with spaces"}
		}
	}
	return problem
}

// notUTF8 finds the first byte that is not of a text in UTF-8.
func notUTF8(file string, data []byte) Problems {
	for i, line := range linesOf(string(data)) {
		for at, r := range line {
			if r == utf8.RuneError && !strings.HasPrefix(line[at:], "\ufffd") {
				column := utf8.RuneCountInString(line[:at]) + 1
				return Problems{{At: Position{file, i + 1, column}, What: "not a text in UTF-8: save the file in that encoding"}}
			}
		}
	}
	return nil
}

func tooLarge(file string, size int64) Problem {
	return Problem{At: Position{file, 1, 1}, What: fmt.Sprintf("a scenario file may have %d bytes, this one has %d: split it", maxFile, size)}
}

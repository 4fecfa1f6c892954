package scenarios

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// readYAML returns the documents of a file that have something in them. Each is parsed by itself, so that one that is
// empty or not YAML hides no other.
func readYAML(file string, data []byte) (documents []ast.Node, problems Problems) {
	if len(data) > maxFile {
		return nil, Problems{tooLarge(file, int64(len(data)))}
	}
	if p, bad := notUTF8(file, data); bad {
		return nil, Problems{p}
	}
	for _, piece := range cut(linesOf(string(data))) {
		found, wrong := piece.read(file)
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

// piece is what a file has between two marks of documents.
type piece struct {
	lines []string
	after int // so many lines of the file
}

// cut cuts a file where documents begin (---) and end (...). Directives (%YAML) say nothing here.
func cut(lines []string) (pieces []piece) {
	begin, inside := 0, false // inside a document that may have no directives
	for i, line := range lines {
		switch {
		case marks(line, "---"):
			pieces = append(pieces, piece{lines[begin:i], begin})
			begin, inside = i, true
		case marks(line, "..."):
			pieces = append(pieces, piece{lines[begin:i], begin})
			begin, inside = i+1, false
		case !inside && strings.HasPrefix(line, "%"):
			lines[i] = ""
		case !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "":
			inside = true
		}
	}
	return append(pieces, piece{lines[begin:], begin})
}

// marks reports whether a line begins with a mark of documents.
func marks(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// empty reports whether there is nothing but comments.
func (p piece) empty() bool {
	return !slices.ContainsFunc(p.lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#' && line != "---"
	})
}

func (p piece) read(file string) (documents []ast.Node, problems Problems) {
	if p.empty() {
		return nil, nil
	}
	tokens, problem, bad := p.tokenize(file)
	if bad {
		return nil, Problems{problem}
	}
	if problems = unread(file, tokens); len(problems) > 0 {
		return nil, problems
	}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, Problems{p.syntaxProblem(file, err)}
	}
	for _, document := range parsed.Docs {
		if document.Body != nil && document.Body.Type() != ast.CommentType {
			documents = append(documents, document.Body)
		}
	}
	return documents, nil
}

// unread finds what YAML has and scenario files have not: what stands for something that is written elsewhere, or says of
// which type it is. One is told of each line.
func unread(file string, tokens token.Tokens) (problems Problems) {
	line := 0
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.MappingKeyType:
			if t.Position.Line != line {
				problems = append(problems, Problem{
					At:   Position{file, t.Position.Line, t.Position.Column},
					What: "anchors, aliases, merge keys, tags and ? are not read here: write it out, or put a text in quotes",
				})
			}
			line = t.Position.Line
		}
	}
	return problems
}

func (p piece) syntaxProblem(file string, err error) Problem {
	problem := Problem{At: Position{File: file, Line: p.after + 1, Column: 1}, What: "not valid YAML: " + err.Error()}
	if syntax := yaml.Error(nil); errors.As(err, &syntax) && syntax.GetToken() != nil {
		at := syntax.GetToken().Position
		problem.At.Line, problem.At.Column = at.Line, at.Column
		problem.What = "not valid YAML: " + syntax.GetMessage()
	}
	problem.What = api.MaskLine(problem.What) // it may repeat what it cannot read
	for i, line := range p.lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && len(indent) < len(line) && line[len(indent)] != '#' {
			return Problem{At: Position{file, p.after + i + 1, tab + 1}, What: "a tab: indent with spaces"}
		}
	}
	return problem
}

// notUTF8 finds the first byte that is not of a text in UTF-8.
func notUTF8(file string, data []byte) (p Problem, bad bool) {
	for i, line := range linesOf(string(data)) {
		for column, rest := 1, line; rest != ""; column++ {
			r, size := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && size == 1 {
				return Problem{At: Position{file, i + 1, column}, What: "not a text in UTF-8: save the file in that encoding"}, true
			}
			rest = rest[size:]
		}
	}
	return Problem{}, false
}

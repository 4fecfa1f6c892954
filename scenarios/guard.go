package scenarios

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// What a scenario file may have at most. The YAML parser's time grows faster than what it reads; its lexer's does not.
const (
	maxFile   = 64 << 10 // bytes
	maxDepth  = 32       // lists and mappings within one another in flow style; the language has 5
	maxTokens = 500      // on a line
)

// tokenize cuts a piece of a file into tokens, unless it finds that it is not worth parsing.
func (p piece) tokenize(file string) (tokens token.Tokens, problem Problem, bad bool) {
	tokens = lexer.Tokenize(strings.Join(p.lines, "\n"))
	depth, line, onLine := 0, 0, 0
	for _, t := range tokens {
		t.Position.Line += p.after
		if t.Position.Line != line {
			line, onLine = t.Position.Line, 0
		}
		onLine++
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		at := Position{file, line, t.Position.Column}
		if depth > maxDepth {
			return nil, Problem{At: at, What: fmt.Sprintf("nested deeper than %d lists and mappings", maxDepth)}, true
		}
		if onLine > maxTokens {
			return nil, Problem{At: at, What: fmt.Sprintf("more than %d words and marks on a line: break it", maxTokens)}, true
		}
	}
	return tokens, Problem{}, false
}

func tooLarge(file string, size int64) Problem {
	return Problem{At: Position{file, 1, 1}, What: fmt.Sprintf("a scenario file may have %d bytes, this one has %d: split it", maxFile, size)}
}

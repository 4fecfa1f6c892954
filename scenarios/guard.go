package scenarios

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// What a scenario file may have at most. The YAML parser's time grows faster than what it reads; its lexer's does not.
const (
	maxFile   = 64 << 10 // bytes
	maxDepth  = 32       // lists and mappings within one another in flow style; the language has 5
	maxTokens = 500      // on a line
)

// unwieldy finds a file that is not worth parsing.
func unwieldy(file string, data []byte) (p Problem, bad bool) {
	if len(data) > maxFile {
		return Problem{Position{file, 1, 1}, fmt.Sprintf("a scenario file may have %d bytes, this one has %d: split it", maxFile, len(data))}, true
	}
	depth, line, tokens := 0, 0, 0
	for _, t := range lexer.Tokenize(string(data)) {
		if t.Position.Line != line {
			line, tokens = t.Position.Line, 0
		}
		tokens++
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.DocumentHeaderType:
			depth = 0
		}
		at := Position{file, line, t.Position.Column}
		if depth > maxDepth {
			return Problem{at, fmt.Sprintf("nested deeper than %d lists and mappings", maxDepth)}, true
		}
		if tokens > maxTokens {
			return Problem{at, fmt.Sprintf("more than %d words and marks on a line: break it", maxTokens)}, true
		}
	}
	return Problem{}, false
}

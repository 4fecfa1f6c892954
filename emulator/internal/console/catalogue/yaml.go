package catalogue

import (
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// yamlToken is a part of a YAML text with its CSS class: key, text, number, word, comment, sign or none.
type yamlToken struct{ Class, Text string }

// highlightYAML splits YAML into tokens, which together are the text.
func highlightYAML(text string) []yamlToken {
	var tokens []yamlToken
	var whole strings.Builder
	for _, t := range lexer.Tokenize(text) {
		text := strings.TrimSpace(t.Origin)
		before, after, _ := strings.Cut(t.Origin, text)
		tokens = append(tokens, yamlToken{"", before}, yamlToken{yamlClass(t), text}, yamlToken{"", after})
		whole.WriteString(t.Origin)
	}
	if strings.TrimRight(whole.String(), "\n") != strings.TrimRight(text, "\n") {
		return []yamlToken{{"", text}} // without colours
	}
	return tokens
}

func yamlClass(t *token.Token) string {
	if t.Next != nil && t.Next.Type == token.MappingValueType {
		return "key"
	}
	switch t.Type {
	case token.CommentType:
		return "comment"
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType, token.LiteralType, token.FoldedType:
		return "text"
	case token.IntegerType, token.FloatType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType:
		return "number"
	case token.BoolType, token.NullType:
		return "word"
	}
	if t.CharacterType == token.CharacterTypeIndicator {
		return "sign"
	}
	return ""
}

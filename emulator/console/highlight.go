package console

import (
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// span is a part of a text and what it is: key, text, number, word, comment or mark; "" when it is nothing special.
type span struct{ Class, Text string }

// highlightYAML cuts YAML into what a reader tells apart. Together the spans are the text.
func highlightYAML(text string) []span {
	var spans []span
	var whole strings.Builder
	for _, t := range lexer.Tokenize(text) {
		text := strings.TrimSpace(t.Origin)
		before, after, _ := strings.Cut(t.Origin, text)
		spans = append(spans, span{"", before}, span{yamlClass(t), text}, span{"", after})
		whole.WriteString(t.Origin)
	}
	if strings.TrimRight(whole.String(), "\n") != strings.TrimRight(text, "\n") {
		return []span{{"", text}} // rather plain than wrong
	}
	return spans
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
		return "figure"
	case token.BoolType, token.NullType:
		return "word"
	}
	if t.CharacterType == token.CharacterTypeIndicator {
		return "mark"
	}
	return ""
}

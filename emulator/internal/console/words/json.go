package words

import "strings"

// Token is a part of a text in JSON or YAML with its CSS class: comment, key, text, number, word or none.
type Token struct{ Class, Text string }

// token matches a comment, a key, a quoted text, a number, a word with a meaning, and other text.
var token = Expression(`(?m)((?:^|\s)#.*$)|([\w.-]+|"(?:[^"\\\n]|\\.)*"):(?:\s|$)|("(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(-?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?)|\b(true|false|null)\b|([^\s{}\[\],:#"'-](?:[^\n{}\[\],:#"]*[^\s{}\[\],:#"])?)`)

// Highlighted splits JSON or YAML into tokens, which together are the text.
func Highlighted(text string) (all []Token) {
	end := 0
	for _, at := range token().FindAllStringSubmatchIndex(text, -1) {
		for i, class := range []string{"comment", "key", "text", "number", "word", "text"} {
			if from, to := at[2*i+2], at[2*i+3]; from >= 0 {
				all = append(all, Token{"", text[end:from]}, Token{class, text[from:to]})
				end = to
			}
		}
	}
	return append(all, Token{"", text[end:]})
}

// maxIndent bounds the indentation, so that a text grows no more than that for each of its characters.
const maxIndent = 24

// signs are what stands between the values of JSON.
const signs = `{}[],:"`

// IsJSON reports whether a text begins as an object or an array does.
func IsJSON(text string) bool { return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") }

// Indented returns JSON, or the beginning of it, with indentation, and other text unchanged.
func Indented(text string) string {
	if !IsJSON(text) {
		return text
	}
	var out strings.Builder
	depth, last, quoted, escaped, spaced := 0, byte(','), false, false, false
	line := func() { out.WriteString("\n" + strings.Repeat(" ", min(2*depth, maxIndent))) }
	for _, c := range []byte(text) {
		opened, sign := last == '{' || last == '[', strings.IndexByte(signs, c) >= 0
		switch {
		case quoted:
			quoted, escaped = escaped || c != '"', !escaped && c == '\\'
			out.WriteByte(c)
			continue
		case strings.IndexByte(" \t\r\n", c) >= 0:
			spaced = true
			continue
		case c == '}' || c == ']':
			if depth = max(0, depth-1); !opened {
				line()
			}
		case opened || last == ',' && out.Len() > 0:
			line()
		case last == ':' || spaced && !sign && strings.IndexByte(signs, last) < 0:
			out.WriteByte(' ')
		}
		if c == '{' || c == '[' {
			depth++
		}
		out.WriteByte(c)
		last, quoted, spaced = c, c == '"', false
	}
	return out.String()
}

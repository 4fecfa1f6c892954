package api

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// flaws says in words what the JSON library finds wrong with a text, by what its own words have in them. Those may repeat
// of the input what a diagnosis may not: a digit, a character that no header takes, a piece of a string.
var flaws = []struct{ found, what string }{
	{"surrogate", "a string has half a surrogate pair: escape both halves, or send the character itself"},
	{"escape", "a string has an escape that JSON has not"},
	{"at start of value", "a value, or a key in quotes, must begin here"},
	{"missing value", "a value must begin here"},
	{"after top-level value", "nothing may stand behind the value"},
	{"after object name", "a colon must stand here"},
	{"after object value", "a comma or } must stand here"},
	{"after array", "a comma or ] must stand here"},
	{"in literal", "no other words than true, false and null stand without quotes"},
	{"at start of string", "a key in quotes must begin here"},
	{"in string", "a control character in a string must be escaped, such as \\n"},
	{"in number", "a digit must stand here"},
	{"UTF-8", "the text must be UTF-8"},
	{"depth", "it is nested too deep"},
}

// sayFlaw says what is wrong with a text that is no JSON, without repeating any of it.
func sayFlaw(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has a key twice"
	case errors.Is(err, jsontext.ErrNonStringName):
		return "a key must be a string in quotes"
	}
	found := err.Error()
	for _, flaw := range flaws {
		if strings.Contains(found, flaw.found) {
			return flaw.what
		}
	}
	return "it is none"
}

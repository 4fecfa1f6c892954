package api

import (
	"encoding"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// kinds names the JSON types.
var kinds = map[jsontext.Kind]string{
	'"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean", '{': "an object", '[': "an array", 'n': "null",
}

// ExplainJSON says what is wrong with somebody's JSON, and where, without repeating what could be a secret, and without a
// word of Go.
func ExplainJSON(err error) string { return explainJSON(err, "") }

// explainJSON explains the error of a value that stands in a place.
func explainJSON(err error, in jsontext.Pointer) string {
	semantic, syntax := (*json.SemanticError)(nil), (*jsontext.SyntacticError)(nil)
	switch {
	case errors.As(err, &semantic) && (errors.As(semantic.Err, new(*json.SemanticError)) || errors.As(semantic.Err, &syntax)): // of what reads itself
		return explainJSON(semantic.Err, in+semantic.JSONPointer)
	case errors.As(err, &semantic):
		return explainValue(semantic, in+semantic.JSONPointer)
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return subject(in+syntax.JSONPointer) + " stands twice"
	case errors.As(err, &syntax) && in != "": // its own place is in a part
		return "not valid JSON" + atPointer(in+syntax.JSONPointer) + ": " + explainSyntax(syntax.Err)
	case errors.As(err, &syntax):
		return fmt.Sprintf("not valid JSON at byte %d%s: %s", syntax.ByteOffset, atPointer(syntax.JSONPointer), explainSyntax(syntax.Err))
	}
	return Excerpt(err.Error()) + atPointer(in)
}

// explainValue says why a value cannot stand in a place.
func explainValue(err *json.SemanticError, at jsontext.Pointer) string {
	wanted, found := kinds[kindRead(err.GoType)], kinds[err.JSONKind]
	switch {
	case errors.Is(err.Err, json.ErrUnknownName):
		return "unknown key" + atPointer(at)
	case wanted != "" && found != "" && wanted != found:
		return subject(at) + " must be " + wanted + ", not " + found
	case errors.As(err.Err, new(*time.ParseError)):
		return subject(at) + " is not an instant such as 2025-01-15T09:00:00Z"
	case errors.Is(err.Err, strconv.ErrSyntax):
		return subject(at) + " must be a whole number"
	case errors.Is(err.Err, strconv.ErrRange):
		return subject(at) + " is a number too large"
	case err.Err == nil:
		return subject(at) + " cannot be " + found
	}
	what := Excerpt(err.Err.Error())
	if verb, _, _ := strings.Cut(what, " "); slices.Contains([]string{"is", "must", "may", "has", "needs"}, verb) {
		return subject(at) + " " + what
	}
	return what + atPointer(at)
}

// kindRead returns the JSON type that a Go type is read from, 0 when it reads itself.
func kindRead(of reflect.Type) jsontext.Kind {
	if of == nil {
		return 0
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of == reflect.TypeFor[time.Time]():
		return '"'
	case implements[json.Unmarshaler](of), implements[json.UnmarshalerFrom](of):
		return 0
	case implements[encoding.TextUnmarshaler](of):
		return '"'
	}
	switch of.Kind() {
	case reflect.String:
		return '"'
	case reflect.Bool:
		return 't'
	case reflect.Struct, reflect.Map:
		return '{'
	case reflect.Slice, reflect.Array:
		return '['
	case reflect.Interface:
		return 0
	}
	return '0'
}

// implements reports whether a pointer to the type has the methods of I.
func implements[I any](of reflect.Type) bool {
	return reflect.PointerTo(of).Implements(reflect.TypeFor[I]())
}

// subject names what stands in a place: all of the text in none.
func subject(pointer jsontext.Pointer) string {
	if pointer == "" {
		return "it"
	}
	return Quote(string(pointer))
}

func atPointer(pointer jsontext.Pointer) string {
	if pointer == "" {
		return ""
	}
	return " at " + Quote(string(pointer))
}

// syntaxErrors explains the JSON library's errors by what their texts contain. Those may repeat of the input what a
// diagnosis may not: a digit, a character that no header takes, a part of a string.
var syntaxErrors = []struct{ contains, what string }{
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

// explainSyntax says what is wrong with a text that is no JSON, without repeating any of it.
func explainSyntax(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has a key twice"
	case errors.Is(err, jsontext.ErrNonStringName):
		return "a key must be a string in quotes"
	}
	for _, e := range syntaxErrors {
		if strings.Contains(err.Error(), e.contains) {
			return e.what
		}
	}
	return "it is none"
}

// Missing says which member JSON lacks that is always there when a type is written, such as "cursor.entered is missing",
// "" when it lacks none. What a type reads by itself is its own to judge.
func Missing(text []byte, of reflect.Type) string { return missing(text, of, "") }

// missing is Missing of a part of the text, at a path.
func missing(text []byte, of reflect.Type, path string) string {
	null, kind := string(text) == "null", of.Kind()
	switch {
	case null && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface}, kind): // it stands for none
	case null:
		return strings.TrimPrefix(path+" is null", " ")
	case kind == reflect.Pointer:
		return missing(text, of.Elem(), path)
	case implements[stdjson.Unmarshaler](of), implements[encoding.TextUnmarshaler](of):
	case kind == reflect.Struct:
		return missingMember(text, of, path)
	case kind == reflect.Slice:
		var elements []stdjson.RawMessage
		_ = stdjson.Unmarshal(text, &elements) // what is no list has no elements
		for i, element := range elements {
			if why := missing(element, of.Elem(), fmt.Sprintf("%s.%d", path, i)); why != "" {
				return why
			}
		}
	}
	return ""
}

// missingMember looks through the members that a structure has.
func missingMember(text []byte, of reflect.Type, path string) string {
	var members map[string]stdjson.RawMessage
	if stdjson.Unmarshal(text, &members) != nil {
		return strings.TrimPrefix(path+" is no object", " ")
	}
	for field := range of.Fields() {
		if field.Anonymous {
			if why := missingMember(text, field.Type, path); why != "" {
				return why
			}
			continue
		}
		if !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member, present := members[name]
		at, optional := strings.TrimPrefix(path+"."+name, "."), options != ""
		switch {
		case !present && !optional:
			return at + " is missing"
		case !present, optional && string(member) == "null":
			continue
		}
		if why := missing(member, field.Type, at); why != "" {
			return why
		}
	}
	return ""
}

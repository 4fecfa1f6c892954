package explain

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

// Kinds names the JSON types.
var Kinds = map[jsontext.Kind]string{
	'"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean", '{': "an object", '[': "an array", 'n': "null",
}

// JSON explains the error of decoding a JSON value at a position.
func JSON(err error, in jsontext.Pointer) string {
	semantic, syntax := (*json.SemanticError)(nil), (*jsontext.SyntacticError)(nil)
	switch {
	case errors.As(err, &semantic) && (errors.As(semantic.Err, new(*json.SemanticError)) || errors.As(semantic.Err, &syntax)): // of a type that decodes itself
		return JSON(semantic.Err, in+semantic.JSONPointer)
	case errors.As(err, &semantic):
		return explainValue(semantic, in+semantic.JSONPointer)
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return subject(in+syntax.JSONPointer) + " stands twice"
	case errors.As(err, &syntax) && in != "": // its offset is within a part
		return "not valid JSON" + atPointer(in+syntax.JSONPointer) + ": " + Syntax(syntax.Err)
	case errors.As(err, &syntax):
		return fmt.Sprintf("not valid JSON at byte %d%s: %s", syntax.ByteOffset, atPointer(syntax.JSONPointer), Syntax(syntax.Err))
	}
	return Excerpt(err.Error()) + atPointer(in)
}

// explainValue explains why a value is refused.
func explainValue(err *json.SemanticError, at jsontext.Pointer) string {
	wanted, found := Kinds[kindRead(err.GoType)], Kinds[err.JSONKind]
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

// kindRead returns the JSON type that a Go type is decoded from, 0 for a type that decodes itself.
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

// subject returns the position as the subject of a sentence, "it" for the whole text.
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

// syntaxErrors explains the errors of the JSON library by a part of their texts. A diagnosis cannot have the texts
// themselves, because they repeat characters of the input.
var syntaxErrors = []struct{ contains, what string }{
	{"surrogate", "a string has half a surrogate pair: escape both halves, or send the character itself"},
	{"escape", "a string has an escape that JSON does not have"},
	{`'\ufeff'`, "a byte-order mark stands here: leave it out"},
	{"at start of value", "a value, or a key in quotes, must begin here"},
	{"missing value", "a value must begin here"},
	{"after top-level value", "nothing may follow the value"},
	{"after object name", "a colon must be here"},
	{"after object value", "a comma or } must be here"},
	{"after array", "a comma or ] must be here"},
	{"in literal", "only the words true, false and null may be without quotes"},
	{"at start of string", "a key in quotes must begin here"},
	{"in string", "a control character in a string must be escaped, such as \\n"},
	{"in number", "a digit must be here"},
	{"UTF-8", "the text must be UTF-8"},
	{"depth", "it is nested too deep"},
}

// Syntax explains a syntax error without repeating the input.
func Syntax(err error) string {
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
	return "the syntax is wrong"
}

// Missing returns the first problem of JSON that lacks a required member of a type, such as "cursor.entered is missing", or
// "". The text stands at a path. A member is required if encoding the type always writes it. Types that decode themselves are not checked.
func Missing(text []byte, of reflect.Type, path string) string {
	null, kind := string(text) == "null", of.Kind()
	switch {
	case null && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface}, kind): // null is the empty value
	case null:
		return strings.TrimPrefix(path+" is null", " ")
	case kind == reflect.Pointer:
		return Missing(text, of.Elem(), path)
	case implements[stdjson.Unmarshaler](of), implements[encoding.TextUnmarshaler](of):
	case kind == reflect.Struct:
		return missingMember(text, of, path)
	case kind == reflect.Slice:
		var elements []stdjson.RawMessage
		_ = stdjson.Unmarshal(text, &elements) // on failure there are none
		for i, element := range elements {
			if why := Missing(element, of.Elem(), fmt.Sprintf("%s.%d", path, i)); why != "" {
				return why
			}
		}
	}
	return ""
}

// missingMember checks the members of a struct.
func missingMember(text []byte, of reflect.Type, path string) string {
	var members map[string]stdjson.RawMessage
	if stdjson.Unmarshal(text, &members) != nil {
		return strings.TrimPrefix(path+" is not an object", " ")
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
		if why := Missing(member, field.Type, at); why != "" {
			return why
		}
	}
	return ""
}

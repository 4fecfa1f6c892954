package api

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ExplainJSON says what is wrong with somebody's JSON, and where, without repeating what could be a secret, and without a
// word of Go.
func ExplainJSON(err error) string { return explainJSON(err, "") }

// explainJSON explains the error of a value that stands in a place.
func explainJSON(err error, in jsontext.Pointer) string {
	semantic, syntax := (*json.SemanticError)(nil), (*jsontext.SyntacticError)(nil)
	switch {
	case errors.As(err, &semantic) && isJSON(semantic.Err): // of what reads itself
		return explainJSON(semantic.Err, in+semantic.JSONPointer)
	case errors.As(err, &semantic):
		return explainValue(semantic, in+semantic.JSONPointer)
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return subject(in+syntax.JSONPointer) + " stands twice"
	case errors.As(err, &syntax) && in != "": // its own place is in a part
		return "not valid JSON" + atPointer(in+syntax.JSONPointer) + ": " + sayFlaw(syntax.Err)
	case errors.As(err, &syntax):
		return fmt.Sprintf("not valid JSON at byte %d%s: %s", syntax.ByteOffset, atPointer(syntax.JSONPointer), sayFlaw(syntax.Err))
	default:
		return Excerpt(err.Error()) + atPointer(in)
	}
}

// explainValue says why a value cannot stand in a place.
func explainValue(err *json.SemanticError, at jsontext.Pointer) string {
	wanted, found := kindRead(err.GoType), kindOfJSON(err.JSONKind)
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

// isJSON reports whether an error is one of reading JSON.
func isJSON(err error) bool {
	return errors.As(err, new(*json.SemanticError)) || errors.As(err, new(*jsontext.SyntacticError))
}

// kindRead names the JSON type that a type of Go is read from, "" when it reads itself.
func kindRead(of reflect.Type) string {
	if of == nil {
		return ""
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	pointer := reflect.PointerTo(of)
	switch {
	case of == reflect.TypeFor[time.Time]():
		return kindOf("")
	case pointer.Implements(reflect.TypeFor[json.Unmarshaler]()), pointer.Implements(reflect.TypeFor[json.UnmarshalerFrom]()):
		return ""
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return kindOf("")
	}
	switch of.Kind() {
	case reflect.String:
		return kindOf("")
	case reflect.Bool:
		return kindOf(true)
	case reflect.Struct, reflect.Map:
		return kindOf(map[string]any{})
	case reflect.Slice, reflect.Array:
		return kindOf([]any{})
	case reflect.Interface:
		return ""
	default:
		return kindOf(number(""))
	}
}

// kindOfJSON names the JSON type of a value, "" when that is not known.
func kindOfJSON(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return kindOf(map[string]any{})
	case '[':
		return kindOf([]any{})
	case '"':
		return kindOf("")
	case '0':
		return kindOf(number(""))
	case 't', 'f':
		return kindOf(true)
	case 'n':
		return kindOf(nil)
	}
	return ""
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

package api

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ExplainJSON says what is wrong with somebody's JSON, and where, without repeating what could be a secret, and without a
// word of Go.
func ExplainJSON(err error) string { return explainJSON(err, "") }

// explainJSON explains the error of a value that stands in a place.
func explainJSON(err error, in jsontext.Pointer) string {
	semantic, syntax, instant := (*json.SemanticError)(nil), (*jsontext.SyntacticError)(nil), (*time.ParseError)(nil)
	switch {
	case errors.As(err, &semantic):
		where := atPointer(in + semantic.JSONPointer)
		switch {
		case isJSON(semantic.Err): // of what reads itself
			return explainJSON(semantic.Err, in+semantic.JSONPointer)
		case errors.Is(semantic.Err, json.ErrUnknownName):
			return "unknown key" + where
		case errors.As(semantic.Err, &instant):
			return "is not an instant such as 2025-01-15T09:00:00Z" + where
		case errors.Is(semantic.Err, strconv.ErrSyntax), errors.Is(semantic.Err, strconv.ErrRange):
			return "this number does not go" + cmp.Or(where, " there")
		case semantic.Err != nil:
			return Mask(semantic.Err.Error()) + where
		default:
			return kindOfJSON(semantic.JSONKind) + " does not go" + cmp.Or(where, " there")
		}
	case errors.As(err, &syntax) && in != "": // its own place is in a part
		return Mask(syntax.Err.Error()) + atPointer(in+syntax.JSONPointer)
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s at byte %d%s", Mask(syntax.Err.Error()), syntax.ByteOffset, atPointer(syntax.JSONPointer))
	default:
		return Mask(err.Error()) + atPointer(in)
	}
}

// isJSON reports whether an error is one of reading JSON.
func isJSON(err error) bool {
	return errors.As(err, new(*json.SemanticError)) || errors.As(err, new(*jsontext.SyntacticError))
}

// kindOfJSON says what kind of value something is.
func kindOfJSON(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "a JSON object"
	case '[':
		return "a JSON array"
	default:
		return "a JSON " + kind.String()
	}
}

func atPointer(pointer jsontext.Pointer) string {
	if pointer == "" {
		return ""
	}
	return " at " + Quote(string(pointer))
}

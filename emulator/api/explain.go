package api

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ExplainJSON says what is wrong with somebody's JSON, and where, without repeating what could be a secret.
func ExplainJSON(err error) string {
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		return fmt.Sprintf("%s at byte %d%s", Mask(syntax.Err.Error()), syntax.ByteOffset, atPointer(syntax.JSONPointer))
	}
	semantic := (*json.SemanticError)(nil)
	if !errors.As(err, &semantic) {
		return Mask(err.Error())
	}
	where := atPointer(semantic.JSONPointer)
	instant := (*time.ParseError)(nil)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return "unknown key" + where
	case errors.As(err, &instant):
		return "is not an instant such as 2025-01-15T09:00:00Z" + where
	case semantic.Err != nil:
		return Mask(semantic.Err.Error()) + where
	default:
		return "a JSON " + string(semantic.JSONKind.String()) + " does not go" + where
	}
}

func atPointer(pointer jsontext.Pointer) string {
	if pointer == "" {
		return ""
	}
	return " at " + Quote(string(pointer))
}

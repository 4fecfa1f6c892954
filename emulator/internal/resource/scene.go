// Package resource has what worlds store of their resources, as values: verification requests and their timelines (spec section 3),
// qualification checks and tenant properties. A scenario and what a caller gives flow in; a value to be stored flows out, or the
// document that a scene shows of one. Nothing here reads or writes a store.
package resource

import (
	"errors"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Scene is a world at one instant, as its resources see it.
type Scene struct {
	World     string // its id
	Now       time.Time
	Fixtures  fixtures.Generator
	Catalogue *scenarios.Catalogue
	Settings  scenarios.Settings // that hold for a request: those of the world, then of the scenarios for its key, then of the server
}

func invalid(message string) error  { return api.Because(400, message) }
func conflict(message string) error { return api.Because(409, message) }

// Decode reads a body in the language of scenario files, YAML or JSON, into a structure. Its error is a 400 that names the first
// problem and its position.
func Decode(text string, into any) error {
	if problems := scenarios.Decode("body", []byte(text), into); len(problems) > 0 {
		return Invalid("body", problems)
	}
	return nil
}

// Invalid returns the 400 of a text with problems, which names the first and its position. It returns other errors unchanged.
func Invalid(what string, err error) error {
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return invalid("The " + what + " is invalid: " + problems[0].At.String() + ": " + problems[0].What)
	}
	return err
}

// checkValue returns an error for a text that is not a value of an enumeration, in the words of scenario files.
func checkValue[E interface {
	~string
	Values() []E
}](key string, value E) error {
	var words []string
	for _, v := range value.Values() {
		if words = append(words, string(v)); v == value {
			return nil
		}
	}
	return invalid("unknown value " + api.Quote(string(value)) + " for " + key + api.DidYouMean(string(value), words, ": must be one of "+strings.Join(words, ", ")))
}

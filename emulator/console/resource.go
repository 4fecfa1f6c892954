package console

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// indented writes a value as JSON for people.
func indented(value any) (string, error) {
	text, err := api.Render(value)
	if err != nil {
		return "", err
	}
	shown := jsontext.Value(text)
	err = shown.Indent(jsontext.WithIndent("  "))
	return string(shown), err
}

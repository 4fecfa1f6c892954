package explain_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/explain"
)

type written struct {
	named

	At       time.Time         `json:"at"`
	Count    int               `json:"count"`
	Parts    []part            `json:"parts"`
	Only     *part             `json:"only"`
	Seldom   part              `json:"seldom,omitzero"`
	Anything json.RawMessage   `json:"anything"`
	ByName   map[string]string `json:"by_name"`
}

type named struct {
	Name string `json:"name"`
}

type part struct {
	Size *int `json:"size"`
}

func TestMissing(t *testing.T) {
	t.Parallel()
	const whole = `{"name":"a","at":"2025-01-15T09:30:00Z","count":0,"parts":null,"only":null,"anything":null,"by_name":null}`
	for text, want := range map[string]string{
		whole: "",
		`{"name":"a","at":"2025-01-15T09:30:00Z","count":0,"parts":[{"size":1},{"size":null}],"only":{"size":1},"seldom":{"size":1},"anything":1,"by_name":{}}`: "",
		`{}`: "name is missing",
		`{"name":"a","at":"2025-01-15T09:30:00Z","parts":[],"only":null,"anything":1,"by_name":{}}`:              "count is missing",
		`{"name":"a","at":"2025-01-15T09:30:00Z","count":null,"parts":[],"only":null,"anything":1,"by_name":{}}`: "count is null",
		`{"name":"a","at":null,"count":1,"parts":[],"only":null,"anything":1,"by_name":{}}`:                      "at is null",
		`{"name":"a","at":"","count":1,"parts":[{"size":1},{}],"only":null,"anything":1,"by_name":{}}`:           "parts.1.size is missing",
		`{"name":"a","at":"","count":1,"parts":[],"only":{},"anything":1,"by_name":{}}`:                          "only.size is missing",
		`{"name":"a","at":"","count":1,"parts":[],"only":null,"seldom":{},"anything":1,"by_name":{}}`:            "seldom.size is missing",
		`{"name":"a","at":"","count":1,"parts":[],"only":7,"anything":1,"by_name":{}}`:                           "only is not an object",
		`null`: "is null",
	} {
		if got := explain.Missing([]byte(text), reflect.TypeFor[written](), ""); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

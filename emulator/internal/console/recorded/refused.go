package recorded

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// refusedField returns the path in the request's body of the first field for which it was refused, such as
// target.first_name; "" if there is none. A field that is required and absent has a path, too.
func refusedField(e *journal.Entry) string {
	if e.Status != 400 || e.Rule != "" || len(e.Diagnosis) == 0 || e.Request() == nil {
		return ""
	}
	cause := e.Diagnosis[0]
	if _, found, strict := strings.Cut(cause, ": "); strict && strings.HasPrefix(cause, "refused by --strict=") {
		cause = found
	}
	first, rest, _ := strings.Cut(cause, " ")
	if strings.HasPrefix(rest, "is required") {
		return first
	}
	var body map[string]any
	if json.Unmarshal([]byte(RawBody(e.Request())), &body) != nil {
		return ""
	}
	for name := range strings.FieldsSeq(cause) {
		name = strings.Trim(name, `":;,`)
		if hasField(body, name) {
			return name
		}
	}
	return ""
}

func hasField(body map[string]any, path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	value, ok := body[name]
	if inner, isObject := value.(map[string]any); nested {
		return isObject && hasField(inner, rest)
	}
	return ok
}

// offending is the line of a body for which it was refused.
type offending struct {
	Name  string
	Value string // in JSON; "": it is missing
}

// offendingIn returns the line of the refused field, nil for none.
func offendingIn(e *journal.Entry) *offending {
	path := refusedField(e)
	if path == "" {
		return nil
	}
	line, value := &offending{Name: path[strings.LastIndexByte(path, '.')+1:]}, jsontext.Value(RawBody(e.Request()))
	for name := range strings.SplitSeq(path, ".") {
		var object map[string]jsontext.Value
		if json.Unmarshal(value, &object) != nil {
			return line
		}
		value = object[name]
	}
	line.Value = words.Beginning(string(value))
	return line
}

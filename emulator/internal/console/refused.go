package console

import (
	"encoding/json"
	"strings"

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
	if json.Unmarshal([]byte(bodyText(e.Request())), &body) != nil {
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

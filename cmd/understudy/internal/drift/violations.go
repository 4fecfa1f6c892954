package drift

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// violations returns where an answer leaves the document, and the shape of its body, nil where it cannot be compared. Messages
// are compared by differences, which has ours too.
func (a answer) violations(request Request) (found []Finding, body shape) {
	if a.status == 0 {
		return []Finding{{Kind: NoAnswer, Path: "body", Text: a.problem}}, nil
	}
	documented := request.operation.responses[a.status]
	if documented == nil {
		text := fmt.Sprintf("%d is not a status of %s", a.status, request.operation.id)
		if a.status/100 == 3 {
			text += "; redirects are not followed"
		}
		return []Finding{{Kind: Status, Path: "status", Text: text}}, nil
	}
	found = a.headerViolations(documented)
	if a.problem != "" {
		return append(found, Finding{Kind: Body, Path: "body", Text: a.problem}), nil
	}
	body, violations := newShape(documented.body, a.value, request.query.Has("fields"))
	return append(found, violations...), body
}

func (a answer) headerViolations(documented *response) (found []Finding) {
	add := func(name, format string, args ...any) {
		found = append(found, Finding{Kind: Header, Path: headerPath(name), Text: fmt.Sprintf(format, args...)})
	}
	mediaType, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	switch {
	case len(a.header.Values("Content-Type")) == 0:
		add("Content-Type", "missing")
	case err != nil || !shownMediaType().MatchString(mediaType):
		add("Content-Type", "a value that is not application/json")
	case mediaType != "application/json":
		add("Content-Type", "%s, not application/json", mediaType)
	}
	for name, allowed := range documented.headers {
		text := a.header.Get(name)
		switch {
		case text == "" && allowed.must:
			add(name, "missing")
		case text != "" && (slices.Contains(allowed.types, "integer") && !digits().MatchString(text) ||
			allowed.words != nil && !slices.Contains(allowed.words, text)):
			add(name, "a value that the document does not allow")
		}
	}
	return found
}

// digits matches a header that is an integer.
var digits = expression(`^\d+$`)

// shownMediaType matches the values of Content-Type that a report shows.
var shownMediaType = expression(`^[a-z]+/[a-z.+-]+(; ?charset=[A-Za-z0-9-]+)?$`)

// headerPath returns the path of a header, in lower case so that patterns match it.
func headerPath(name string) string {
	return "header." + strings.ToLower(strings.ReplaceAll(name, ".", "_"))
}

// messageOf returns the message of an error.
func (a answer) messageOf() string {
	envelope, _ := a.value.(map[string]any)
	inner, _ := envelope["error"].(map[string]any)
	message, _ := inner["message"].(string)
	return message
}

func isError(status int) bool { return status >= http.StatusBadRequest }

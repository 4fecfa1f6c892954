package api

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Negotiate judges the Accept lines of a request for an operation that has one version (spec 9). It returns a note when
// the version was not named, and a 406 when the lines do not admit the operation's own version.
//
// Lines are read as HTTP says (RFC 9110, 12.5.1): they are one list, the most particular range that fits decides, and
// q=0 excludes. A range with another version, or of another media type, admits nothing but spoils nothing either.
func Negotiate(lines []string, version string) (note string, err error) {
	best, decided := acceptRange{}, false
	for _, element := range splitList(lines) {
		r, ok := parseAcceptRange(element, version)
		if ok && (!decided || r.precision > best.precision || r.precision == best.precision && r.admits) {
			best, decided = r, true
		}
	}
	switch {
	case !decided && len(splitList(lines)) == 0, best.admits && best.precision < ownVersion:
		return fmt.Sprintf("no version was asked for: send Accept: application/json; version=%s", version), nil
	case best.admits:
		return "", nil
	}
	return "", NewError(http.StatusNotAcceptable,
		fmt.Sprintf("Accept offers nothing that this operation has: send application/json; version=%s", version))
}

// Precisions of a range that fits, from the loosest to the closest.
const (
	anything = iota
	anyApplication
	anyVersion
	ownVersion
)

type acceptRange struct {
	precision int
	admits    bool // its quality is above 0
}

// parseAcceptRange reads one element of the list; ok says whether it fits JSON of the version at all.
func parseAcceptRange(element, version string) (r acceptRange, ok bool) {
	mediaType, params, err := mime.ParseMediaType(element)
	if err != nil {
		return acceptRange{}, false
	}
	asked, versioned := params["version"]
	switch {
	case mediaType == "*/*", mediaType == "*": // the bare star is what Java's URLConnection sends
		r.precision = anything
	case mediaType == "application/*":
		r.precision = anyApplication
	case mediaType == "application/json" && !versioned:
		r.precision = anyVersion
	case mediaType == "application/json" && asked == version:
		r.precision = ownVersion
	default:
		return acceptRange{}, false
	}
	r.admits = quality(params["q"]) > 0
	return r, true
}

// quality reads a weight; an absent or unreadable one is 1.
func quality(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 1
	}
	return q
}

// splitList splits header lines at the commas that stand outside quotes, and drops empty elements.
func splitList(lines []string) []string {
	var elements []string
	for _, line := range lines {
		quoted := false
		for element := range strings.FieldsFuncSeq(line, func(c rune) bool {
			if c == '"' {
				quoted = !quoted
			}
			return c == ',' && !quoted
		}) {
			if element = strings.TrimSpace(element); element != "" {
				elements = append(elements, element)
			}
		}
	}
	return elements
}

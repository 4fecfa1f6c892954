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
func Negotiate(lines []string, version string) (notes []Note, err error) {
	if len(lines) == 1 {
		if asked, ok := strings.CutPrefix(lines[0], "application/json; version="); ok && asked == version {
			return nil, nil // as most clients send it: there is nothing to weigh
		}
	}
	elements := splitList(lines)
	best, decided, other := acceptRange{}, false, ""
	for _, element := range elements {
		r, asked := parseAcceptRange(element)
		switch {
		case r.precision == unfit:
		case r.precision == oneVersion && asked != version:
			other = asked
		case !decided, r.precision > best.precision, r.precision == best.precision && r.admits:
			best, decided = r, true
		}
	}
	send := "send Accept: application/json; version=" + version
	switch {
	case best.admits && best.precision == oneVersion:
		return nil, nil
	case other != "" && best.admits:
		what := fmt.Sprintf("version %s is not this operation's and was passed over", shownVersion(other))
		return []Note{{VersionPassedOver, what, ": " + send}}, nil
	case best.admits, len(elements) == 0:
		return []Note{{VersionUnnamed, "no version was asked for", ": " + send}}, nil
	case other != "":
		return nil, NewError(http.StatusNotAcceptable, fmt.Sprintf("version %s is not this operation's: %s", shownVersion(other), send))
	}
	return nil, NewError(http.StatusNotAcceptable, "Accept offers nothing that this operation has: "+send)
}

// shownVersion shows a date as it is, and anything else as somebody's text.
func shownVersion(version string) string {
	if _, err := ParseDate(version); err == nil {
		return version
	}
	return Quote(version)
}

// Precisions of a range, from none to the closest.
const (
	unfit = iota
	anything
	anyApplication
	anyVersion
	oneVersion
)

type acceptRange struct {
	precision int
	admits    bool // its quality is above 0
}

// parseAcceptRange reads one element of the list, and the version that it asks for.
func parseAcceptRange(element string) (r acceptRange, asked string) {
	mediaType, params, err := mime.ParseMediaType(element)
	if err != nil {
		return acceptRange{}, ""
	}
	asked, versioned := params["version"]
	switch {
	case mediaType == "*/*", mediaType == "*": // the bare star is what Java's URLConnection sends
		r.precision = anything
	case mediaType == "application/*":
		r.precision = anyApplication
	case mediaType == "application/json" && !versioned:
		r.precision = anyVersion
	case mediaType == "application/json":
		r.precision = oneVersion
	}
	q, err := strconv.ParseFloat(params["q"], 64)
	r.admits = err != nil || q > 0 // an absent or unreadable quality is 1
	return r, asked
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

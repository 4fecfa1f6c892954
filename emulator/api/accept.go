package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Precisions of the ranges that admit JSON. The bare star is what Java's URLConnection sends.
var precisions = map[string]int{"*": 1, "*/*": 1, "application/*": 2, "application/json": anyVersion}

const (
	anyVersion = 3
	oneVersion = 4 // application/json with the operation's version
)

// Negotiate judges the Accept lines of a request for an operation that has one version (spec 9). It returns a note when
// the version was not named, and a 406 when the lines do not admit the operation's own version.
//
// Lines are read as HTTP says (RFC 9110, 12.5.1): they are one list, the most particular range that fits decides, and
// q=0 excludes. A range with another version, or of another media type, admits nothing but spoils nothing either.
func Negotiate(lines []string, version string) (notes []Note, err error) {
	wanted := "application/json; version=" + version
	if len(lines) == 1 && lines[0] == wanted {
		return nil, nil // as most clients send it: there is nothing to weigh
	}
	asked, quoted := false, false
	precision, admits := 0, false // of the range that decides
	other := ""                   // a version that the operation has not
	for element := range strings.FieldsFuncSeq(strings.Join(lines, "\n"), func(c rune) bool {
		quoted = c != '\n' && quoted != (c == '"') // what is quoted ends with its line
		return c == '\n' || c == ',' && !quoted
	}) {
		asked = asked || strings.TrimSpace(element) != ""
		mediaType, params, err := mime.ParseMediaType(element)
		fits := precisions[mediaType]
		if err != nil || fits == 0 {
			continue
		}
		if of, versioned := params["version"]; versioned && fits == anyVersion {
			if of != version {
				other = of
				continue
			}
			fits = oneVersion
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		weighs := err != nil || q > 0 // an absent or unreadable quality is 1
		if fits > precision || fits == precision && weighs {
			precision, admits = fits, weighs
		}
	}
	send := ": send Accept: " + wanted
	switch {
	case admits && precision == oneVersion:
		return nil, nil
	case admits && other != "":
		return []Note{{versionPassedOver, "version " + shownVersion(other) + " is not this operation's and was passed over", send}}, nil
	case admits, !asked:
		return []Note{{versionUnnamed, "no version was asked for", send}}, nil
	case other != "":
		return nil, NewError(http.StatusNotAcceptable, "version "+shownVersion(other)+" is not this operation's"+send)
	}
	return nil, NewError(http.StatusNotAcceptable, "Accept offers nothing that this operation has"+send)
}

// shownVersion shows a date as it is, and anything else as somebody's text.
func shownVersion(version string) string {
	if _, err := ParseDate(version); err == nil {
		return version
	}
	return Quote(version)
}

package api

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// precisions are the precisions of the media ranges that match JSON. Java's URLConnection sends the bare star.
var precisions = map[string]int{"*": 1, "*/*": 1, "application/*": 2, "application/json": anyVersion}

const (
	anyVersion = 3
	oneVersion = 4 // application/json with the operation's version
)

// Negotiate checks the Accept lines of a request to the operation, which has one version (spec 9). It returns a note when no
// line names the version, and a 406 when the lines do not allow it. With extended any version of the spec is served.
//
// The lines are read as HTTP defines them (RFC 9110, 12.5.1): they are one list, the most specific matching range decides,
// and q=0 excludes. A range of another version or media type does not match.
func (o Operation) Negotiate(lines []string, extended bool) (notes []Note, err error) {
	wanted := "application/json; version=" + o.Version
	if len(lines) == 1 && lines[0] == wanted {
		return nil, nil // the usual header
	}
	asked, quoted := false, false
	precision, accepted := 0, false // of the deciding range
	other, served := "", ""         // another version that is named, and one of the spec that is accepted
	for element := range strings.FieldsFuncSeq(strings.Join(lines, "\n"), func(c rune) bool {
		quoted = c != '\n' && quoted != (c == '"') // a quote ends with its line
		return c == '\n' || c == ',' && !quoted
	}) {
		asked = asked || strings.TrimSpace(element) != ""
		mediaType, params, err := mime.ParseMediaType(element)
		fits := precisions[mediaType]
		if err != nil || fits == 0 {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		accepts := err != nil || q > 0 // an absent or unreadable quality is 1
		if named, ok := params["version"]; ok && fits == anyVersion {
			ofOther := extended && slices.Contains(versions, named)
			if named != o.Version && !(ofOther && o.Extension) {
				if other = named; ofOther && accepts {
					served = named
				}
				continue
			}
			fits = oneVersion
		}
		if fits > precision || fits == precision && accepts {
			precision, accepted = fits, accepts
		}
	}
	send := ": send Accept: " + wanted
	switch {
	case accepted && precision == oneVersion:
		return nil, nil
	case accepted && other != "":
		return []Note{versionIgnored.note("version "+shownVersion(other)+" is not this operation's", send)}, nil
	case accepted, !asked:
		return []Note{versionUnnamed.note("no version was asked for", send)}, nil
	case served != "":
		return []Note{versionExtended.note("the specification lists version "+o.Version+" for this operation, not "+served, "")}, nil
	case other != "":
		return nil, NewError(http.StatusNotAcceptable, "version "+shownVersion(other)+" is not this operation's"+send)
	}
	return nil, NewError(http.StatusNotAcceptable, "Accept allows nothing that this operation returns"+send)
}

// shownVersion returns a date as it is, and any other text quoted.
func shownVersion(version string) string {
	if _, err := parseDate(version); err == nil {
		return version
	}
	return Quote(version)
}

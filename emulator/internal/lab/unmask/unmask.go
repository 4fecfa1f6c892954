// Package unmask reads what a program shows as somebody does who decodes all escapes, and finds the SSN of the tests of masks in it,
// 123-45-6789, however it is written.
package unmask

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Zeros are the zeros of scripts whose decimal digits follow each other.
var Zeros = map[string]rune{"fullwidth": '０', "Arabic": '٠', "Persian": '۰', "Devanagari": '०', "mathematical": '𝟎', "segmented": '\U0001FBF0'}

var (
	percents = regexp.MustCompile(`%[0-9a-fA-F]{2}`)
	escapes  = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|\\)`)
	ssn      = regexp.MustCompile(`123[^0-9]{0,9}45[^0-9]{0,9}6789`)
)

// SSN returns the SSN of a text with what stands around it; "" for none.
func SSN(text string) string {
	for range 5 {
		text = html.UnescapeString(text)
		text = percents.ReplaceAllStringFunc(text, func(found string) string {
			plain, _ := url.PathUnescape(found)
			return plain
		})
		text = escapes.ReplaceAllStringFunc(text, func(found string) string {
			plain, _ := strconv.Unquote(`"` + found + `"`)
			return plain
		})
	}
	text = strings.Map(plain, text)
	found := ssn.FindStringIndex(text)
	if found == nil {
		return ""
	}
	return text[max(found[0]-150, 0):min(found[1]+20, len(text))]
}

// plain returns a digit of any script as one of ASCII, and leaves out marks.
func plain(r rune) rune {
	if r <= unicode.MaxASCII {
		return r
	}
	for _, zero := range Zeros {
		if r >= zero && r <= zero+9 {
			return '0' + r - zero
		}
	}
	if unicode.In(r, unicode.Cf, unicode.M) {
		return -1
	}
	return r
}

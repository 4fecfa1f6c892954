package api

import "github.com/understudy-sandbox/understudy/emulator/api/internal/mask"

// Mask masks the API keys and social security numbers of a text. After its prefix a key becomes ###. A number keeps its last four
// digits. Masking a masked text changes nothing.
func Mask(text string) string { return mask.Text(text) }

// MaskQuery masks the query of a URL: each parameter decoded, and as it is.
func MaskQuery(query string) string { return mask.Query(query) }

// MaskBody masks a body. JSON stays JSON: names, strings and numbers are masked one by one.
func MaskBody(body []byte) []byte { return mask.Body(body) }

// MaskLine masks a line of a scenario file and keeps its length in characters. It masks API keys, and social security
// numbers that could have been issued to a person.
func MaskLine(line string) string {
	return mask.Line(line, func(digits string) bool {
		ssn, err := ParseSSN(digits)
		return err != nil || ssn.CouldBeReal() != ""
	})
}

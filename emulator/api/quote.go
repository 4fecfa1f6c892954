package api

import (
	"regexp"
	"strconv"
)

// quotedLength is how many characters of somebody's text a diagnosis repeats.
const quotedLength = 60

// tellingDigits finds digits that may be a social security number, whole or mistyped.
var tellingDigits = regexp.MustCompile(`\d(?:[-. ]?\d){6,}`)

// Mask replaces what may be a social security number in somebody's text by ###.
func Mask(text string) string { return tellingDigits.ReplaceAllString(text, "###") }

// Quote makes somebody's text fit for a diagnosis, a header and a log: masked, cut to a bearable length, quoted, ASCII.
func Quote(text string) string {
	text = Mask(text)
	if runes := []rune(text); len(runes) > quotedLength {
		text = string(runes[:quotedLength]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

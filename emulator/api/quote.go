package api

import (
	"regexp"
	"strconv"
)

// quotedLength is how many characters of somebody's text a diagnosis repeats.
const quotedLength = 60

// secret finds what may be an API key, or a social security number however it is written.
var secret = regexp.MustCompile(`[A-Za-z0-9]+_[sp]k_\S*|[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){6,}`)

// Mask replaces what may be an API key or a social security number in somebody's text by ###.
func Mask(text string) string { return secret.ReplaceAllString(text, "###") }

// Quote makes somebody's text fit for a diagnosis, a header and a log: masked, cut to a bearable length, quoted, ASCII.
func Quote(text string) string {
	text = Mask(text)
	if runes := []rune(text); len(runes) > quotedLength {
		text = string(runes[:quotedLength]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

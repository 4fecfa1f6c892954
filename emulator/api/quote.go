package api

import (
	"net/url"
	"regexp"
	"strconv"
	"sync"
)

// How many characters of somebody's text are repeated: in a diagnosis, and at most.
const (
	quotedLength = 60
	maskedLength = 200
	lookedLength = 4096 // bytes of which any are: whoever sends a megabyte need not have it looked through
)

// beginning finds at the end of a text that was cut what may be the beginning of a secret, encoded or not.
var beginning = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^g-zG-Z]*$`) })

// secret finds what may be an API key, or a social security number: seven digits or more, of any script, with anything
// but letters between them.
var secret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9_-]*_[sp]k_\S*|\p{Nd}(?:[^\p{L}\p{Nd}]{0,8}\p{Nd}){6,}`)
})

// encodings is how many times over a text may be percent-encoded and is still looked through; some clients do it twice.
const encodings = 3

// Mask replaces what may be an API key or a social security number in somebody's text by ###, also when it is
// percent-encoded, and cuts the text to a bearable length.
func Mask(text string) string {
	if len(text) > lookedLength {
		text = beginning().ReplaceAllString(text[:lookedLength], "") + "..."
	}
	masked, plain := text, text
	for range encodings + 1 {
		if secret().MatchString(plain) {
			plain = secret().ReplaceAllString(plain, "###")
			masked = plain
		}
		decoded, err := url.PathUnescape(plain)
		if err != nil {
			break
		}
		plain = decoded
	}
	return cut(masked, maskedLength)
}

// Quote makes somebody's text fit for a diagnosis, a header and a log: masked, cut short, quoted, ASCII.
func Quote(text string) string { return strconv.QuoteToASCII(cut(Mask(text), quotedLength)) }

func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return text
}

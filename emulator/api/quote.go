package api

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// How many characters of somebody's text are repeated: in a diagnosis, and at most.
const (
	quotedLength = 60
	maskedLength = 200
	lookedLength = 4096 // bytes of which any are: whoever sends a megabyte need not have it looked through
)

// secret finds what may be an API key, or a social security number: seven digits or more, of any script, with anything
// but letters between them.
var secret = regexp.MustCompile(`[A-Za-z0-9_-]*_[sp]k_\S*|\p{Nd}(?:[^\p{L}\p{Nd}]{0,8}\p{Nd}){6,}`)

// encodings is how many times over a text may be percent-encoded and is still looked through; some clients do it twice.
const encodings = 3

// ssnAlone finds in what was found a social security number as people write one, and its last four digits.
var ssnAlone = regexp.MustCompile(`^[0-9]{3}[^\p{L}\p{Nd}]*[0-9]{2}[^\p{L}\p{Nd}]*([0-9]{4})$`)

// hide returns what is shown in the place of a secret.
func hide(found string) string {
	if number := ssnAlone.FindStringSubmatch(found); number != nil {
		return ObfuscatedSSN(number[1])
	}
	return "###"
}

// Mask hides what may be a secret in somebody's text, also when it is percent-encoded, and cuts the text to a bearable
// length. Of a social security number the last four digits stay, as in the journal; an API key, and any other row of seven
// digits or more, is ###.
func Mask(text string) string {
	if len(text) > lookedLength {
		text = strings.TrimRightFunc(text[:lookedLength], mayBeOfSecret) + "..."
	}
	masked, plain := text, text
	for range encodings + 1 {
		if secret.MatchString(plain) {
			plain = secret.ReplaceAllStringFunc(plain, hide)
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

// mayBeOfSecret reports whether a letter at the end of a text that was cut may be of the beginning of a secret, encoded or
// not.
func mayBeOfSecret(r rune) bool { return !('g' <= r && r <= 'z' || 'G' <= r && r <= 'Z') }

func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return text
}

package api

import (
	"strconv"
	"strings"
	"unicode"
)

const (
	quotedLength  = 60   // characters of a text in a diagnosis
	excerptLength = 200  // characters of an excerpt
	readLength    = 4096 // bytes that are read for an excerpt, however long the text is
)

// Excerpt masks a text and cuts it to 200 characters. It reads only the beginning of a long text.
func Excerpt(text string) string {
	if len(text) > readLength {
		text = strings.TrimRightFunc(text[:readLength], mayBeginNumber) + "..."
	}
	return cut(Mask(text), excerptLength)
}

// mayBeginNumber reports whether a character may be in the beginning of a number, also of an encoded one.
func mayBeginNumber(r rune) bool {
	return !unicode.IsLetter(r) || strings.ContainsRune("abcdefuABCDEF", r)
}

// Quote makes a text fit for a diagnosis, a header and a log: masked, cut to 60 characters, quoted, ASCII.
func Quote(text string) string { return strconv.QuoteToASCII(cut(Excerpt(text), quotedLength)) }

func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return text
}

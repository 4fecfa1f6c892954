package api

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaskBody masks a body. JSON stays JSON, written as before: each name, string and number is masked by itself, and what a
// name of a social security number names becomes one masked number if it has more than four digits, whatever it is. Any
// other body is masked as a text.
func MaskBody(body []byte) []byte {
	if masked, err := maskJSON(body); err == nil {
		return masked
	}
	text := string(body)
	masked := Mask(text)
	if masked == text {
		return body
	}
	return MaskBody([]byte(masked)) // which may be JSON
}

// maskJSON masks one JSON value. It returns the text itself if it has no secret.
func maskJSON(text []byte) ([]byte, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []byte
	done := 0
	copyTo := func(end int) { out, done = append(out, text[done:end]...), end }
	put := func(masked string, end int) {
		out, _ = jsontext.AppendQuote(out, masked) // which is UTF-8
		done = end
	}
	depth, begin, digits := 0, 0, []byte(nil) // of the outermost value that is named so, which begins there in out
	for named := false; ; {
		outer, before := in.StackDepth(), in.InputOffset()
		if _, err := in.ReadToken(); err != nil {
			return nil, err
		}
		end := int(in.InputOffset())
		value := jsontext.Value(bytes.TrimLeft(text[before:end], " \t\r\n:,"))
		plain := plainToken(value)
		if named && depth == 0 {
			copyTo(end - len(value))
			depth, begin, digits = outer, len(out), nil
		}
		if masked := Mask(plain); masked != plain {
			copyTo(end - len(value))
			put(masked, end)
		}
		if depth > 0 {
			digits = append(digits, digitsOf(plain)...)
		}
		if depth > 0 && depth == in.StackDepth() {
			if utf8.RuneCount(digits) > 4 {
				out = out[:begin]
				put(ObfuscatedSSN(lastFour(string(digits))), end)
			}
			depth = 0
		}
		kind, tokens := in.StackIndex(in.StackDepth())
		named = kind == '{' && tokens%2 == 1 && namesSSN(plain)
		if in.StackDepth() == 0 {
			break
		}
	}
	if _, err := in.ReadToken(); err != io.EOF {
		return nil, errors.New("more than one JSON value") // 000-00-0001 could be read as ten numbers
	}
	if done == 0 {
		return text, nil
	}
	return append(out, text[done:]...), nil
}

// plainToken returns the text of a string, and a number of nine digits and more without an exponent if it needs none.
func plainToken(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, value) // replaces what is no UTF-8
		return string(text)
	case '0':
		n, err := strconv.ParseFloat(string(value), 64)
		if err == nil && n == math.Trunc(n) && math.Abs(n) >= 1e8 && math.Abs(n) < 1e18 {
			return strconv.FormatInt(int64(n), 10)
		}
	}
	return string(value)
}

// namesSSN reports whether a name ends as that of a social security number.
func namesSSN(name string) bool {
	for i := range len(name) {
		if n := nameLength(name[i:]); n > 0 && i+n == len(name) {
			return true
		}
	}
	return false
}

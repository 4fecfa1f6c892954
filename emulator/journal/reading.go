package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// reading is a way to read a text: it returns the character that one begins with, and the bytes that spell it. Of no
// text these are none.
type reading func(text string) (c rune, size int)

// asItStands takes every character for itself.
func asItStands(text string) (c rune, size int) {
	if text != "" && text[0] < utf8.RuneSelf {
		return rune(text[0]), 1
	}
	return utf8.DecodeRuneInString(text)
}

// unescaped also reads percent-encoding, and the escapes of JSON.
func unescaped(text string) (c rune, size int) {
	switch {
	case text == "":
		return utf8.RuneError, 0
	case text[0] == '%':
		return percentEncoded(text)
	case text[0] == '\\' && len(text) >= 6 && text[1] == 'u':
		if c, ok := hex(text[2:6]); ok {
			return c, 6
		}
	case text[0] == '\\' && len(text) >= 2 && strings.IndexByte(`"\/bfnrt`, text[1]) >= 0:
		if text[1] == '/' {
			return '/', 2
		}
		return ' ', 2 // it separates words, whatever it is
	}
	return asItStands(text)
}

// percentEncoded reads %41, and %2541, which is that encoded again, and so on.
func percentEncoded(text string) (c rune, size int) {
	at := 1
	for strings.HasPrefix(text[at:], "25") {
		at += 2
	}
	if len(text) >= at+2 {
		if c, ok := hex(text[at : at+2]); ok {
			return c, at + 2
		}
	}
	return '%', at
}

func hex(digits string) (c rune, ok bool) {
	for _, d := range []byte(digits) {
		switch {
		case d >= '0' && d <= '9':
			c = c<<4 | rune(d-'0')
		case d|0x20 >= 'a' && d|0x20 <= 'f':
			c = c<<4 | rune(d|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return c, true
}

// figures are digits in a row.
type figures struct {
	count, size int
	last        [lastDigits]rune // in the order in which they fell into it
}

func (f *figures) add(digit rune, size int) {
	f.last[f.count%lastDigits] = digit
	f.count++
	f.size += size
}

// end returns the last four.
func (f figures) end() string {
	at := f.count % lastDigits
	return string(f.last[at:]) + string(f.last[:at])
}

// row measures the digits that a text begins with.
func (read reading) row(text string) (f figures) {
	for f.size < len(text) {
		c, size := read(text[f.size:])
		if !unicode.IsDigit(c) {
			break
		}
		f.add(c, size)
	}
	return f
}

// dashed measures a number of three, two and four digits with something between them; more than three, or four, may be
// one with other digits about it.
func (read reading) dashed(text string) (size int, serial string, ok bool) {
	var digits figures
	for _, group := range []struct{ least, most int }{{3, len(text)}, {2, 2}, {4, len(text)}} {
		if size > 0 {
			size += read.gap(text[size:])
		}
		if digits = read.row(text[size:]); digits.count < group.least || digits.count > group.most {
			return 0, "", false
		}
		size += digits.size
	}
	return size, digits.end(), true
}

// maxGap is how many characters may stand between two groups of digits.
const maxGap = 8

// gap measures what may stand between two groups: no letters, and nothing that separates values.
func (read reading) gap(text string) (size int) {
	for range maxGap {
		if size == len(text) {
			return size
		}
		c, n := read(text[size:])
		if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("\"',:;{}[]=&*#\n", c) {
			return size
		}
		size += n
	}
	return size
}

package journal

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// What takes the place of an API key.
const redactedKey = "###"

// redact leaves out of a text what may be a secret: API keys, and social security numbers of which the last four digits
// stay. A number is nine digits, also with something between the third and the fourth and the fifth and the sixth; a
// longer row of digits is no such number, and as little shown. It sees through percent-encoding, also when that was done
// several times over, and through the escapes of JSON. What was redacted before stays as it is.
func redact(text string) string {
	for !harmless(text) {
		r := redaction{rest: text}
		redacted := r.run()
		if redacted == text {
			break
		}
		text = redacted // which may show what one number has been hiding of another
	}
	return text
}

func redactBytes(text []byte) []byte {
	if harmless(text) {
		return text
	}
	return []byte(redact(string(text)))
}

// harmless reports whether a text can be seen to have no secret, without looking closely.
func harmless[T string | []byte](text T) bool {
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '%' || c == '\\' || c >= utf8.RuneSelf:
			return false
		case c == '_' && i+3 < len(text) && text[i+2] == 'k' && text[i+3] == '_':
			return false
		}
	}
	return digits < 9
}

// redaction is a text on its way.
type redaction struct {
	out  strings.Builder
	rest string
}

func (r *redaction) run() string {
	r.out.Grow(len(r.rest))
	for r.rest != "" {
		r.keep(plain(r.rest))
		r.next()
	}
	return r.out.String()
}

// plain measures how far a text is nothing to look at closely.
func plain(text string) int {
	for i := range len(text) {
		if c := text[i]; c >= '0' && c <= '9' || c == '_' || c == '%' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// next takes a row of digits, a key, or one character.
func (r *redaction) next() {
	c, size := spelled(r.rest)
	switch {
	case size == 0: // that was all
	case unicode.IsDigit(c):
		r.digits()
	case c == '_' && startsKey(r.rest):
		r.key()
	default:
		r.keep(size)
	}
}

func (r *redaction) keep(size int) {
	r.out.WriteString(r.rest[:size])
	r.rest = r.rest[size:]
}

// digits takes a row of digits.
func (r *redaction) digits() {
	digits := row(r.rest)
	switch {
	case digits.count > 9:
		r.replace(digits.size, strings.Repeat("*", digits.count-4)+digits.end())
		return
	case digits.count == 9:
		r.replace(digits.size, api.ObfuscatedSSN(digits.end()))
		return
	case digits.count >= 3:
		if size, serial, ok := dashed(r.rest); ok {
			r.replace(size, api.ObfuscatedSSN(serial))
			return
		}
	}
	r.keep(digits.size)
}

func (r *redaction) replace(size int, by string) {
	r.out.WriteString(by)
	r.rest = r.rest[size:]
}

// figures are digits in a row.
type figures struct {
	count, size int
	last        [4]rune // in the order in which they fell into it
}

// end returns the last four.
func (f figures) end() string {
	at := f.count % 4
	return string(f.last[at:]) + string(f.last[:at])
}

// row measures the digits that a text begins with.
func row(text string) (f figures) {
	for f.size < len(text) {
		c, size := spelled(text[f.size:])
		if !unicode.IsDigit(c) {
			break
		}
		f.last[f.count%4] = c
		f.count++
		f.size += size
	}
	return f
}

// dashed measures a number of three, two and four digits with something between them; more than three, or four, may be
// one with other digits about it.
func dashed(text string) (size int, serial string, ok bool) {
	var digits figures
	for _, group := range []struct{ least, most int }{{3, len(text)}, {2, 2}, {4, len(text)}} {
		if size > 0 {
			size += gap(text[size:])
		}
		if digits = row(text[size:]); digits.count < group.least || digits.count > group.most {
			return 0, "", false
		}
		size += digits.size
	}
	return size, digits.end(), true
}

// maxGap is how many characters may stand between two groups of digits.
const maxGap = 8

// gap measures what may stand between two groups: no letters, and nothing that separates values.
func gap(text string) (size int) {
	for range maxGap {
		if size == len(text) {
			return size
		}
		c, n := spelled(text[size:])
		if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("\"',:;{}[]=&*#\n", c) {
			return size
		}
		size += n
	}
	return size
}

// startsKey reports whether a text goes on as keys do after their first part: _sk_ or _pk_.
func startsKey(text string) bool {
	for _, wanted := range []string{"_", "sp", "k", "_"} {
		c, size := spelled(text)
		if size == 0 || !strings.ContainsRune(wanted, c) {
			return false
		}
		text = text[size:]
	}
	return true
}

// key takes a key to its end, wherever that may be. Its first part is known and may stay.
func (r *redaction) key() {
	size := 0
	for size < len(r.rest) {
		c, n := spelled(r.rest[size:])
		if c <= ' ' || strings.ContainsRune("\"'`,;&<>()[]{}\\", c) {
			break
		}
		size += n
	}
	r.replace(size, redactedKey)
}

// spelled returns the character that a text begins with, and the bytes that spell it: the character itself, or its
// percent-encoding, or its escape in JSON.
func spelled(text string) (c rune, size int) {
	switch {
	case text == "":
		return utf8.RuneError, 0
	case text[0] == '%' && !literal.MatchString(text[1:]):
		return percentEncoded(text)
	case text[0] == '\\' && len(text) >= 6 && text[1] == 'u' && !literal.MatchString(text[2:]):
		if c, ok := hex(text[2:6]); ok {
			return c, 6
		}
	case text[0] == '\\' && len(text) >= 2 && strings.IndexByte(`"\/bfnrt`, text[1]) >= 0:
		if text[1] == '/' {
			return '/', 2
		}
		return ' ', 2 // it separates words, whatever it is
	case text[0] < utf8.RuneSelf:
		return rune(text[0]), 1
	}
	return utf8.DecodeRuneInString(text)
}

// literal finds a number that is not to be taken for the code of a character and the rest of it.
var literal = regexp.MustCompile(`^(?:[0-9]{9}|[0-9]{3,4}[^0-9A-Za-z]{1,8}[0-9]{2}[^0-9A-Za-z]{1,8}[0-9]{4})`)

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

package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// What takes the place of an API key.
const redactedKey = "###"

// redact leaves out of a text what may be a secret: API keys, and social security numbers of which the last four digits
// stay. A number is nine digits, also with something between the third and the fourth and the fifth and the sixth; a
// longer row of digits is no such number, and as little shown; and what is named one is one, however it is written. It is
// looked for in the text as it stands, and in what that says to who reads percent-encoding, also when it was done several
// times over, and the escapes of JSON. What was redacted before stays as it is.
func redact(text string) string {
	for !harmless(text) {
		redacted := text
		for _, read := range []reading{asItStands, unescaped} {
			redacted = read.redact(redacted)
		}
		if redacted == text {
			break
		}
		text = redacted // which may show what one number has been hiding of another
	}
	return text
}

// lastDigits is how many digits of a number stay.
const lastDigits = 4

// harmless reports whether a text can be seen to have no secret, without looking closely.
func harmless[T ~string | ~[]byte](text T) bool {
	digits, most := 0, 8
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '%' || c == '\\' || c >= utf8.RuneSelf:
			return false
		case c == '_' && i+3 < len(text) && text[i+2] == 'k' && text[i+3] == '_':
			return false
		case c|0x20 == 's' && numberName(text[i:]) > 0:
			most = lastDigits
		}
	}
	return digits <= most
}

// redaction is a text on its way.
type redaction struct {
	read reading
	out  strings.Builder
	rest string
}

func (read reading) redact(text string) string {
	r := redaction{read: read, rest: text}
	r.out.Grow(len(text))
	for r.rest != "" {
		r.keep(plain(r.rest))
		r.next()
	}
	return r.out.String()
}

// plain measures how far a text is nothing to look at closely.
func plain(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c == '_', c == '%', c == '\\', c >= utf8.RuneSelf, c|0x20 == 's':
			return i
		}
	}
	return len(text)
}

// next takes a row of digits, a key, a number and its name, or one character.
func (r *redaction) next() {
	c, size := r.read(r.rest)
	switch {
	case size == 0: // that was all
	case unicode.IsDigit(c):
		r.digits()
	case c == '_' && r.startsKey():
		r.key()
	case size == 1 && numberName(r.rest) > 0:
		r.keep(numberName(r.rest))
		r.named()
	default:
		r.keep(size)
	}
}

func (r *redaction) keep(size int) {
	r.out.WriteString(r.rest[:size])
	r.rest = r.rest[size:]
}

func (r *redaction) replace(size int, by string) {
	r.out.WriteString(by)
	r.rest = r.rest[size:]
}

// digits takes a row of digits.
func (r *redaction) digits() {
	digits := r.read.row(r.rest)
	switch {
	case digits.count > 9:
		r.replace(digits.size, strings.Repeat("*", digits.count-lastDigits)+digits.end())
		return
	case digits.count == 9:
		r.replace(digits.size, api.ObfuscatedSSN(digits.end()))
		return
	case digits.count >= 3:
		if size, serial, ok := r.read.dashed(r.rest); ok {
			r.replace(size, api.ObfuscatedSSN(serial))
			return
		}
	}
	r.keep(digits.size)
}

// key takes a key to its end, wherever that may be. Its first part is known and may stay.
func (r *redaction) key() {
	size := 0
	for size < len(r.rest) {
		c, n := r.read(r.rest[size:])
		if c <= ' ' || strings.ContainsRune("\"'`,;&<>()[]{}\\", c) {
			break
		}
		size += n
	}
	r.replace(size, redactedKey)
}

// startsKey reports whether the text goes on as keys do after their first part: _sk_ or _pk_.
func (r *redaction) startsKey() bool {
	text := r.rest
	for _, wanted := range []string{"_", "sp", "k", "_"} {
		c, size := r.read(text)
		if size == 0 || !strings.ContainsRune(wanted, c) {
			return false
		}
		text = text[size:]
	}
	return true
}

// named takes what stands behind the name of a number, as far as it has no letter and no end of an object.
func (r *redaction) named() {
	begin, end, size := 0, 0, 0
	var digits figures
	for size < len(r.rest) {
		c, n := r.read(r.rest[size:])
		if unicode.IsLetter(c) || strings.ContainsRune("}&", c) {
			break
		}
		if size += n; unicode.IsDigit(c) {
			if digits.add(c, n); digits.count == 1 {
				begin = size - n
			}
			end = size
		}
	}
	if digits.count > lastDigits {
		r.keep(begin)
		r.replace(end-begin, api.ObfuscatedSSN(digits.end()))
	}
}

// numberName measures the name of a social security number that a text begins with: 0 when it does not.
func numberName[T ~string | ~[]byte](text T) int {
	return max(nameAt(text, "ssn"), nameAt(text, "socialsecuritynumber"))
}

// nameAt measures a name in small letters, between which there may be separators and capital letters.
func nameAt[T ~string | ~[]byte](text T, name string) (size int) {
	for size < len(text) && name != "" {
		switch c := text[size]; {
		case c|0x20 == name[0]:
			name = name[1:]
		case size == 0 || c != '_' && c != '-' && c != ' ':
			return 0
		}
		size++
	}
	if name != "" {
		return 0
	}
	return size
}

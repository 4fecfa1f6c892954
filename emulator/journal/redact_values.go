package journal

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// redactBody leaves out of a body what may be a secret: in JSON out of each value, so that it stays JSON, and in all else
// as out of a text.
func redactBody(body []byte) []byte {
	var r jsonRedaction
	for !harmless(body) {
		redacted, err := r.redact(body)
		if err != nil {
			redacted = []byte(redact(string(body)))
		}
		if bytes.Equal(redacted, body) {
			break
		}
		body = redacted // which may be JSON now
	}
	return body
}

// redactQuery leaves out of a query what may be a secret, so that it stays as readable as it was.
func redactQuery(query string) string {
	if harmless(query) {
		return query
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		pairs[i] = redactPair(pair)
	}
	return strings.Join(pairs, "&")
}

// redactPair leaves out of a pair what may be a secret. One that cannot be read stays no better readable.
func redactPair(pair string) string {
	text, err := url.QueryUnescape(pair)
	if err != nil {
		return redact(pair)
	}
	redacted := redact(text)
	if redacted == text {
		return pair
	}
	name, value, hasValue := strings.Cut(redacted, "=")
	if hasValue {
		return escape(name) + "=" + escape(value)
	}
	return escape(name)
}

// escape leaves the asterisks that stand for digits.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "%2A", "*") }

// jsonRedaction is a JSON text on its way. What needs no change stays as it was written.
type jsonRedaction struct {
	in   *jsontext.Decoder // of texts, one after the other; nil before the first
	text []byte
	out  []byte
	done int // of the text

	inner *jsonRedaction // for what is named and has few digits; nil before the first
	few   bool           // no object and no array of the text has more digits than may stay
}

// redact redacts a JSON text: one value. It returns the text itself when there is nothing to leave out. Its error is that of
// a text that is none.
func (r *jsonRedaction) redact(text []byte) ([]byte, error) {
	if r.in == nil {
		r.in = new(jsontext.Decoder)
	}
	r.in.Reset(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	r.text, r.out, r.done = text, nil, 0
	for {
		if err := r.next(); err != nil {
			return nil, err
		}
		if r.in.StackDepth() == 0 {
			break
		}
	}
	if _, err := r.in.ReadToken(); err != io.EOF { // as with 000-00-0001, which could be read as ten numbers
		return nil, errors.New("more than one JSON value")
	}
	if r.out == nil {
		return text, nil
	}
	return append(r.out, text[r.done:]...), nil
}

// next takes a token, or with the name of a number all that it names.
func (r *jsonRedaction) next() error {
	switch r.in.PeekKind() {
	case '"':
		return r.string()
	case '0':
		return r.number()
	default:
		_, err := r.in.ReadToken()
		return err
	}
}

func (r *jsonRedaction) string() error {
	value, err := r.in.ReadValue()
	if err != nil {
		return err
	}
	isNumber := r.readsName() && isNumberName(value)
	r.maskString(value)
	if isNumber {
		return r.named()
	}
	return nil
}

func (r *jsonRedaction) maskString(value jsontext.Value) {
	if harmless(value) {
		return
	}
	text := unquoted(value)
	if redacted := redact(text); redacted != text {
		r.replace(len(value), redacted)
	}
}

// readsName reports whether what was read last is the name of an object's member.
func (r *jsonRedaction) readsName() bool {
	kind, length := r.in.StackIndex(r.in.StackDepth())
	return kind == '{' && length%2 == 1
}

// number takes a number of nine digits or more, which may be a secret, however it is written.
func (r *jsonRedaction) number() error {
	value, err := r.in.ReadValue()
	if err != nil {
		return err
	}
	r.maskNumber(value)
	return nil
}

func (r *jsonRedaction) maskNumber(value jsontext.Value) {
	if harmless(value) && !bytes.ContainsAny(value, "eE") {
		return
	}
	for _, text := range []string{whole(value), string(value)} {
		if redacted := redact(text); redacted != text {
			r.replace(len(value), redacted)
			return
		}
	}
}

// named takes the value of a member that is a number by its name, of whatever kind it is. An object or an array of few
// digits is looked through once more, and what is named in it not as a whole again: so names in names cost no more.
func (r *jsonRedaction) named() error {
	if kind := r.in.PeekKind(); r.few && (kind == '{' || kind == '[') {
		return nil
	}
	value, err := r.in.ReadValue()
	if err != nil {
		return err
	}
	if digits := digitsOf(value); digits.count > lastDigits {
		r.replace(len(value), api.ObfuscatedSSN(digits.end()))
		return nil
	}
	switch value.Kind() {
	case '"':
		r.maskString(value)
	case '0':
		r.maskNumber(value)
	case '{', '[':
		return r.within(value)
	}
	return nil
}

// within redacts an object or an array of few digits, in which there can be none of more.
func (r *jsonRedaction) within(value jsontext.Value) error {
	if r.inner == nil {
		r.inner = &jsonRedaction{few: true}
	}
	redacted, err := r.inner.redact(value)
	if err == nil {
		r.put(len(value), redacted)
	}
	return err
}

// digitsOf counts the digits of a value as it is written for who reads it.
func digitsOf(value jsontext.Value) (digits figures) {
	for _, c := range written(value) {
		if unicode.IsDigit(c) {
			digits.add(c, 1)
		}
	}
	return digits
}

// written returns the text of a string, a whole number in plain digits, and all else as it stands.
func written(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		return unquoted(value)
	case '0':
		return whole(value)
	}
	return string(value)
}

func unquoted(value jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, value) // that it is a string is known; what is no UTF-8 is replaced
	return string(text)
}

// whole writes a number without an exponent and a fraction where it needs none.
func whole(value jsontext.Value) string {
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.Abs(n) >= 1e18 || n != math.Trunc(n) {
		return string(value)
	}
	return strconv.FormatInt(int64(n), 10)
}

// replace puts a string in the place of what was read last.
func (r *jsonRedaction) replace(size int, text string) {
	quoted, _ := jsontext.AppendQuote(nil, text) // what is no UTF-8 was replaced before
	r.put(size, quoted)
}

// put puts a value in the place of what was read last.
func (r *jsonRedaction) put(size int, value []byte) {
	end := int(r.in.InputOffset())
	if r.out == nil {
		r.out = make([]byte, 0, len(r.text)+len(value))
	}
	r.out = append(r.out, r.text[r.done:end-size]...)
	r.out = append(r.out, value...)
	r.done = end
}

// isNumberName reports whether the last words of a quoted name are those of a social security number.
func isNumberName(quoted jsontext.Value) bool {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = jsontext.Value(unquoted(quoted))
	}
	for i := range name {
		if size := numberName(name[i:]); size > 0 && i+size == len(name) {
			return true
		}
	}
	return false
}

// Package mask hides API keys and social security numbers. A text that somebody else wrote goes in, before it is logged, stored
// or shown; out comes the same text without secrets. [Text] is for any text, [Body] keeps JSON valid, [Query] keeps the query
// of a URL readable, and [Line] keeps the columns of a line. It has no other notion of a request or a resource.
package mask

import (
	"bytes"
	"cmp"
	"errors"
	"html"
	"io"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	keyMask   = "###"
	maxLayers = 4 // of escapes; a text with more layers is masked completely
)

// Text masks the secrets of a text. After its prefix an API key becomes ###. A social security number keeps its last four
// digits. It is nine digits, or groups of three, two and four digits, or any digits after a name such as ssn. A longer row
// of digits keeps its last four, too. Digits are the decimal digits of all scripts. Text also finds secrets below percent-encoding,
// JSON escapes, HTML character references and invisible characters. Masking a masked text changes nothing.
func Text(text string) string {
	if !mayHoldSecret(text) {
		return text
	}
	for range 8 { // three rounds suffice in all tests
		masked := replace(text, secrets(text), func(s secret) string { return s.mask })
		if masked == text {
			break
		}
		text = masked // where a digit may have new neighbours
	}
	return text
}

// mayHoldSecret reports whether a text may have a secret: _sk_ or _pk_ of a key, nine digits without a letter between them,
// five digits and a name such as ssn, or escapes. It is much faster than a search for secrets.
func mayHoldSecret(text string) bool {
	references := strings.ContainsAny(text, "#;") // of HTML; "&" alone is common in queries
	digits, most := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf, c == '%', c == '\\', c == '&' && references:
			return true
		case '0' <= c && c <= '9':
			digits++
			most = max(most, digits)
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			digits = 0
		}
	}
	return most >= 9 || most > 4 && namesSSN(text, strings.Contains) || strings.Contains(text, "_sk_") || strings.Contains(text, "_pk_")
}

// Query masks the query of a URL: each parameter decoded, and as it is, because an escape may look like digits.
func Query(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		plain, err := url.QueryUnescape(pair)
		if masked := Text(plain); err == nil && masked != plain {
			pair = strings.NewReplacer("%2A", "*", "%3D", "=").Replace(url.QueryEscape(masked))
		}
		pairs[i] = pair
	}
	return Text(strings.Join(pairs, "&"))
}

// Line masks a line and keeps its length in characters. It masks API keys, and the numbers of nine digits for which isReal
// holds.
func Line(line string, isReal func(digits string) bool) string {
	found := slices.DeleteFunc(secrets(line), func(s secret) bool {
		return s.mask != keyMask && (utf8.RuneCountInString(s.digits) != 9 || !isReal(s.digits))
	})
	return replace(line, found, func(s secret) string {
		runes := []rune(line[s.from:s.to])
		stars := strings.Repeat("*", len(runes)-4)
		if s.mask == keyMask {
			return string(runes[:len("_sk_")]) + stars
		}
		return stars + lastFour(s.digits)
	})
}

// secret is a part of a text that must not be shown.
type secret struct {
	from, to int
	digits   string // of a social security number
	mask     string
}

// numberAt returns the number in a part of a text. More than nine digits in a row are no social security number.
func numberAt(text string, from, to int) secret {
	s := secret{from: from, to: to, digits: digitsOf(text[from:to])}
	s.mask = SSN(lastFour(s.digits))
	if count := utf8.RuneCountInString(s.digits); count > 9 && s.digits == text[from:to] {
		s.mask = strings.Repeat("*", count-4) + lastFour(s.digits)
	}
	return s
}

// SSN returns the masked form of a social security number with these last four digits.
func SSN(lastFour string) string { return "***-**-" + lastFour }

// replace replaces each secret. Overlapping secrets become one: the mask of a key, or else of the last number.
func replace(text string, found []secret, show func(secret) string) string {
	slices.SortStableFunc(found, func(a, b secret) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	done := 0
	for i := 0; i < len(found); {
		s := found[i]
		for i++; i < len(found) && found[i].from < s.to; i++ {
			if next := found[i]; s.mask != keyMask && (next.mask == keyMask || next.to > s.to) {
				s.digits, s.mask = next.digits, next.mask
			}
			s.to = max(s.to, found[i].to)
		}
		out.WriteString(text[done:s.from] + show(s))
		done = s.to
	}
	return out.String() + text[done:]
}

// secrets finds the secrets of a text, as it is and decoded in several ways.
func secrets(text string) []secret {
	found, whole := find(text), make([]int, len(text)+1)
	for i := range whole {
		whole[i] = i
	}
	searched := map[string]bool{text: true}
	for _, escapes := range []string{"%", `\`, "&", `%\&`} {
		plain, at := text, whole // at maps each byte of plain, and its end, to the text
		for layer := 0; strings.ContainsAny(plain, escapes) || strings.ContainsFunc(plain, isInvisible); layer++ {
			decoded, from := decode(plain, at, escapes)
			if decoded == plain {
				break
			}
			if layer == maxLayers {
				return []secret{{0, len(text), "", keyMask}}
			}
			plain, at = decoded, from
			if searched[plain] {
				continue
			}
			searched[plain] = true
			for _, s := range find(plain) {
				found = append(found, secret{at[s.from], at[s.to], s.digits, s.mask})
			}
		}
	}
	return found
}

// decode removes invisible characters, and one layer of the escapes that begin with one of some characters. at maps each byte
// of the text, and its end, to the original, and from does so for the decoded text.
func decode(text string, at []int, escapes string) (decoded string, from []int) {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		plain := text[i : i+size]
		if isInvisible(r) {
			plain = ""
		} else if strings.Contains(escapes, plain) {
			plain, size = unescape(text[i:])
		}
		out.WriteString(plain)
		for range len(plain) {
			from = append(from, at[i])
		}
		i += size
	}
	return out.String(), append(from, at[len(text)])
}

// isInvisible reports whether a reader does not see a character between digits, such as a soft hyphen, a joiner or a
// combining mark.
func isInvisible(r rune) bool { return r >= utf8.RuneSelf && unicode.In(r, unicode.Cf, unicode.M) }

// reference is an HTML character reference: of a number, or of a name such as nbsp.
var reference = Expression(`^&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z]{2,32};)`)

// unescape decodes the escape at the beginning of a text, or returns one byte if there is none.
func unescape(text string) (plain string, size int) {
	switch text[0] {
	case '%':
		if plain, err := url.PathUnescape(text[:min(3, len(text))]); err == nil {
			return plain, 3
		}
	case '&':
		if found := reference().FindString(text); found != "" {
			return html.UnescapeString(found), len(found)
		}
	case '\\':
		if len(text) == 1 || strings.IndexByte(`"\bfnrtu`, text[1]) < 0 { // not an escape of JSON
			break
		}
		if c, _, rest, err := strconv.UnquoteChar(text, '"'); err == nil {
			return string(c), len(text) - len(rest)
		}
	}
	return text[:1], 1
}

// Expression compiles a pattern when it is needed first, so that no start pays for it.
func Expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// keyOrName finds API keys, and the names of social security numbers.
var keyOrName = Expression("_[sp]k_[^\x00-\x20\"'`,;&<>()\\[\\]{}\\\\]*|(?i:" + spaced("ssn") + "|" + spaced("socialsecuritynumber") + ")")

// spaced returns an expression for a word with optional separators between its letters.
func spaced(word string) string { return strings.Join(strings.Split(word, ""), "[-_+ ]*") }

var separators = strings.NewReplacer("-", "", "_", "", "+", "", " ", "")

// namesSSN reports whether a text has the name of a social security number, in the sense of a function such as
// [strings.Contains].
func namesSSN(text string, in func(text, name string) bool) bool {
	plain := strings.ToUpper(separators.Replace(text)) // ſ becomes S, as in a case-insensitive expression
	return in(plain, "SSN") || in(plain, "SOCIALSECURITYNUMBER")
}

// find finds the secrets of a text as it is. The number after a name ends before the next word.
func find(text string) []secret {
	found := findNumbers(text)
	if !strings.Contains(text, "_sk_") && !strings.Contains(text, "_pk_") && !namesSSN(text, strings.Contains) {
		return found // the expression is ten times slower, for example on rows of numbers
	}
	for _, at := range keyOrName().FindAllStringIndex(text, -1) {
		if text[at[0]] == '_' {
			found = append(found, secret{at[0], at[1], "", keyMask})
			continue
		}
		named := text[at[1]:]
		named = named[:until(named, func(r rune) bool { return unicode.IsLetter(r) || r == '}' || r == '&' })]
		if utf8.RuneCountInString(digitsOf(named)) > 4 {
			end := at[1] + len(strings.TrimRightFunc(named, notDigit))
			found = append(found, numberAt(text, at[1]+until(named, unicode.IsDigit), end))
		}
	}
	return found
}

// findNumbers finds rows of nine or more digits, and rows of three, two and four digits with gaps between them. The first
// and the last row may be longer, because other digits may be around a number.
func findNumbers(text string) (found []secret) {
	type row struct{ from, to, digits int }
	var first, second row
	for at := until(text, unicode.IsDigit); at < len(text); {
		third := row{from: at, to: at + until(text[at:], notDigit)}
		third.digits = utf8.RuneCountInString(text[third.from:third.to])
		if third.digits >= 9 {
			found = append(found, numberAt(text, third.from, third.to))
		}
		if first.digits >= 3 && second.digits == 2 && third.digits >= 4 &&
			isGap(text[first.to:second.from]) && isGap(text[second.to:third.from]) {
			found = append(found, numberAt(text, first.from, third.to))
		}
		first, second, at = second, third, third.to+until(text[third.to:], unicode.IsDigit)
	}
	return found
}

func isGap(text string) bool {
	return utf8.RuneCountInString(text) <= 8 && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || strings.ContainsRune("\"',:;{}[]=&*#\n", r)
	})
}

// until returns the length of a text before the first character for which is holds.
func until(text string, is func(rune) bool) int {
	if i := strings.IndexFunc(text, is); i >= 0 {
		return i
	}
	return len(text)
}

func notDigit(r rune) bool { return !unicode.IsDigit(r) }

func digitsOf(text string) string { return strings.Join(strings.FieldsFunc(text, notDigit), "") }

func lastFour(digits string) string {
	runes := []rune(digits)
	return string(runes[max(0, len(runes)-4):])
}

// Body masks a body. JSON stays JSON: names, strings and numbers are masked one by one. A member with a name such as ssn
// whose value, of any type, has more than four digits becomes one masked number. Any other body is masked as a text.
func Body(body []byte) []byte {
	if masked, err := maskJSON(body); err == nil {
		return masked
	}
	text := []byte(Text(string(body)))
	if masked, err := maskJSON(text); err == nil {
		return masked // masking made it JSON
	}
	return text
}

// maskJSON masks one JSON value. It returns the same text if it has no secret.
func maskJSON(text []byte) ([]byte, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []byte
	done := 0
	copyTo := func(end int) { out, done = append(out, text[done:end]...), end }
	put := func(masked string, end int) {
		out, _ = jsontext.AppendQuote(out, masked) // always UTF-8
		done = end
	}
	depth, begin, digits := 0, 0, []byte(nil) // of the outermost value named ssn, and where it begins in out
	for named := false; ; {
		outer, before := in.StackDepth(), in.InputOffset()
		token, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		plain, end := plainToken(token), int(in.InputOffset())
		masked := Text(plain)
		begins := named && depth == 0
		if begins || masked != plain {
			copyTo(end - len(bytes.TrimLeft(text[before:end], " \t\r\n:,")))
		}
		if begins {
			depth, begin, digits = outer, len(out), nil
		}
		if masked != plain {
			put(masked, end)
		}
		if depth > 0 {
			digits = append(digits, digitsOf(plain)...)
		}
		if depth > 0 && depth == in.StackDepth() {
			if utf8.RuneCount(digits) > 4 {
				out = out[:begin]
				put(SSN(lastFour(string(digits))), end)
			}
			depth = 0
		}
		kind, tokens := in.StackIndex(in.StackDepth())
		named = kind == '{' && tokens%2 == 1 && namesSSN(plain, strings.HasSuffix)
		if in.StackDepth() == 0 {
			break
		}
	}
	if _, err := in.ReadToken(); err != io.EOF {
		return nil, errors.New("more than one JSON value") // for example 000-00-0001
	}
	if done == 0 {
		return text, nil
	}
	return append(out, text[done:]...), nil
}

// plainToken returns the text of a token. An integer of nine or more digits is written without an exponent.
func plainToken(token jsontext.Token) string {
	if token.Kind() == '0' {
		if n, err := token.Float(); err == nil && n == math.Trunc(n) && math.Abs(n) >= 1e8 && math.Abs(n) < 1e18 {
			return strconv.FormatInt(int64(n), 10)
		}
	}
	return token.String()
}

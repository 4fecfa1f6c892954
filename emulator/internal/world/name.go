package world

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// mask returns a key as it is shown: its end, where enough of it stays hidden, and the beginning of its world's id.
func mask(key string) string {
	prefix, name, _ := strings.Cut(key, "_sk_test_")
	shown := ""
	if len(name) >= 8 {
		shown = name[len(name)-4:]
	}
	return prefix + "_sk_test_…" + shown + "#" + IDOf(key)[:4]
}

// The longest text that is taken for a name, and the length from which a part of one may be random.
const (
	maxKeyName = 40
	randomRun  = 12
)

// nameIn returns the name in a key, "" where what follows _test_ does not read as one: a secret is not shown.
func nameIn(key string) string {
	_, name, _ := strings.Cut(key, "_sk_test_")
	if len(name) > maxKeyName || api.Mask(name) != name {
		return ""
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) >= randomRun && looksRandom(part) {
			return ""
		}
	}
	return name
}

// looksRandom reports whether a text is hexadecimal, has digits before letters, or capitals where words have none.
func looksRandom(text string) bool {
	word := strings.TrimRight(text, "0123456789")
	capitals := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, word)
	return strings.Trim(strings.ToLower(text), "0123456789abcdef") == "" || strings.ContainsAny(word, "0123456789") ||
		capitals != word && 3*len(capitals) > len(word)
}

package api

import (
	"errors"
	"slices"
	"strings"
)

// meanings are the words of strict mode, with what each rejects.
var meanings = [...]struct{ word, rejects string }{
	{"spec", "what the specification requires of every caller"},
	{"version", "no version in Accept"},
	{"ssn", "a number that could be real or that no scenario names"},
	{"age", "under 14, or 120 and more"},
	{"reseller", "a reseller party given or missing"},
}

// StrictUsage lists the meanings of strict mode.
func StrictUsage() string {
	var list []string
	for _, m := range meanings {
		list = append(list, m.word+" ("+m.rejects+")")
	}
	return strings.Join(list, ", ")
}

// ParseStrict reads meanings of strict mode, separated by commas. Alone, all is all of them; off and no text are none.
func ParseStrict(text string) (parsed []string, err error) {
	var words []string
	for _, m := range meanings {
		words = append(words, m.word)
	}
	switch text {
	case "all":
		return words, nil
	case "", "off":
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); !slices.Contains(words, word) {
			return nil, errors.New("strict mode has no meaning " + Quote(word) + DidYouMean(word, words, ".") +
				" It has " + strings.Join(words, ", ") + "; all and off stand alone")
		}
		parsed = append(parsed, word)
	}
	return parsed, nil
}

package api

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// didYouMean asks whether the nearest of some words was meant, "" when none is near.
func didYouMean(word string, words []string) string {
	if nearest, ok := Nearest(word, words); ok {
		return ": did you mean " + nearest + "?"
	}
	return ""
}

// leastPrefix is how many letters of a word's beginning stand for it.
const leastPrefix = 3

// Nearest returns the word that a mistyped one most likely stands for, in any case: at most two letters off, and less
// than half of it; the first of several. Else it is the only one that begins with what was typed. It serves diagnoses.
func Nearest(word string, words []string) (nearest string, ok bool) {
	best, typed := min(2, (len(word)-1)/2), strings.ToLower(word)
	var longer []string // words that begin with what was typed
	for _, candidate := range words {
		lower := strings.ToLower(candidate)
		if len(typed) >= leastPrefix && strings.HasPrefix(lower, typed) {
			longer = append(longer, candidate)
		}
		if difference := len(lower) - len(typed); difference < -best || difference > best {
			continue
		}
		if distance := levenshtein.ComputeDistance(typed, lower); distance < best || distance == best && !ok {
			nearest, best, ok = candidate, distance, true
		}
	}
	if !ok && len(longer) == 1 {
		return longer[0], true
	}
	return nearest, ok
}

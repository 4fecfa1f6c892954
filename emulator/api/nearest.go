package api

import "github.com/agnivade/levenshtein"

// Nearest returns the word that a mistyped one most likely stands for: at most two letters off, and less than half of
// it; the first of several. It serves diagnoses.
func Nearest(word string, words []string) (nearest string, ok bool) {
	best := min(2, (len(word)-1)/2)
	for _, candidate := range words {
		if difference := len(candidate) - len(word); difference < -best || difference > best {
			continue
		}
		if distance := levenshtein.ComputeDistance(word, candidate); distance < best || distance == best && !ok {
			nearest, best, ok = candidate, distance, true
		}
	}
	return nearest, ok
}

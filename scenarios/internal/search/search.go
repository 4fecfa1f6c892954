// Package search finds texts by words: what is searched and a query flow in, and the places of the best texts flow out.
package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Text is what can be found: its fields, of which the first is its name.
type Text struct {
	Fields []Field
	Exact  []string // whole texts: one that equals the query outweighs all words
	Order  int      // of texts that match as well
}

// Field is a part of a text.
type Field struct {
	Name   string // in [Found]
	Weight float64
	Text   string
}

// Found is a text that a search finds.
type Found struct {
	Index int    // in the texts
	Why   string // names of the fields with the words, such as "name, status"
}

// Search returns the texts that have to do with all words of a query, the best first. When there is none, whole is false, and
// the texts are the nearest: those with the most words, or with words of another spelling.
func Search(texts []Text, query string) (found []Found, whole bool) {
	all := make([]*candidate, len(texts))
	for i, t := range texts {
		all[i] = newCandidate(i, t)
	}
	words, optional := splitQuery(query)
	whole, most := true, 1
	for _, w := range words {
		if !match(all, w, sameWord) && !match(all, w, withinWord) {
			whole = false
			match(all, w, nearWord)
		}
	}
	for _, one := range all {
		most = max(most, one.words)
	}
	best := slices.DeleteFunc(all, func(one *candidate) bool { return one.words < most })
	typed := strings.TrimSpace(query)
	for _, one := range best {
		if slices.ContainsFunc(texts[one.index].Exact, func(exact string) bool { return strings.EqualFold(exact, typed) }) {
			one.score += exactBonus
		}
		one.score += nameBonus * one.covered(slices.Concat(words, optional))
	}
	slices.SortStableFunc(best, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(texts[a.index].Order, texts[b.index].Order))
	})
	for _, one := range best {
		found = append(found, Found{one.index, strings.Join(one.why, ", ")})
	}
	return found, whole && most == len(words)
}

// The worth of a word in a field, as a share of the field's weight.
const (
	asWritten = 1
	asStem    = 0.9
	asPrefix  = 0.7
	asPart    = 0.4
	asNear    = 0.3

	exactBonus = 100
	nameBonus  = 8 // for a query with all words of the name
)

// word is a word in lower case, and its stem.
type word struct{ text, stem string }

// candidate is a text that a search may find, and what the search has found in it.
type candidate struct {
	index  int
	fields []field

	words int // of the query that it has
	score float64
	why   []string // names of the fields with the words
}

// field is a field with its words.
type field struct {
	Field
	words []word
}

func newCandidate(index int, t Text) *candidate {
	c := &candidate{index: index}
	for _, f := range t.Fields {
		c.fields = append(c.fields, field{f, splitWords(f.Text)})
	}
	return c
}

// match adds the worth of a word to the candidates, and reports whether one has it.
func match(all []*candidate, w word, similar func(w, other word) float64) (some bool) {
	for _, one := range all {
		worth, in := one.best(w, similar)
		if worth == 0 {
			continue
		}
		some = true
		one.words++
		one.score += worth
		if !slices.Contains(one.why, in) {
			one.why = append(one.why, in)
		}
	}
	return some
}

// best returns the worth of a word in the field where it is greatest.
func (c *candidate) best(w word, similar func(w, other word) float64) (worth float64, in string) {
	for _, f := range c.fields {
		for _, other := range f.words {
			if value := f.Weight * similar(w, other); value > worth {
				worth, in = value, f.Name
			}
		}
	}
	return worth, in
}

// covered returns the share of the words of the name that a query has.
func (c *candidate) covered(words []word) float64 {
	n, name := 0, c.fields[0].words
	for _, part := range name {
		if slices.ContainsFunc(words, func(w word) bool { return w.stem == part.stem }) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(name)))
}

// sameWord compares words that begin alike.
func sameWord(w, other word) float64 {
	switch {
	case w.text == other.text:
		return asWritten
	case w.stem == other.stem:
		return asStem
	case len(w.text) > 1 && strings.HasPrefix(other.text, w.text):
		return asPrefix
	}
	return 0
}

// withinWord finds a word in a longer one.
func withinWord(w, other word) float64 {
	if len(w.text) > 2 && strings.Contains(other.text, w.text) {
		return asPart
	}
	return 0
}

// nearWord compares words that differ by a typing error or two, and statuses of a class.
func nearWord(w, other word) float64 {
	if isNumber(w.text) {
		if len(w.text) == 3 && len(other.text) == 3 && isNumber(other.text) && w.text[0] == other.text[0] {
			return asNear
		}
		return 0
	}
	allowed := min(2, (len(w.text)-1)/2)
	if difference := len(w.text) - len(other.text); difference > allowed || -difference > allowed {
		return 0
	}
	if levenshtein.ComputeDistance(w.text, other.text) <= allowed || letters(w.text) == letters(other.text) {
		return asNear
	}
	return 0
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// letters returns the letters of a word in order: words with the same ones differ by swapped letters.
func letters(text string) string {
	sorted := []byte(text)
	slices.Sort(sorted)
	return string(sorted)
}

// fillers are words that a query does not depend on.
var fillers = strings.Fields("a an and are as at be by do for from get give has have how i in is it my of on or that the to want what when which with")

// maxWords bounds the words of a query that count.
const maxWords = 12

// splitQuery returns the words of a query, and apart from them the fillers, unless it has nothing else.
func splitQuery(query string) (words, optional []word) {
	all := splitWords(query)
	for _, w := range all[:min(len(all), maxWords)] {
		if slices.Contains(fillers, w.text) {
			optional = append(optional, w)
		} else {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return optional, nil
	}
	return words, optional
}

// splitWords splits a text where it has neither letters nor digits.
func splitWords(text string) (words []word) {
	for _, part := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words = append(words, word{part, stemOf(part)})
	}
	return words
}

// stemOf removes the usual endings of English verbs and plurals: canceling, canceled, cancelled and cancels are cancel.
func stemOf(text string) string {
	stem := text
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if before, ok := strings.CutSuffix(text, ending); ok && len(before) > 2 {
			stem = before
			break
		}
	}
	stem = strings.TrimSuffix(stem, "e")
	if n := len(stem); n > 3 && stem[n-1] == stem[n-2] {
		stem = stem[:n-1]
	}
	return stem
}

package api

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Note is something about a request that is worth knowing although it is served.
type Note struct {
	Cause Cause
	What  string // was found
	Mend  string // is to be done about it; "" when that goes without saying
}

// Cause is the kind of thing that a note is about, what the emulator does about it, and whether --strict answers it 400.
// It does what the spec requires of every caller, and leaves alone what the spec only recommends, or makes depend on
// things that an emulator cannot know: whose account it is.
type Cause struct {
	Name   string
	Strict bool
	done   string
}

// The notes of contract 8.
var (
	versionUnnamed     = Cause{Name: "version unnamed"}                    // spec 9.1: the header is optional
	versionPassedOver  = Cause{Name: "version passed over"}                // ... and another range of it was right
	contentTypeUnnamed = Cause{Name: "content type unnamed", Strict: true} // spec 1
	unknownKey         = Cause{"unknown key", true, " was ignored"}
	unknownParameter   = Cause{"unknown parameter", true, " was ignored"}
	repeatedParameter  = Cause{"repeated parameter", true, ", of which the last counts"}
	unknownField       = Cause{"unknown field", true, " was ignored"}
	ssnCouldBeReal     = Cause{Name: "ssn could be real", Strict: true}  // contract 5
	birthDateMissing   = Cause{Name: "birth date missing", Strict: true} // spec 4.4, target
	birthDateUnlikely  = Cause{Name: "birth date unlikely"}              // the spec bounds it nowhere
	resellerGiven      = Cause{Name: "reseller given"}                   // spec 4.4: of non-reseller requests only
	resellerMissing    = Cause{Name: "reseller missing"}                 // spec 4.4: of reseller requests only
	moreToTell         = Cause{Name: "more to tell"}
)

// String says what was found, what was done about it, and the mend.
func (n Note) String() string { return n.What + n.Cause.done + n.Mend }

// Refusal says what was found and the mend, of a request that is refused for it.
func (n Note) Refusal() string { return n.What + n.Mend }

// findings are what a request was found to have.
type findings struct {
	problems list // each makes it invalid
	notes    list // each is worth knowing
}

// maxListed is how many problems, and how many notes, an answer names.
const maxListed = 20

// list is the first of some findings, and how many more there are.
type list struct {
	listed []Note
	more   int
}

func (l *list) add(finding Note) {
	if !l.full() {
		l.listed = append(l.listed, finding)
	}
}

// full reports whether a finding need not be put into words, and counts it: a body can hold a hundred thousand.
func (l *list) full() bool {
	if len(l.listed) < maxListed {
		return false
	}
	l.more++
	return true
}

// addUnknown notes names, which stand at a path, that the spec does not know.
func (l *list) addUnknown(cause Cause, what, path string, names iter.Seq[string], known []string) {
	for _, name := range slices.Sorted(names) {
		if !l.full() {
			l.add(Note{cause, what + Quote(path+name), DidYouMean(name, known, "")})
		}
	}
}

func (l *list) all() []Note {
	if l.more == 0 {
		return l.listed
	}
	return append(l.listed, Note{Cause: moreToTell, What: fmt.Sprintf("and %d more", l.more)})
}

const (
	quotedLength  = 60   // characters of a text in a diagnosis
	excerptLength = 200  // characters of an excerpt
	readLength    = 4096 // bytes that are read for an excerpt, however long the text is
)

// Excerpt masks a text and cuts it to 200 characters. It reads only the beginning of a long text.
func Excerpt(text string) string {
	if len(text) > readLength {
		text = strings.TrimRightFunc(text[:readLength], mayBeginNumber) + "..."
	}
	return cut(Mask(text), excerptLength)
}

// mayBeginNumber reports whether a character may be in the beginning of a number, also of an encoded one.
func mayBeginNumber(r rune) bool {
	return !unicode.IsLetter(r) || strings.ContainsRune("abcdefuABCDEF", r)
}

// Quote makes a text fit for a diagnosis, a header and a log: masked, cut to 60 characters, quoted, ASCII.
func Quote(text string) string { return strconv.QuoteToASCII(cut(Excerpt(text), quotedLength)) }

func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return text
}

// DidYouMean ends a message about a mistyped word: with the nearest of some words, or with otherwise when none is near.
func DidYouMean(mistyped string, words []string, otherwise string) string {
	if nearest, ok := Nearest(mistyped, words); ok {
		return ": did you mean " + nearest + "?"
	}
	return otherwise
}

// Nearest returns the word that a mistyped one most likely stands for, in any case: at most two letters off, and less
// than half of it; the first of several. Else it is the only one that begins with what was typed. It serves diagnoses.
func Nearest(word string, words []string) (nearest string, ok bool) {
	best, typed := min(2, (len(word)-1)/2), strings.ToLower(word)
	var longer []string // words that begin with what was typed
	for _, candidate := range words {
		lower := strings.ToLower(candidate)
		if len(typed) >= 3 && strings.HasPrefix(lower, typed) {
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

package api

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Note is a finding about a request that is served nevertheless.
type Note struct {
	Kind    string // of the finding; the log reports each once in a world
	Strict  string // the meaning of strict mode that rejects the request with 400; "" for none
	Text    string // what was found, what was done about it, and the fix
	Refusal string // what was found and the fix, for strict mode
	Subject string // the subject of the decision by which it is served: see the package provenance. "": the specification's
}

// noteKind is a kind of note.
type noteKind int

const (
	versionUnnamed noteKind = iota
	versionIgnored
	versionExtended
	contentTypeUnnamed
	unknownKey
	unknownParameter
	repeatedParameter
	unknownField
	birthDateMissing
	ssnCouldBeReal
	ssnUnlisted
	birthDateUnlikely
	resellerGiven
	resellerMissing
	moreNotes
)

// noteRow has the name of a kind of note, its meaning of strict mode, what the emulator did about it, how one is summed up (more
// have an s after the first word), and the subject of the decision to do so.
type noteRow struct{ name, meaning, done, sum, subject string }

var noteKinds = [...]noteRow{
	versionUnnamed:     {"version unnamed", "version", "", "answer asked for no version", ""},                                          // spec 9.1: the header is optional
	versionIgnored:     {"version ignored", "version", " and was ignored", "answer ignored a version that is not the operation's", ""}, // another range of the header fits
	versionExtended:    {"version extended", "version", ", which --extended serves", "answer served a version that is not the operation's", ""},
	contentTypeUnnamed: {"content type unnamed", "spec", "", "request with a body had no Content-Type", "a body without `Content-Type`"}, // spec 1
	unknownKey:         {"unknown key", "spec", " was ignored", "request had unknown keys in the body", "unknown keys and query parameters"},
	unknownParameter:   {"unknown parameter", "spec", " was ignored", "request had unknown query parameters", "unknown keys and query parameters"},
	repeatedParameter:  {"repeated parameter", "spec", ", and the last one counts", "request repeated a query parameter", "`income_analytics`"},
	unknownField:       {"unknown field", "spec", " was ignored", "request had unknown names in fields", "`fields`"},
	birthDateMissing:   {"birth date missing", "spec", "", "session lacked a date of birth for employer search", ""},                                // spec 4.4
	ssnCouldBeReal:     {"ssn could be real", "ssn", "", "number that could be real", "social security numbers"},                                    // an emulator is for synthetic numbers
	ssnUnlisted:        {"ssn unlisted", "ssn", "", "number that no scenario names", "social security numbers"},                                     // it may be a magic number with a typing error
	birthDateUnlikely:  {"birth date unlikely", "age", "", "session with an age under 14 or of 120 and more", "an age under 14 or of 120 and more"}, // the spec has no bounds
	resellerGiven:      {"reseller given", "reseller", "", "session with a reseller party", ""},                                                     // spec 4.4: not for non-reseller requests
	resellerMissing:    {"reseller missing", "reseller", "", "session with null as its reseller party", ""},                                         // spec 4.4: required for reseller requests
	moreNotes:          {name: "more notes"},
}

// note returns a note of what was found and the fix, which may be "".
func (k noteKind) note(found, fix string) Note {
	kind := noteKinds[k]
	return Note{Kind: kind.name, Strict: kind.meaning, Text: found + kind.done + fix, Refusal: found + fix, Subject: kind.subject}
}

// SumUp returns a line for each kind of note with a count, the most frequent first.
func SumUp(counts map[string]int) (lines []string) {
	kinds := slices.Clone(noteKinds[:moreNotes])
	slices.SortStableFunc(kinds, func(a, b noteRow) int { return cmp.Compare(counts[b.name], counts[a.name]) })
	for _, kind := range kinds {
		switch n := counts[kind.name]; n {
		case 0:
		case 1:
			lines = append(lines, "1 "+kind.sum+": --strict="+kind.meaning)
		default:
			lines = append(lines, strconv.Itoa(n)+" "+strings.Replace(kind.sum, " ", "s ", 1)+": --strict="+kind.meaning)
		}
	}
	return lines
}

// findings collects the results of decoding a request.
type findings struct {
	problems list // each makes the request invalid
	notes    list
}

// maxListed limits the problems, and the notes, that an answer lists.
const maxListed = 20

// list is a list of findings. Those that may be many are cut at maxListed.
type list struct {
	listed []Note
	more   int
}

func (l *list) add(finding Note) { l.listed = append(l.listed, finding) }

// full reports whether the list is full, and counts the finding if it is. It saves the work of formatting the many findings
// of a large body.
func (l *list) full() bool {
	if len(l.listed) < maxListed {
		return false
	}
	l.more++
	return true
}

// addUnknown adds a note for each name, below a path, that is not in the spec.
func (l *list) addUnknown(kind noteKind, what, path string, names iter.Seq[string], inSpec []string) {
	for _, name := range slices.Sorted(names) {
		if !l.full() {
			l.add(kind.note(what+Quote(path+name), DidYouMean(name, inSpec, "")))
		}
	}
}

// all returns the findings. The last one is the number of those that are not listed.
func (l *list) all() []Note {
	if l.more == 0 {
		return l.listed
	}
	return append(l.listed, moreNotes.note(fmt.Sprintf("and %d more", l.more), ""))
}

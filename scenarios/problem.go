package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Position is a place in a scenario file; lines and columns count from 1. Line is 0 for a file or folder as a whole.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line:column, or the file alone.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problem is one thing that is wrong with a scenario file.
type Problem struct {
	At      Position
	What    string // what is wrong and how to mend it
	Warning bool   // it is allowed and probably not meant: the file loads all the same
	Line    string // of the file, but for API keys and numbers that could be somebody's; "" when the problem is not about one
}

// String returns a line that says where and what, then the line of the file with a caret under the column. It has no
// control characters, whatever the file has.
func (p Problem) String() string {
	severity := ""
	if p.Warning {
		severity = "warning: "
	}
	text := printable(p.At.String() + ": " + severity + p.What)
	if p.Line == "" {
		return text
	}
	return text + "\n" + excerpt(p.At.Line, p.At.Column, p.Line)
}

// Problems are all things that are wrong with a set of scenario files, by file, line and column. It is an error when one
// of them is.
type Problems []Problem

// Error returns every problem as its String has it.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, "\n")
}

// Errors returns how many of the problems keep their files from being loaded.
func (ps Problems) Errors() (n int) {
	for _, p := range ps {
		if !p.Warning {
			n++
		}
	}
	return n
}

// Count returns how many errors and warnings there are, in words.
func (ps Problems) Count() string {
	errors := ps.Errors()
	warnings := len(ps) - errors
	switch {
	case warnings == 0:
		return plural(errors, "error")
	case errors == 0:
		return plural(warnings, "warning")
	}
	return plural(errors, "error") + " and " + plural(warnings, "warning")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (ps Problems) sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
}

// quotedLength is how many characters of a value are repeated.
const quotedLength = 60

// quote repeats a value of a file in a problem.
func quote(text string) string {
	if runes := []rune(text); len(runes) > quotedLength {
		text = string(runes[:quotedLength]) + "…"
	}
	return strconv.Quote(api.MaskLine(text))
}

// cite gives each problem the line of the text that it is about.
func (ps Problems) cite(text string) {
	if len(ps) == 0 {
		return
	}
	lines := linesOf(text)
	for i, p := range ps {
		if p.At.Line > 0 && p.At.Line <= len(lines) {
			ps[i].Line = api.MaskLine(lines[p.At.Line-1])
		}
	}
}

// maxProblems is how many problems are reported of one file.
const maxProblems = 100

// report sorts the problems of a file, keeps the first of too many and gives each its line of the text.
func (ps Problems) report(text string) Problems {
	ps.sort()
	if more := len(ps) - maxProblems; more > 0 {
		rest := ps[maxProblems:]
		last := Problem{
			At: rest[0].At, What: fmt.Sprintf("and %d more problems from here on", more), Warning: rest.Errors() == 0,
		}
		ps = append(ps[:maxProblems:maxProblems], last)
	}
	ps.cite(text)
	return ps
}

// What is shown of a long line, in characters: so many in all, and so many of them before the column.
const (
	excerptLength = 100
	excerptBefore = 60
)

// excerpt shows a line of a file with its number, and a caret under a column.
func excerpt(number, column int, line string) string {
	shown, at := around([]rune(printable(line)), column-1)
	margin := strconv.Itoa(number)
	indent := strings.Repeat(" ", uniseg.StringWidth(string(shown[:at])))
	return fmt.Sprintf("  %s | %s\n  %*s | %s^", margin, string(shown), len(margin), "", indent)
}

// around cuts a long line to the part around a character, and returns where that stands in it.
func around(line []rune, at int) (shown []rune, shownAt int) {
	at = min(max(at, 0), len(line))
	if len(line) <= excerptLength {
		return line, at
	}
	from := min(max(at-excerptBefore, 0), len(line)-excerptLength)
	shown = append(shown, line[from:from+excerptLength]...)
	if from > 0 {
		shown[0] = '…'
	}
	if from+excerptLength < len(line) {
		shown[excerptLength-1] = '…'
	}
	return []rune(api.MaskLine(string(shown))), at - from // what is left of a longer row of digits may be one
}

// printable makes a text fit for a terminal: a character each for what cannot be seen or would move the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

package source

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

// Position is a position in a scenario file. Lines and columns count from 1; Line is 0 for a file or folder as a whole.
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

// Problem is an error or a warning about a scenario file.
type Problem struct {
	At      Position
	What    string // the cause, then the right form
	Warning bool   // the file loads all the same
	Line    string // of the file, with API keys and social security numbers masked; "" for the file as a whole

	Form string // the end of What that shows the right form in the language
}

// Cause returns What without the right form in the language, for a user who writes another one.
func (p Problem) Cause() string { return strings.TrimSuffix(p.What, p.Form) }

// String returns the position and the message, then the line of the file with a caret under the column. It has no control
// characters, even if the file has some.
func (p Problem) String() string {
	severity := ""
	if p.Warning {
		severity = "warning: "
	}
	text := Printable(p.At.String() + ": " + severity + p.What)
	if p.Line == "" {
		return text
	}
	return text + "\n" + excerpt(p.At.Line, p.At.Column, p.Line)
}

// Problems are the problems of a set of scenario files, sorted by file, line and column.
type Problems []Problem

// Error returns the text of every problem, including warnings.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, "\n")
}

// Errors returns the number of problems that are not warnings.
func (ps Problems) Errors() (n int) {
	for _, p := range ps {
		if !p.Warning {
			n++
		}
	}
	return n
}

// Count returns the numbers of errors and warnings in words.
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

// Sort sorts the problems by file, line and column.
func Sort(ps Problems) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
}

// quotedLength is the number of characters of a value that a message repeats.
const quotedLength = 60

// Quote returns a value of a file as messages repeat it: in quotes, masked and cut.
func Quote(text string) string {
	if runes := []rune(text); len(runes) > quotedLength {
		text = string(runes[:quotedLength]) + "…"
	}
	return strconv.Quote(api.MaskLine(text))
}

// AddLines adds to each problem its line of the text.
func AddLines(ps Problems, text string) {
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

// HideContents removes the lines and the values of the file from the problems. Names of unknown keys stay.
func HideContents(ps Problems) {
	for i, p := range ps {
		if ps[i].Line = ""; !strings.HasPrefix(p.What, "unknown key ") {
			ps[i].What = quoted().ReplaceAllString(p.What, `"…"`)
		}
	}
}

// quoted matches what a message may repeat of a file.
var quoted = Expression(`"(\\.|[^"\\])*"`)

// maxProblems is the number of problems that are reported for one file.
const maxProblems = 100

// Report sorts the problems of a file, drops those above maxProblems and adds the lines of the text.
func Report(ps Problems, text string) Problems {
	Sort(ps)
	if more := len(ps) - maxProblems; more > 0 {
		rest := ps[maxProblems:]
		last := Problem{
			At: rest[0].At, What: fmt.Sprintf("and %d more problems from here on", more), Warning: rest.Errors() == 0,
		}
		ps = append(ps[:maxProblems:maxProblems], last)
	}
	AddLines(ps, text)
	return ps
}

// The excerpt of a long line, in characters.
const (
	excerptLength = 100
	excerptBefore = 60 // before the column
)

// excerpt returns a line of a file with its number, and a caret under a column.
func excerpt(number, column int, line string) string {
	shown, at := around([]rune(Printable(line)), column-1)
	margin := strconv.Itoa(number)
	indent := strings.Repeat(" ", uniseg.StringWidth(string(shown[:at])))
	return fmt.Sprintf("  %s | %s\n  %*s | %s^", margin, string(shown), len(margin), "", indent)
}

// around cuts a long line to the part around a character, and returns the index of the character in it.
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
	return []rune(api.MaskLine(string(shown))), at - from // cutting a row of digits may leave a social security number
}

// Printable replaces each character that a terminal cannot show, or that would move its cursor.
func Printable(text string) string {
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

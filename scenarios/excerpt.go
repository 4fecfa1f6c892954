package scenarios

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

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

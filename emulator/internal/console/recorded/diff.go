package recorded

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// ComparedPart is a part of two requests beside each other, such as the body.
type ComparedPart struct {
	Name    string
	Diff    []DiffPart
	Differs bool
}

// ComparedParts compares the requests and the answers of two entries.
func ComparedParts(with, e *journal.Entry) (parts []ComparedPart) {
	for _, part := range []struct {
		name  string
		lines func(*journal.Entry) []string
	}{
		{"Request", func(e *journal.Entry) []string { return LinesOf(e.Method+" "+TargetOf(e), e.Headers, e.Request()) }},
		{"Answer", func(e *journal.Entry) []string { return LinesOf(e.Outcome(), e.ResponseHeaders, e.Response()) }},
	} {
		diff := DiffOf(part.lines(with), part.lines(e))
		differs := slices.ContainsFunc(diff, func(p DiffPart) bool { return !p.Folded })
		parts = append(parts, ComparedPart{part.name, diff, differs})
	}
	return parts
}

// maxCompared is the number of lines that are searched for the same ones: the time grows with its square. Later lines are
// compared with their neighbours only.
const maxCompared = 1000

// around is the number of equal lines that stay in sight beside a difference.
const around = 3

// diffRow is a line of two texts beside each other. A text that has no such line is "" there.
type diffRow struct {
	Left, Right string
	Differs     bool
}

// DiffPart is a run of rows. A folded one has equal lines far from a difference.
type DiffPart struct {
	Folded bool
	Rows   []diffRow
}

// DiffOf compares two texts line by line. A comma at the end of a line is no difference: it depends on the next line.
func DiffOf(left, right []string) (parts []DiffPart) {
	a, b := min(len(left), maxCompared), min(len(right), maxCompared)
	rows := append(diffRows(left[:a], right[:b]), beside(left[a:], right[b:])...)
	near := make([]bool, len(rows))
	for i, row := range rows {
		for j := max(0, i-around); row.Differs && j <= min(len(rows)-1, i+around); j++ {
			near[j] = true
		}
	}
	for i, row := range rows {
		if i == 0 || near[i] != near[i-1] {
			parts = append(parts, DiffPart{Folded: !near[i]})
		}
		last := &parts[len(parts)-1]
		last.Rows = append(last.Rows, row)
	}
	return parts
}

// diffRows finds the longest common subsequence of lines, and puts the lines between its members beside each other.
func diffRows(left, right []string) (rows []diffRow) {
	longest := make([][]int16, len(left)+1) // of what follows two lines
	for i := range longest {
		longest[i] = make([]int16, len(right)+1)
	}
	for i := len(left) - 1; i >= 0; i-- {
		for j := len(right) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if same(left[i], right[j]) {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	i, j, a, b := 0, 0, 0, 0 // the lines from a and b on have no row yet
	for i < len(left) && j < len(right) {
		switch {
		case same(left[i], right[j]):
			rows = append(append(rows, beside(left[a:i], right[b:j])...), diffRow{Left: left[i], Right: right[j]})
			i, j = i+1, j+1
			a, b = i, j
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return append(rows, beside(left[a:], right[b:])...)
}

// beside puts lines beside each other.
func beside(left, right []string) (rows []diffRow) {
	for i := range max(len(left), len(right)) {
		row := diffRow{}
		if i < len(left) {
			row.Left = left[i]
		}
		if i < len(right) {
			row.Right = right[i]
		}
		row.Differs = !same(row.Left, row.Right)
		rows = append(rows, row)
	}
	return rows
}

func same(a, b string) bool { return strings.TrimSuffix(a, ",") == strings.TrimSuffix(b, ",") }

// LinesOf returns the lines of a message: the first one, the headers, and the body. JSON is indented, with its members by
// name, because their order means nothing.
func LinesOf(first string, headers []journal.Header, body *journal.Body) []string {
	lines := []string{first}
	for _, h := range headers {
		if !slices.Contains(everNew, h.Name) {
			lines = append(lines, h.Name+": "+h.Value)
		}
	}
	if body == nil {
		return lines
	}
	value := jsontext.Value(RawBody(body))
	value.Format(jsontext.ReorderRawObjects(true)) // what is no JSON stays as it is
	return append(append(lines, ""), strings.Split(words.Indented(string(value)), "\n")...)
}

// everNew are headers that differ between any two answers.
var everNew = []string{"Date", "Understudy-Request-Id", "Content-Length"}

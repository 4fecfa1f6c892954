package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MagicValue is something that a client sends and that leads to a scenario.
type MagicValue struct {
	Kind  Kind
	Value string // as people write it: numbers with dashes
}

// MagicValues returns what leads to the scenario.
func (s *Scenario) MagicValues() (all []MagicValue) {
	for magic := range s.Magic.values() {
		all = append(all, MagicValue{magic.kind, magic.String()})
	}
	return all
}

// String returns the number with dashes, or "any".
func (m MagicSSN) String() string {
	if len(m) != 9 {
		return string(m)
	}
	return string(m[:3] + "-" + m[3:5] + "-" + m[5:])
}

// Source returns the scenario as a document of its own: as its file has it, comments and all, with its row of the matrix
// filled in. It is "" for a scenario of another catalogue.
func (c *Catalogue) Source(s *Scenario) string {
	at := slices.IndexFunc(c.all, func(e *entry) bool { return e.at == s.At && e.scenario() == s })
	if at < 0 && c.base != nil {
		return c.base.Source(s)
	}
	if at < 0 {
		return ""
	}
	document := documentAt(linesOf(cmp.Or(c.texts[s.At.File], string(builtinText(s.At.File)))), s.At.Line)
	if len(s.Matrix) == 0 {
		return document
	}
	row := 0
	for row < at && c.all[at-row-1].at == s.At {
		row++
	}
	values := s.Matrix.rows()[row]
	var here []string
	for _, name := range slices.Sorted(maps.Keys(s.Matrix)) {
		here = append(here, "<"+name+"> is "+values.values["<"+name+">"])
	}
	explained := fmt.Sprintf("# One of the %d scenarios that a matrix makes: here %s.\n", s.Matrix.size(), strings.Join(here, ", "))
	filled := values.fillIn(withoutMatrix(document))
	if found, problems := Parse(s.At.File, []byte(filled)); problems.Errors() > 0 || len(found) != 1 || found[0].Name != s.Name {
		return explained + document // it is written in another way than most
	}
	return explained + filled
}

// editorLine begins the line that tells editors which schema a file has. It says nothing about a scenario.
const editorLine = "# yaml-language-server:"

// documentAt returns the YAML document of some lines that has a line, counted from 1, with the comments before it.
func documentAt(lines []string, line int) string {
	from, to := line-1, line
	for from > 0 && !separates(lines[from]) {
		from--
	}
	for to < len(lines) && !separates(lines[to]) {
		to++
	}
	if strings.TrimSpace(lines[from]) == "---" || isSeparator(lines[from], "...") {
		from++
	}
	own := slices.DeleteFunc(slices.Clone(lines[from:to]), func(line string) bool { return strings.HasPrefix(line, editorLine) })
	return strings.TrimSpace(strings.Join(own, "\n")) + "\n"
}

func separates(line string) bool { return isSeparator(line, "---") || isSeparator(line, "...") }

// withoutMatrix leaves out the lines of the matrix.
func withoutMatrix(document string) string {
	var kept strings.Builder
	within := false
	for line := range strings.Lines(document) {
		if !strings.ContainsAny(line[:1], " \t\r\n-]}") { // what stands in the first column begins something else
			within = strings.HasPrefix(line, "matrix:")
		}
		if !within {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

package recorded

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	lines := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(`"line": %d,`, i))
		}
		return all
	}
	for name, tt := range map[string]struct {
		left, right []string
		shown       string // rows; equal ones as =, folded ones as their number
	}{
		"equal":                        {lines(9), lines(9), "9"},
		"empty":                        {nil, nil, ""},
		"one only":                     {nil, []string{"a"}, "|a"},
		"changed in the middle":        {lines(20), append(append(lines(10), "x"), lines(20)[11:]...), `7 = = = "line": 10,|x = = = 6`},
		"a comma depends on the next":  {[]string{"{", "a", "}"}, []string{"{", "a,", "b", "}"}, "= = |b ="},
		"moved on":                     {[]string{"a", "b", "c"}, []string{"x", "a", "b", "c"}, "|x = = ="},
		"more on the left":             {[]string{"a", "b", "c"}, []string{"y", "c"}, "a|y b| ="},
		"different in what comes late": {lines(1200), append(lines(1100), "z"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var shown []string
			parts := DiffOf(tt.left, tt.right)
			var left, right []string
			for _, p := range parts {
				if p.Folded {
					shown = append(shown, fmt.Sprint(len(p.Rows)))
				}
				for _, row := range p.Rows {
					if row.Left != "" {
						left = append(left, row.Left)
					}
					if row.Right != "" {
						right = append(right, row.Right)
					}
					switch {
					case p.Folded:
					case row.Differs:
						shown = append(shown, row.Left+"|"+row.Right)
					default:
						shown = append(shown, "=")
					}
				}
			}
			if got := strings.Join(shown, " "); tt.shown != "" && got != tt.shown {
				t.Errorf("shows %s, want %s", got, tt.shown)
			}
			if !slices.Equal(left, tt.left) || !slices.Equal(right, tt.right) {
				t.Error("lines are lost")
			}
		})
	}
}

// The order of the members of JSON is no difference.
func TestDiffMembers(t *testing.T) {
	t.Parallel()
	body := func(text string) []string { return LinesOf("", nil, &journal.Body{JSON: jsontext.Value(text)}) }
	if parts := DiffOf(body(`{"b":{"d":1.50,"c":2},"a":"x"}`), body(`{"a": "x", "b": {"c": 2, "d": 1.50}}`)); len(parts) != 1 || !parts[0].Folded {
		t.Errorf("differ: %v", parts)
	}
}

// The recorded beginning of a long body is in lines as a whole one.
func TestDiffBeginning(t *testing.T) {
	t.Parallel()
	lines := LinesOf("200", nil, &journal.Body{Text: new(`{"b":{"c":1,"d":"cut o`)})
	if want := []string{"200", "", "{", `  "b": {`, `    "c": 1,`, `    "d": "cut o`}; !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
}

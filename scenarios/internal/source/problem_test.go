package source_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

func TestProblemString(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghij", 30)
	at := func(line, column int, what, text string) source.Problem {
		return source.Problem{At: source.Position{File: "f", Line: line, Column: column}, What: what, Line: text}
	}
	warning := at(1, 1, "hm", "a")
	warning.Warning = true
	as, cs, spaces := strings.Repeat("a", 50)+"b", strings.Repeat("c", 60), strings.Repeat(" ", 60)
	for name, tt := range map[string]struct {
		problem source.Problem
		want    string
	}{
		"a plain line":                                   {at(12, 3, "no", "  titel: a"), "f:12:3: no\n  12 |   titel: a\n     |   ^"},
		"a warning":                                      {warning, "f:1:1: warning: hm\n  1 | a\n    | ^"},
		"a tab has the width 1":                          {at(1, 4, "no", "a:\tb"), "f:1:4: no\n  1 | a: b\n    |    ^"},
		"wide characters have the width 2":               {at(1, 5, "no", "漢字: x"), "f:1:5: no\n  1 | 漢字: x\n    |       ^"},
		"combining characters have no width":             {at(1, 5, "no", "e\u0301: x"), "f:1:5: no\n  1 | e\u0301: x\n    |    ^"},
		"a column after the line is its end":             {at(1, 99, "no", "a:"), "f:1:99: no\n  1 | a:\n    |   ^"},
		"no column is the first one":                     {at(1, 0, "no", "a:"), "f:1:0: no\n  1 | a:\n    | ^"},
		"control characters are replaced":                {at(1, 4, "a\nb\x07", "\x1b[\u202e2J\xff"), "f:1:4: a b\ufffd\n  1 | \ufffd[\ufffd2J\ufffd\n    |    ^"},
		"control characters of a file name are replaced": {source.Problem{At: source.Position{File: "\x1bf"}, What: "no"}, "\ufffdf: no"},
		"a cut row of digits is masked":                  {at(1, 71, "no", "11111111111123456789"+as+cs), "f:1:71: no\n  1 | …*****6789" + as + cs[:38] + "…\n    | " + spaces + "^"},
		"a file as a whole has no line":                  {source.Problem{At: source.Position{File: "mine"}, What: "cannot be read"}, "mine: cannot be read"},
		"a long line is cut at the end":                  {at(1, 2, "no", long), "f:1:2: no\n  1 | " + long[:99] + "…\n    |  ^"},
		"a long line is cut on both sides":               {at(1, 151, "no", long), "f:1:151: no\n  1 | …" + long[91:189] + "…\n    | " + spaces + "^"},
		"a long line is cut at the start":                {at(1, 300, "no", long), "f:1:300: no\n  1 | …" + long[201:] + "\n    | " + strings.Repeat(" ", 99) + "^"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.problem.String(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func FuzzProblem(f *testing.F) {
	f.Add("漢字:\tx\x1b", 3)
	f.Fuzz(func(t *testing.T, line string, column int) {
		text := source.Problem{At: source.Position{File: "f", Line: 1, Column: column}, What: line, Line: line}.String()
		if lines := strings.Split(text, "\n"); len(lines) > 3 || strings.ContainsFunc(strings.Join(lines, ""), unicode.IsControl) {
			t.Errorf("%q", text)
		}
	})
}

package scenarios_test

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestProblemString(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghij", 30)
	at := func(line, column int, what, text string) scenarios.Problem {
		return scenarios.Problem{At: scenarios.Position{File: "f", Line: line, Column: column}, What: what, Line: text}
	}
	warning := at(1, 1, "hm", "a")
	warning.Warning = true
	as, cs, spaces := strings.Repeat("a", 50)+"b", strings.Repeat("c", 60), strings.Repeat(" ", 60)
	for name, tt := range map[string]struct {
		problem scenarios.Problem
		want    string
	}{
		"a plain line":                                      {at(12, 3, "no", "  titel: a"), "f:12:3: no\n  12 |   titel: a\n     |   ^"},
		"a warning says that it is one":                     {warning, "f:1:1: warning: hm\n  1 | a\n    | ^"},
		"a tab takes one place":                             {at(1, 4, "no", "a:\tb"), "f:1:4: no\n  1 | a: b\n    |    ^"},
		"wide characters take two places":                   {at(1, 5, "no", "漢字: x"), "f:1:5: no\n  1 | 漢字: x\n    |       ^"},
		"combining characters take none":                    {at(1, 5, "no", "e\u0301: x"), "f:1:5: no\n  1 | e\u0301: x\n    |    ^"},
		"a column behind the line is its end":               {at(1, 99, "no", "a:"), "f:1:99: no\n  1 | a:\n    |   ^"},
		"no column is the first":                            {at(1, 0, "no", "a:"), "f:1:0: no\n  1 | a:\n    | ^"},
		"nothing moves the cursor":                          {at(1, 4, "a\nb\x07", "\x1b[\u202e2J\xff"), "f:1:4: a b\ufffd\n  1 | \ufffd[\ufffd2J\ufffd\n    |    ^"},
		"a file's name neither":                             {scenarios.Problem{At: scenarios.Position{File: "\x1bf"}, What: "no"}, "\ufffdf: no"},
		"what a cut leaves of a row of digits is no number": {at(1, 71, "no", "11111111111123456789"+as+cs), "f:1:71: no\n  1 | …*****6789" + as + cs[:38] + "…\n    | " + spaces + "^"},
		"a file as a whole has no line":                     {scenarios.Problem{At: scenarios.Position{File: "mine"}, What: "cannot be read"}, "mine: cannot be read"},
		"a long line is cut behind":                         {at(1, 2, "no", long), "f:1:2: no\n  1 | " + long[:99] + "…\n    |  ^"},
		"a long line is cut on both sides":                  {at(1, 151, "no", long), "f:1:151: no\n  1 | …" + long[91:189] + "…\n    | " + spaces + "^"},
		"a long line is cut before":                         {at(1, 300, "no", long), "f:1:300: no\n  1 | …" + long[201:] + "\n    | " + strings.Repeat(" ", 99) + "^"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.problem.String(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestProblemsOrder(t *testing.T) {
	t.Parallel()
	_, problems := scenarios.Parse("f.yaml", []byte("name: a\r\ncolour: red\r\nrules: [{on: gte}]\r\n---\r\ntitel: b\r\n"))
	if len(problems) < 4 {
		t.Errorf("only %d problems", len(problems))
	}
	for i, p := range problems {
		if i > 0 && problems[i-1].At.Line > p.At.Line {
			t.Errorf("%v stands behind %v", p.At, problems[i-1].At)
		}
		if p.Line == "" || strings.ContainsFunc(p.Line, unicode.IsControl) {
			t.Errorf("%v has the line %q", p.At, p.Line)
		}
	}
	if want := "f.yaml:2:1: unknown key \"colour\""; !strings.Contains(problems.Error(), want) || !strings.Contains(problems.Error(), "  2 | colour: red\n    | ^") {
		t.Errorf("%v\nwant %s", problems, want)
	}
}

// Contract 3: raw keys are never logged.
func TestProblemMasksKey(t *testing.T) {
	t.Parallel()
	_, problems := scenarios.Parse("f.yaml", []byte("name: svc_sk_test_abc # svc_sk_123\n"))
	if len(problems) == 0 || problems[0].Line != "name: svc_sk_******** # svc_sk_***" || strings.Contains(problems.Error(), "abc") || strings.Contains(problems.Error(), "123") {
		t.Errorf("%v", problems)
	}
}

// What is no YAML is repeated by who reads it, and may have been meant for something else.
func TestProblemMasksYAML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{">>>>>{123-45-6789 svc_sk_test_abc", "a: |123456789 svc_sk_test_abc", "{a: 123456789, svc_sk_test_abc", "a: \"123-45-6789 svc_sk_test_abc"} {
		_, problems := scenarios.Parse("f.yaml", []byte(text+"\n"))
		if said := problems.Error(); len(problems) == 0 || strings.Contains(said, "123") || strings.Contains(said, "test_abc") {
			t.Errorf("%q: %s", text, said)
		}
	}
}

func FuzzProblem(f *testing.F) {
	f.Add("漢字:\tx\x1b", 3)
	f.Fuzz(func(t *testing.T, line string, column int) {
		text := scenarios.Problem{At: scenarios.Position{File: "f", Line: 1, Column: column}, What: line, Line: line}.String()
		if lines := strings.Split(text, "\n"); len(lines) > 3 || strings.ContainsFunc(strings.Join(lines, ""), unicode.IsControl) {
			t.Errorf("%q", text)
		}
	})
}

// The page ends with a file that is wrong and with what is said of it.
func TestREADMEProblems(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "\n```")
	file, said := blocks[len(blocks)-4], blocks[len(blocks)-2]
	_, problems := scenarios.Parse("orders.yaml", []byte(strings.TrimPrefix(file, "\n")))
	if got := problems.Error(); got != strings.TrimPrefix(said, "\n") {
		t.Errorf("said is\n%s\nREADME has%s", got, said)
	}
}

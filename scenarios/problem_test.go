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
		"a plain line":                                   {at(12, 3, "no", "  titel: a"), "f:12:3: no\n  12 |   titel: a\n     |   ^"},
		"a warning":                                      {warning, "f:1:1: warning: hm\n  1 | a\n    | ^"},
		"a tab has the width 1":                          {at(1, 4, "no", "a:\tb"), "f:1:4: no\n  1 | a: b\n    |    ^"},
		"wide characters have the width 2":               {at(1, 5, "no", "漢字: x"), "f:1:5: no\n  1 | 漢字: x\n    |       ^"},
		"combining characters have no width":             {at(1, 5, "no", "e\u0301: x"), "f:1:5: no\n  1 | e\u0301: x\n    |    ^"},
		"a column after the line is its end":             {at(1, 99, "no", "a:"), "f:1:99: no\n  1 | a:\n    |   ^"},
		"no column is the first one":                     {at(1, 0, "no", "a:"), "f:1:0: no\n  1 | a:\n    | ^"},
		"control characters are replaced":                {at(1, 4, "a\nb\x07", "\x1b[\u202e2J\xff"), "f:1:4: a b\ufffd\n  1 | \ufffd[\ufffd2J\ufffd\n    |    ^"},
		"control characters of a file name are replaced": {scenarios.Problem{At: scenarios.Position{File: "\x1bf"}, What: "no"}, "\ufffdf: no"},
		"a cut row of digits is masked":                  {at(1, 71, "no", "11111111111123456789"+as+cs), "f:1:71: no\n  1 | …*****6789" + as + cs[:38] + "…\n    | " + spaces + "^"},
		"a file as a whole has no line":                  {scenarios.Problem{At: scenarios.Position{File: "mine"}, What: "cannot be read"}, "mine: cannot be read"},
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

func TestProblemsOrder(t *testing.T) {
	t.Parallel()
	_, problems := scenarios.Parse("f.yaml", []byte("name: a\r\ncolour: red\r\nrules: [{on: gte}]\r\n---\r\ntitel: b\r\nmagic: {}\r\n"))
	if len(problems) < 4 {
		t.Errorf("only %d problems", len(problems))
	}
	for i, p := range problems {
		if i > 0 && problems[i-1].At.Line > p.At.Line {
			t.Errorf("%v comes after %v", p.At, problems[i-1].At)
		}
		if p.Line == "" || strings.ContainsFunc(p.Line, unicode.IsControl) {
			t.Errorf("%v has the line %q", p.At, p.Line)
		}
	}
	if want := "f.yaml:2:1: unknown key \"colour\""; !strings.Contains(problems.Error(), want) || !strings.Contains(problems.Error(), "  2 | colour: red\n    | ^") {
		t.Errorf("%v\nwant %s", problems, want)
	}
}

// API keys and social security numbers are masked, wherever a message repeats them.
func TestProblemMasksForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"magic: svc_sk_test_abc", "magic: vr_123456789", "magic: {verification_request: tp_123456789}",
		"magic: {svc_sk_test_abc: a}", "verification_request: {metadata: {123-45-6789: [a]}}",
	} {
		_, problems := scenarios.Parse("f.yaml", []byte("name: a\ntitle: a\n"+text+"\n"))
		if message := problems.Error(); len(problems) == 0 || strings.Contains(message, "123") || strings.Contains(message, "test_abc") {
			t.Errorf("%q: %s", text, message)
		}
	}
}

// A file without a key of scenarios may be any file: no problem repeats its lines or values.
func TestProblemOfAnotherFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a list of users":   "root:x:0:0:hunter2:/root:/bin/bash\n",
		"secrets":           "name: hunter2 hunter2\npassword: hunter2\n",
		"a key twice":       "password: hunter2\npassword: hunter2\n",
		"several documents": "name: a\ndata: {token: hunter2}\n---\n- hunter2\n",
		"a private key":     "-----BEGIN PRIVATE KEY-----\nhunter2: [\n",
		"JSON":              `{"name": "hunter2 hunter2", "private": "hunter2"}`,
		"an open quote":     "name: \"hunter2\n",
		"other roles":       "- roles:\n    - &hunter2 a\n",
		"notes":             "title: My notes\npassword: hunter2\n",
		"a pipeline":        "rules: [hunter2]\nreports: {a: hunter2}\nmatrix: [hunter2]\n",
		"no UTF-8":          "hunter2 \xff\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := scenarios.Parse("f.yaml", []byte(text))
			if message := problems.Error(); problems.Errors() == 0 || strings.Contains(message, "hunter2") || strings.Contains(message, " | ") {
				t.Error(message)
			}
		})
	}
}

// API keys are masked.
func TestProblemMasksKey(t *testing.T) {
	t.Parallel()
	_, problems := scenarios.Parse("f.yaml", []byte("name: svc_sk_test_abc # svc_sk_123\nmagic: {}\n"))
	if len(problems) == 0 || problems[0].Line != "name: svc_sk_******** # svc_sk_***" || strings.Contains(problems.Error(), "abc") || strings.Contains(problems.Error(), "123") {
		t.Errorf("%v", problems)
	}
}

// Messages of the YAML parser repeat the text, which may have secrets.
func TestProblemMasksYAML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{">>>>>{123-45-6789 svc_sk_test_abc", "a: |123456789 svc_sk_test_abc", "{a: 123456789, svc_sk_test_abc", "a: \"123-45-6789 svc_sk_test_abc"} {
		_, problems := scenarios.Parse("f.yaml", []byte(text+"\n"))
		if message := problems.Error(); len(problems) == 0 || strings.Contains(message, "123") || strings.Contains(message, "test_abc") {
			t.Errorf("%q: %s", text, message)
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

// The last two blocks of the page are an invalid file and its problems.
func TestREADMEProblems(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "\n```")
	file, shown := blocks[len(blocks)-4], blocks[len(blocks)-2]
	_, problems := scenarios.Parse("orders.yaml", []byte(strings.TrimPrefix(file, "\n")))
	if got := problems.Error(); got != strings.TrimPrefix(shown, "\n") {
		t.Errorf("the problems are\n%s\nREADME has%s", got, shown)
	}
}

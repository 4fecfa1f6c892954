package scenarios_test

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/understudy-sandbox/understudy/scenarios"
)

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

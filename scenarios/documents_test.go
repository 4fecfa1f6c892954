package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// A wrong indent is reported on its own line.
func TestParseIndent(t *testing.T) {
	t.Parallel()
	const begin = "name: a\ntitle: t\n"
	for text, at := range map[string]string{
		begin + "magic:\n  verification_request: vr_a\n   ssn: 000-00-7007\n":                        "5:4",
		begin + " magic: {verification_request: vr_a}\n":                                             "3:2",
		begin + "verification_request:\n  type: employment\n    use_case: mortgage\n":                "5:5",
		begin + "verification_request:\n    type: employment\n  use_case: mortgage\n":                "5:3",
		begin + "rules:\n  - {on: get, calls: 1}\n - {on: get}\n":                                    "5:2",
		"# first\n---\n" + begin + "reports:\n  - pay:\n      base: 52000\n     frequency: weekly\n": "8:6",
	} {
		_, problems := scenarios.Parse("f.yaml", []byte(text))
		if want := "f.yaml:" + at + ": not valid YAML: a wrong indent: indent all keys"; len(problems) != 1 || !strings.HasPrefix(problems.Error(), want) {
			t.Errorf("%v\nwant %s", problems, want)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	a, b := property("a"), property("b")
	for name, text := range map[string]string{
		"one after another":            a + "---\n" + b,
		"a comment between":            a + "---\n# comment\n---\n" + b,
		"nothing between":              a + "---\n---\n---\n" + b,
		"nothing first":                "---\n---\n" + a + "---\n" + b,
		"an end":                       a + "...\n" + b,
		"directives":                   "%YAML 1.2\n%TAG ! tag:example.com,2025:\n---\n" + a + "...\n# more\n%YAML 1.2\n---\n" + b,
		"comments behind separators":   "--- # the first\n" + a + "--- # the second\n" + b + "--- # no third\n",
		"on the line of the separator": "--- {name: a, title: A, magic: {tenant_property: a}}\n---\n" + b,
		"a byte-order mark":            "\ufeff" + a + "---\n" + b,
		"lines of Windows":             strings.ReplaceAll(a+"---\n# c\n---\n"+b, "\n", "\r\n"),
		"lines of old Macs":            strings.ReplaceAll(a+"---\n# c\n---\n"+b, "\n", "\r"),
		"dashes that are no separator": a + "---\n" + strings.Replace(b, "A property", "|-\n  ---x\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, problems := scenarios.Parse("f.yaml", []byte(text))
			if diff := cmp.Diff([]string{"a", "b"}, names(found)); diff != "" || len(problems) > 0 {
				t.Errorf("%s%v", diff, problems)
			}
		})
	}
}

func TestDocumentsProblem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"a key after an empty document":    {"---\n# none\n---\n" + property("a") + "colour: red\n", "f.yaml:7:1: unknown key \"colour\""},
		"after one that is not YAML":       {"name: {\n---\n" + property("a") + "colour: red\n", "f.yaml:6:1: unknown key \"colour\""},
		"before one that is not YAML":      {property("a") + "colour: red\n---\nname: {\n", "f.yaml:4:1: unknown key \"colour\""},
		"not YAML, with its own line":      {property("a") + "---\n\nname: {\n", "f.yaml:6:7: not valid YAML"},
		"on the line of a byte-order mark": {"\ufefftitel: a\nmagic: {}\n", "f.yaml:1:1: unknown key \"titel\": did you mean title?\n  1 | titel: a\n    | ^"},
		"bytes that are not UTF-8":         {"name: a\ntitle: \"ä\xff\"\n", "f.yaml:2:10: not UTF-8"},
		"a tab":                            {"name: a\nmagic:\n\ttenant_property: a\n", "f.yaml:3:1: a tab in the indent: indent with spaces"},
		"a tab behind spaces":              {"name: a\nrules:\n  - on: get\n  \tdelay: 1s\n", "f.yaml:4:3: a tab in the indent: indent with spaces"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, problems := scenarios.Parse("f.yaml", []byte(tt.text)); !strings.Contains(problems.Error(), tt.want) {
				t.Errorf("%v\nwant\n%s", problems, tt.want)
			}
		})
	}
}

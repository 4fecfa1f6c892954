package words

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func TestIndented(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `{"a":1,"b":[true,null,{"c":"<&\u00e9"}],"d":{},"e":[]}`, ` {"a":1}`, `"a"`, `7`, `{ "a" : [ ] , "b": [ 1.50 , "x \" , {" ] }`,
	} {
		want := text
		if value := jsontext.Value(text); text[0] == '{' || text[0] == '[' {
			if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
				t.Fatal(err)
			}
			want = string(value)
		}
		if got := Indented(text); got != want {
			t.Errorf("%s becomes\n%s\nwant\n%s", text, got, want)
		}
	}
	if got := Indented(`{"a":{"b":[1,"cut o`); got != "{\n  \"a\": {\n    \"b\": [\n      1,\n      \"cut o" {
		t.Errorf("the beginning of JSON becomes\n%s", got)
	}
	if deep := strings.Repeat("[", 8000); len(Indented(deep)) > 30*len(deep) {
		t.Error("deep JSON grows without a bound")
	}
}

// What is shown is the text, whatever it is.
func TestHighlighted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("{}[],:\"'\\#- \n\ra1.étrue"))).Draw(t, "text")
		var whole strings.Builder
		for _, token := range Highlighted(text) {
			whole.WriteString(token.Text)
		}
		if whole.String() != text {
			t.Fatalf("%q becomes %q", text, whole.String())
		}
		blank := strings.NewReplacer(" ", "", "\n", "", "\r", "")
		if blank.Replace(Indented(text)) != blank.Replace(text) {
			t.Fatalf("%q becomes %q", text, Indented(text))
		}
	})
	for text, want := range map[string]string{
		`"a": "b: c",`:                     "key text",
		"name: error-451 # the employee's": "key text comment",
		"{on: get, calls: 2-3}":            "key text key number number",
		"a: [null, -1.5, 'x']":             "key word number text",
		"at: http://host/a":                "key text text",
	} {
		var classes []string
		for _, token := range Highlighted(text) {
			if token.Class != "" {
				classes = append(classes, token.Class)
			}
		}
		if got := strings.Join(classes, " "); got != want {
			t.Errorf("%s has %s, want %s", text, got, want)
		}
	}
}

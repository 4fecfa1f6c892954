package recorded

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

var element = regexp.MustCompile(`<[^>]*>`)

// The text of a shown body is the body, indented: it is what a copy button copies.
func TestBodyText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1000)
	for _, text := range []string{
		`{}`, `[]`, `"a"`, `7`, `{"a":1,"b":[true,null,{"c":"<&\u00e9"}],"d":{},"e":[]}`, `{"a":{"b":{"c":{"d":[[[]]]}}}}`,
		`{"a":"` + long + `"}`, strings.Repeat("[", 100) + strings.Repeat("]", 100), `[` + strings.Repeat(`{"a":1},`, 500) + `{}]`,
	} {
		shown := string(bodyHTML(&journal.Body{JSON: jsontext.Value(text)}, ""))
		if got := html.UnescapeString(element.ReplaceAllString(shown, "")); len(text) < 100 && got != words.Indented([]byte(text))+"\n" || strings.Join(strings.Fields(got), "") != text {
			t.Errorf("%.80s becomes\n%.400s", text, got)
		}
	}
	for _, text := range []string{`a <b> &`, `{"a": tru`, `{"a": {"b": [1, 2, {"c": "` + long, `{"a":1} x`, `{"a":1,"a":2}`, strings.Repeat("\x80", 1000)} {
		shown := string(bodyHTML(&journal.Body{Text: &text, Truncated: true}, ""))
		if got := strings.Join(strings.Fields(html.UnescapeString(element.ReplaceAllString(shown, ""))), ""); got != strings.Join(strings.Fields(text), "") {
			t.Errorf("%.80s becomes\n%.400s", text, got)
		}
	}
}

// Long values are folded; what has the refused field is not.
func TestBodyFolds(t *testing.T) {
	t.Parallel()
	member := func(n int) string { return `{"n":` + fmt.Sprint(n) + `,"s":"` + strings.Repeat("x", 10) + `"}` }
	var all []string
	for n := range 60 {
		all = append(all, member(n))
	}
	text := `{"short":[1,2],"long":[` + strings.Join(all, ",") + `],"text":"` + strings.Repeat("y", 2000) + `"}`
	body := &journal.Body{JSON: jsontext.Value(text)}
	shown := string(bodyHTML(body, ""))
	if n := strings.Count(shown, "<details>"); n != 1 {
		t.Errorf("%d objects and arrays are folded, want the long one:\n%s", n, shown)
	}
	if !strings.Contains(shown, `<details class="long">`) {
		t.Error("a long text is one line")
	}
	target := string(bodyHTML(body, "text"))
	if !strings.Contains(target, "<mark>&#34;yyy") || strings.Count(target, "<mark>") != 2 {
		t.Errorf("the refused field is not target:\n%s", target)
	}
	if absent := string(bodyHTML(&journal.Body{JSON: jsontext.Value(`{"target":{"a":1},"b":2}`)}, "target.name")); !strings.Contains(absent, `<mark>  <span class="key">&#34;target&#34;</span>: {</mark>`) {
		t.Errorf("what lacks the field is not target:\n%s", absent)
	}
	if n := strings.Count(string(bodyHTML(body, "")), "<mark>"); n != 0 {
		t.Errorf("%d fields are target", n)
	}
}

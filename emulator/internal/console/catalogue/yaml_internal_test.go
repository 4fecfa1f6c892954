package catalogue

import (
	"strings"
	"testing"
)

func TestHighlightYAML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "# only a comment\n", "a: 1\nb: [x, 'y', \"z\", null, true, 1.5]\n", "text: |\n  two\n  lines\nmore: >-\n  folded\n",
		"- &anchor {a: b}\n- *anchor\n- !tag x\n", "key: \"ünïcödé\"\n", "a:\n\n\n  b: c   # after\n", "{", "a: 'b", "\t\x00", "a: b\r\nc: d\r\n",
	} {
		var whole strings.Builder
		for _, s := range highlightYAML(text) {
			whole.WriteString(s.Text)
		}
		if got := whole.String(); strings.TrimRight(got, "\n") != strings.TrimRight(text, "\n") {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

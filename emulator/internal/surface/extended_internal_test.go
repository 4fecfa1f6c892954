package surface

import (
	"net/url"
	"testing"
)

// The pages around a page begin within the list, and the last full page has no next one.
func TestPageOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		offset, count  int
		next, previous string // offsets, "" for none
	}{
		{0, 2, "", ""}, {0, 3, "2", ""}, {1, 5, "3", "0"}, {2, 4, "", "0"}, {3, 5, "", "1"}, {5, 5, "", "3"}, {9, 5, "", "3"}, {9, 1, "", "0"}, {0, 0, "", ""},
	} {
		p := pageOf[int](pageQuery{limit: 2, offset: tt.offset, values: url.Values{"state": {"completed"}}}, tt.count, nil)
		for want, link := range map[*string]*string{&tt.next: p.Next, &tt.previous: p.Previous} {
			got := ""
			if link != nil {
				parsed, err := url.Parse(*link)
				if err != nil || parsed.Query().Get("limit") != "2" || parsed.Query().Get("state") != "completed" {
					t.Errorf("%s: %v", *link, err)
				}
				got = parsed.Query().Get("offset")
			}
			if got != *want {
				t.Errorf("the page from %d of %d: next %v and previous %v, want %q and %q", tt.offset, tt.count, p.Next, p.Previous, tt.next, tt.previous)
			}
		}
	}
}

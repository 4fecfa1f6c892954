package surface_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// The pages around a page begin within the list, and the last full page has no next one.
func TestListPages(t *testing.T) {
	t.Parallel()
	at := lab.Serve(t, emulator.WithExtended())
	lists := make([]*apitest.Client, 6) // by the number of requests
	for count := range lists {
		lists[count] = apitest.New(t, at, lab.WorldKey(fmt.Sprint("pages", count)))
		for range count {
			lab.PlayScript(t, lists[count], `POST verification-requests {"state":"completed"} → 201`)
		}
	}
	for _, tt := range []struct {
		offset, count  int
		next, previous string // offsets, "" for none
	}{
		{0, 2, "", ""}, {0, 3, "2", ""}, {1, 5, "3", "0"}, {2, 4, "", "0"}, {3, 5, "", "1"}, {5, 5, "", "3"}, {9, 5, "", "3"}, {9, 1, "", "0"}, {0, 0, "", ""},
	} {
		var list listOf[api.VerificationRequest]
		lists[tt.count].Get(fmt.Sprintf("/verification-requests?limit=2&state=completed&offset=%d", tt.offset)).JSON(&list)
		for want, link := range map[*string]*string{&tt.next: list.Next, &tt.previous: list.Previous} {
			got := ""
			if link != nil {
				parsed, err := url.Parse(*link)
				if err != nil || parsed.Query().Get("limit") != "2" || parsed.Query().Get("state") != "completed" {
					t.Errorf("%s: %v", *link, err)
				}
				got = parsed.Query().Get("offset")
			}
			if got != *want {
				t.Errorf("the page from %d of %d: next %v and previous %v, want %q and %q", tt.offset, tt.count, list.Next, list.Previous, tt.next, tt.previous)
			}
		}
	}
}

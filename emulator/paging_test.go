package emulator_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// README, the control plane: lists come in pages.
func TestScenariosAndFaultsComeInPages(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	for range 5 {
		putFault(t, c, `{"rule":{"on":"update","respond":{"status":500}}}`)
	}
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	pages := func(path, limit, key string) (all []string) {
		t.Helper()
		for after := ""; ; {
			r := c.Get(control + path + "?limit=" + limit + after)
			wantStatus(t, r, 200, "")
			var page struct {
				Items []map[string]any
				Next  *string
			}
			noError(t, json.Unmarshal(r.Body, &page))
			for _, item := range page.Items {
				all = append(all, item[key].(string))
			}
			if page.Next == nil {
				return all
			}
			if all[len(all)-1] != *page.Next {
				t.Errorf("next is %s behind %s", *page.Next, all[len(all)-1])
			}
			after = "&after=" + *page.Next
		}
	}
	if diff := cmp.Diff([]string{"fault-1", "fault-2", "fault-3", "fault-4", "fault-5"}, pages("faults", "2", "id")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(pages("scenarios", "1000", "name"), pages("scenarios", "9", "name")); diff != "" {
		t.Error(diff)
	}
	wantStatus(t, c.Send("DELETE", control+"faults/fault-2", nil), 204, "")
	r := c.Get(control + "faults?limit=1&after=fault-2")
	var page struct{ Items []struct{ ID string } }
	noError(t, json.Unmarshal(r.Body, &page))
	if len(page.Items) != 1 || page.Items[0].ID != "fault-3" {
		t.Errorf("behind one that is gone: %s", r.Body)
	}
	wantStatus(t, c.Get(control+"faults?after=x"), 400, `after is the next of the page before, an id, which "x" cannot be`)
	wantStatus(t, c.Get(control+"scenarios?limit=0"), 400, "limit must be a number from 1 to 1000")
}

package inventory_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// A document is cached for what was asked of it, in whichever order.
func TestCachedDocument(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	for _, id := range []string{"vr_completed", "vr_lifecycle", "vr_made"} {
		plain, analyzed := "/verification-requests/"+id, "/verification-requests/"+id+"?income_analytics=true"
		for name, order := range map[string][]string{"plain first": {plain, analyzed, plain, analyzed}, "analyzed first": {analyzed, plain, analyzed, plain}} {
			c := apitest.New(t, url, lab.WorldKey(id+name))
			lab.WantStatus(t, c.Post(lab.Control+"verification-requests", `{"id":"vr_made"}`), 201, "")
			for range 3 {
				c.Get(plain + "?fields=id") // to the end of its timeline
			}
			for i, path := range order {
				has := strings.Contains(string(c.Get(path).Body), `"annualized_income":`)
				if want := path == analyzed; has != want {
					t.Errorf("%s: answer %d to %s has analytics: %t", name, i+1, path, has)
				}
			}
		}
	}
}

// A document is cached for whether its ids are greased, and for the day of its analytics.
func TestCachedDocumentChanges(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Ungreased()
	id := func() string { return lab.Read(t, c, "vr_completed").Reports[0].ID }
	for range 2 {
		lab.WantStatus(t, c.Put(lab.Control+"settings", `{"grease":"on"}`), 200, "")
		greased := id()
		lab.WantStatus(t, c.Put(lab.Control+"settings", `{"grease":"off"}`), 200, "")
		if plain := id(); plain == greased {
			t.Errorf("greased and not, a report has the id %s", plain)
		}
	}
	stale := func() bool {
		return lab.Read(t, c, "vr_completed?income_analytics=true").Reports[0].IncomeAnalytics.AnnualizedIncome.StaleDataWarning
	}
	before := stale()
	lab.WantStatus(t, c.Post(lab.Control+"clock/advance", `{"by":"1464h"}`), 200, "")
	if before || !stale() {
		t.Error("after 61 days the analytics are those of the first day")
	}
}

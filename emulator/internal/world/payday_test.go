package world_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// Whoever verifies a person again after an advance to the next payday sees a paystub of that day, and none of a day since the
// first verification that is earlier.
func TestNextPayday(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.Mix(t))
	verify := func(n int) (id string, r []api.Report) {
		id = lab.RequestOf(t, c, lab.Create(t, c, lab.Session(fmt.Sprintf("000-79-%04d", n))))
		return id, lab.Read(t, c, id).Reports
	}
	paid := 0
	for n := range 40 {
		id, was := verify(n)
		a := c.Post(lab.Control+"clock/advance", fmt.Sprintf(`{"to":"next-payday","of":%q}`, id))
		if a.Status == 409 {
			continue
		}
		lab.WantStatus(t, a, 200, `T00:00:00Z"`)
		var days []api.Date
		_, is := verify(n)
		for _, r := range is {
			for _, p := range r.Paystubs {
				if *p.PayDate > was[0].CurrentAsOf {
					days = append(days, *p.PayDate)
				}
			}
		}
		if paid++; !slices.Contains(days, is[0].CurrentAsOf) || slices.Min(days) != is[0].CurrentAsOf {
			t.Errorf("person %d is seen on %s and, on the payday, on %s: paid on %v", n, was[0].CurrentAsOf, is[0].CurrentAsOf, days)
		}
	}
	if paid < 20 {
		t.Errorf("%d of 40 people have a next payday", paid)
	}
}

func TestNextPaydayRefusals(t *testing.T) {
	t.Parallel()
	for id, why := range map[string]string{
		"vr_employment":             "a request of the type employment has no pay",
		"vr_assets":                 "a request of the type assets has no pay",
		"vr_status_non_employee":    "the person has no employment",
		"vr_status_future_employee": "the employment begins on ",
		"vr_status_retired":         "the employment ended on ",
		"vr_status_on_sabbatical":   "the leave since ",
	} {
		lab.PlayScript(t, lab.Start(t), fmt.Sprintf(`POST clock/advance {"to":"next-payday","of":%q} → 409 …%s has no next payday: %s`, id, id, why))
	}
	lab.PlayScript(t, lab.Start(t), `
		POST clock/advance {"to":"next-payday","of":"vr_pending_approval"} → 200
		POST clock/advance {"to":"next-payday","of":"vr_frequency_annually"} → 200`)
}

package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// With the mix the people whose numbers no scenario names differ, but for the calendar of one employer. A later session about the same
// person has the same hire.
func TestMix(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.Mix(t))
	frequencies := map[api.PayFrequency]int{}
	reportOf := func(session string) api.Report {
		return lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, session))).Reports[0]
	}
	atMill := func(n int) string { return lab.Session(fmt.Sprintf("000-78-%04d", n)) }
	first := func(n int) api.Report {
		return reportOf(strings.Replace(atMill(n), `,"company":{"name":"Example Mill"}`, "", 1))
	}
	var was api.Report
	for n := range 40 {
		was = first(n)
		frequencies[*was.Employee.Salary.PayFrequency]++
	}
	if len(frequencies) < 4 {
		t.Errorf("frequencies %v", frequencies)
	}
	calendars := map[api.PayFrequency]bool{}
	for n := range 20 {
		if of := reportOf(atMill(n)).Employee.Salary.PayFrequency; *of != api.PayHourly {
			calendars[*of] = true
		}
	}
	if len(calendars) != 1 {
		t.Errorf("the calendars of one employer: %v", calendars)
	}
	lab.WantStatus(t, c.Post(lab.Control+"clock/advance", `{"by":"720h"}`), 200, "")
	if is := first(39); *is.Employee.HiredDate != *was.Employee.HiredDate || is.CurrentAsOf != was.CurrentAsOf+30 {
		t.Errorf("hired %s, later %s", was.Employee.HiredDate, is.Employee.HiredDate)
	}
	if r := reportOf(lab.Session("000-00-0000")); *r.Employee.Salary.PayFrequency != api.PayBiweekly {
		t.Errorf("a test person is paid %s", *r.Employee.Salary.PayFrequency)
	}
}

package inventory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// Lenders verify a person again before they close: another session for the same number 30, 60 and 90 days later.
func TestReverification(t *testing.T) {
	t.Parallel()
	for ssn, after := range map[string]api.StatusDetail{ // after the event of day 45
		"000-12-3456": api.DetailFullTime,
		"000-00-2001": api.DetailSeparated,
		"000-00-2002": api.DetailSeparated,
		"000-00-2003": api.DetailOnLeave,
	} {
		t.Run(ssn, func(t *testing.T) {
			t.Parallel()
			c := lab.Start(t)
			body := strings.Replace(lab.Session(ssn), `,"company":{"name":"Example Mill"}`, "", 1) // of all employers
			first := lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, body)))
			before := first
			for days := 30; days <= 90; days += 30 {
				lab.PlayScript(t, c, `POST clock/advance {"by":"720h"} → 200`)
				v := lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, body)))
				compareLives(t, before, v)
				e, want := v.Reports[0].Employee, after
				if days < 45 {
					want = api.DetailFullTime
				}
				if e.StatusDetail != want {
					t.Errorf("%s after %d days: %s", ssn, days, e.StatusDetail)
				}
				before = v
			}
			if compareLives(t, first, before); len(before.Reports) != 1+strings.Count(ssn, "000-00-2002") {
				t.Errorf("%d reports", len(before.Reports))
			}
			if of := lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, lab.Session(ssn)))); len(of.Reports) != 1 {
				t.Errorf("%d reports of one employer", len(of.Reports))
			}
		})
	}
}

// compareLives checks that a later request shows the same person with the same past.
func compareLives(t *testing.T, was, is api.VerificationRequest) {
	t.Helper()
	a, b := was.Reports[0], is.Reports[0]
	if diff := cmp.Diff(was.Target, is.Target) + cmp.Diff(a.Employer, b.Employer) + cmp.Diff(a.Employee.HiredDate, b.Employee.HiredDate); diff != "" {
		t.Error(diff)
	}
	added := 0
	for _, p := range b.Paystubs {
		switch n := slices.IndexFunc(a.Paystubs, func(q api.Paystub) bool { return q.ID == p.ID }); {
		case n >= 0:
			if diff := cmp.Diff(a.Paystubs[n], p); diff != "" {
				t.Error(diff)
			}
		case *p.PayDate > a.CurrentAsOf:
			added++
		case len(b.Paystubs) <= len(a.Paystubs):
			t.Errorf("an old paystub appeared: %s", p.PayDate)
		}
	}
	if working := b.Employee.OnLeaveDate == nil && b.Employee.TerminationDate == nil; working && added == 0 {
		t.Error("no paystub was added")
	}
}

// What a caller gives beside a scenario runs through the whole document.
func TestGivenPerson(t *testing.T) {
	t.Parallel()
	c := apitest.New(t, lab.Serve(t), lab.Key)
	lab.PlayScript(t, c, `
		POST verification-requests {"id":"vr_mine","person":{"last_name":"Example","email":"ada@example.com"},"company":{"name":"Example Freight"}} → 201
		GET /verification-requests/vr_mine → 200 target.last_name=Example target.contact_email=ada@example.com reports.0.employee.email=ada@example.com reports.0.employer.name="Example Freight"
		PATCH verification-requests/vr_mine {"set":{"target":{"date_of_birth":"1948-02-29"}}} → 200
		GET /verification-requests/vr_mine → 200 target.date_of_birth=1948-02-29 target.last_name=Example
		POST verification-requests {"id":"vr_young","person":{"date_of_birth":"2006-08-20"},"reports":[{"employee":{"hired":"900 days ago"}},{}]} → 201
		GET verification-requests/vr_young → 200 diagnosis.0=*
		POST qualification-checks {"id":"qc_child","person":{"date_of_birth":"2016-08-20"}} → 201
		GET /qualification-checks/qc_child → 200 result.outcome=not_enough_information`)
}

// A change of a completed request is laid over what it shows, not over what a request of today would show.
func TestChangeAfterEvent(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.ScenarioFile(t, `
name: current
title: Hired by another employer, who alone is shown then
magic: {ssn: 000-00-7040}
verification_request: {employer_filter: current-employer}
reports: [{later: {event: changed_employer, on: in 45 days}}]
`))
	id := lab.RequestOf(t, c, lab.Create(t, c, lab.Session("000-00-7040")))
	lab.PlayScript(t, c, `
		POST clock/advance {"by":"1440h"} → 200
		PATCH verification-requests/`+id+` {"reports":[{"set":{"paystubs":{"20":{"net":null}}}}]} → 200
		GET /verification-requests/`+id+` → 200 reports.0.paystubs.#=26 reports.0.paystubs.20.net=null reports.0.paystubs.20.gross=*`)
}

package surface_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestReadQuery(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_completed?fields=id,state → 200 {"id":"vr_completed","state":"completed"}
		GET /verification-requests/vr_completed?fields=state,id → 200 {"id":"vr_completed","state":"completed"}
		GET /verification-requests/vr_completed?fields=metadata,nick → 200 {"metadata":null} | unknown name "nick"
		GET /verification-requests/vr_completed?fields=nick → 200 {} | unknown name "nick"
		GET /verification-requests/vr_completed?income_analytics=maybe → 400 Invalid field values provided
		GET /verification-requests/vr_processing?income_analytics=true → 200 reports=null
	`)
	whole := string(c.Get("/verification-requests/vr_completed").Body)
	var all map[string]any
	lab.NoError(t, json.Unmarshal([]byte(whole), &all))
	for _, fields := range []string{"", strings.Join(slices.Collect(maps.Keys(all)), ",")} {
		if all := c.Get("/verification-requests/vr_completed?fields=" + fields); string(all.Body) != whole {
			t.Errorf("fields=%s includes %s", fields, all.Body)
		}
	}
	for query, want := range map[string]bool{
		"": false, "?income_analytics=false": false, "?income_analytics=0": false,
		"?income_analytics=true": true, "?income_analytics=True": true, "?income_analytics=1": true,
	} {
		if got := lab.Read(t, c, "vr_completed"+query).Reports[0].IncomeAnalytics != nil; got != want {
			t.Errorf("%q: analytics %t, want %t", query, got, want)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{
		"lifecycle_stays_canceled": `
			GET /verification-requests/vr_lifecycle → 200 state=pending-approval
			PUT /verification-requests/vr_lifecycle/cancel {"cancellation_reason":"other"} → 200 state=canceled
			GET /verification-requests/vr_lifecycle → 200 state=canceled
			GET /verification-requests/vr_lifecycle → 200 state=canceled
			GET /verification-requests/vr_lifecycle → 200 state=canceled`,
		"terminal_lifecycle_is_403": `
			GET /verification-requests/vr_lifecycle → 200 state=pending-approval
			GET /verification-requests/vr_lifecycle → 200 state=processing
			GET /verification-requests/vr_lifecycle → 200 state=completed
			PUT /verification-requests/vr_lifecycle/cancel {"cancellation_reason":"other"} → ` + lab.Terminal,
		"timed_request_that_completed_unread_is_403": `
			GET /verification-requests/vr_lifecycle_timed → 200 state=pending-approval
			advance 48h
			PUT /verification-requests/vr_lifecycle_timed/cancel {"cancellation_reason":"other"} → ` + lab.Terminal + `
			GET /verification-requests/vr_lifecycle_timed → 200 state=completed`,
	}
	lab.PlayScripts(t, scripts)
	t.Run("terminal_request_is_403_and_unchanged", func(t *testing.T) {
		t.Parallel()
		c := lab.Start(t)
		lab.WantStatus(t, c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"immediate"}`), 200, "")
		for _, id := range []string{"vr_completed", "vr_invalid", "vr_canceled", "vr_processing"} {
			before := c.Get("/verification-requests/" + id)
			lab.WantRefused(t, c.Put("/verification-requests/"+id+"/cancel", lab.CancelOther), api.AlreadyTerminal(api.StateCompleted))
			if after := c.Get("/verification-requests/" + id); !bytes.Equal(before.Body, after.Body) {
				t.Errorf("the refused cancel changed\n%s\nto\n%s", before.Body, after.Body)
			}
		}
	})
	t.Run("parallel_cancels_succeed_once", func(t *testing.T) {
		t.Parallel()
		c := lab.Start(t)
		got := lab.InParallel(32, func() int { return c.Put("/verification-requests/vr_processing/cancel", lab.CancelOther).Status })
		if diff := cmp.Diff(map[int]int{200: 1, 403: 31}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A refused read does not count as a read, also when a rule depends on the state.
func TestLifecycleRefusedRead(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{"vr_lifecycle": refusedReads("vr_lifecycle"), "with a rule for a state": refusedReads("vr_strict")}, lab.ScenarioFile(t, `
name: strict
title: Rules that depend on the state
magic: {verification_request: vr_strict}
verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}]}
rules:
  - {on: cancel, state: processing, respond: {status: 500}}
`))
}

func refusedReads(id string) string {
	return strings.ReplaceAll(strings.Repeat(`
		Accept: application/json; version=1999-01-01
		GET /verification-requests/ID → 406 An invalid API version was requested
		GET /verification-requests/ID?income_analytics=maybe → 400 Invalid field values provided
		PUT /verification-requests/ID/cancel {} → 400 Invalid field values provided`, 3)+`
		GET /verification-requests/ID → 200 state=pending-approval
		GET /verification-requests/ID → 200 state=processing`, "ID", id)
}

func TestLifecycleTimed(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	c := lab.Start(t, emulator.WithClock(m.Clock()))
	for _, tt := range []struct {
		after time.Duration
		state api.State
	}{
		{0, "pending-approval"},
		{time.Hour - time.Nanosecond, "pending-approval"},
		{time.Hour, "processing"},
		{24*time.Hour - time.Nanosecond, "processing"},
		{24 * time.Hour, "completed"},
		{10 * 365 * 24 * time.Hour, "completed"},
	} {
		m.Set(lab.Epoch.Add(tt.after))
		for range 3 {
			if v := lab.Read(t, c, "vr_lifecycle_timed"); v.State != tt.state || v.Created.Time != lab.Epoch {
				t.Fatalf("after %v: %s, created %v", tt.after, v.State, v.Created)
			}
		}
	}
	if v := lab.Read(t, c, "vr_lifecycle_timed"); v.DateOfCompletion.Time != lab.Epoch.Add(24*time.Hour) || v.Reports[0].CurrentAsOf != api.DateOf(lab.Epoch.Add(24*time.Hour)) {
		t.Errorf("looked at after 10 years, it completed at %v with a report of %v", v.DateOfCompletion, v.Reports[0].CurrentAsOf)
	}
}

// While a clock runs, a request that does not move changes only in its analytics, which become stale.
func TestReadRunningClock(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	c := lab.Start(t, emulator.WithClock(m.Clock()))
	bodies := func() (all []string) {
		for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_processing", "/qualification-checks/qc_qualified"} {
			all = append(all, string(c.Get(path).Body))
		}
		return all
	}
	stale := func() bool {
		return lab.Read(t, c, "vr_completed?income_analytics=true").Reports[0].IncomeAnalytics.AnnualizedIncome.StaleDataWarning
	}
	before := bodies()
	if stale() {
		t.Error("a new report is stale")
	}
	m.Pass(61 * 24 * time.Hour)
	if !stale() {
		t.Error("a report of 61 days ago is not stale")
	}
	if diff := cmp.Diff(before, bodies()); diff != "" {
		t.Errorf("two months later:\n%s", diff)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	s := lab.Create(t, c, lab.Session("000-12-3456"))
	if s.Token == "" || s.Token == s.ID {
		t.Errorf("session %+v", s)
	}
	lab.PlayScript(t, c, strings.ReplaceAll(`
		GET /verification-requests/ID → 200 state=completed created=2025-01-15T09:30:00.000000Z type=employment-income use_case=mortgage reports.#=1
		GET /verification-requests/ID → 200 target.first_name=Ada target.last_name=Example target.social_security_number=***-**-3456 target.date_of_birth=1990-02-28 target.company.name="Example Mill"
		GET /verification-requests/ID → 200 target.contact_email=null target.phone_number=null target.company.id=null target.company.address=null
		GET /verification-requests/ID → 200 reports.0.employee.first_name=Ada reports.0.employee.last_name=Example reports.0.employee.social_security_number=***-**-3456 reports.0.employer.name="Example Mill"`,
		"ID", lab.RequestOf(t, c, s)))
}

func TestSessionSSNForms(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	one, other := apitest.New(t, url, "svc_sk_test_one"), apitest.New(t, url, "svc_sk_test_other")
	v := lab.Read(t, one, lab.RequestOf(t, one, lab.Create(t, one, lab.Session("000-12-3456"))))
	w := lab.Read(t, other, lab.RequestOf(t, other, lab.Create(t, other, lab.Session("000123456"))))
	if diff := cmp.Diff(v, w); diff != "" {
		t.Errorf("a person is derived from the SSN and is the same in every world:\n%s", diff)
	}
	x := lab.Read(t, one, lab.RequestOf(t, one, lab.Create(t, one, lab.Session("000-12-3457"))))
	if cmp.Equal(v.Reports[0].Paystubs, x.Reports[0].Paystubs) {
		t.Error("two numbers have the same paystubs")
	}
}

func TestSessionBody(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	body := strings.Replace(lab.Session("000-12-3456"), `"type":"employment-income"`, `"type":"tenant-screening","metadata":{"case":"7"}`, 1)
	v := lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, strings.Replace(body, `{"name":"Example Mill"}`, `{"id":"7"}`, 1))))
	if v.Type != "tenant-screening" || v.Metadata["case"] != "7" || v.Reports[0].PaidThroughDate != nil {
		t.Errorf("type %s, metadata %v, paid through %v", v.Type, v.Metadata, v.Reports[0].PaidThroughDate)
	}
	if company := v.Target.Company; company == nil || company.ID == nil || *company.ID != 7 || company.Name == nil || *company.Name != v.Reports[0].Employer.Name {
		t.Errorf("the company %+v, the employer %+v", company, v.Reports[0].Employer)
	}
}

// Spec 4.4: a target's texts may be any.
func TestSessionAddress(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	body := strings.Replace(lab.Session("000-12-3456"), `{"name":"Example Mill"}`, `{"id":"7","state":"ZZ","phone_number":""},"contact_email":"nope","phone_number":"hello"`, 1)
	v := lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, body)))
	if is := v.Target; *is.Company.State != "ZZ" || is.Company.City != nil || is.Company.ZipCode != nil || *is.ContactEmail != "nope" || *is.PhoneNumber != "hello" {
		t.Errorf("target %+v, company %+v", is, is.Company)
	}
}

// Two people who give one company id work for one employer.
func TestSessionCoworkers(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	of := func(ssn string) api.VerificationRequest {
		return lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, strings.Replace(lab.Session(ssn), `{"name":"Example Mill"}`, `{"id":"7"}`, 1))))
	}
	a, b := of("000-12-3456"), of("000-12-3457")
	if diff := cmp.Diff(a.Target.Company, b.Target.Company); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.Reports[0].Employer, b.Reports[0].Employer); diff != "" {
		t.Error(diff)
	}
	if *a.Reports[0].Paystubs[0].PayDate != *b.Reports[0].Paystubs[0].PayDate {
		t.Errorf("they are paid on %s and %s", *a.Reports[0].Paystubs[0].PayDate, *b.Reports[0].Paystubs[0].PayDate)
	}
}

func TestSessionMagicSSNs(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{"could be real": `POST /credentials/session SESSION(123-45-6789) → 201 | could have been issued to a person`}
	for ssn, want := range map[string]string{
		"000-00-0400": "400 " + lab.Invalid, "000-00-0401": "401 " + lab.Message401, "000-00-0403": "403 " + lab.Message403, "000-00-0406": "406 An invalid API version was requested",
		"000-00-0429": "429 " + lab.Message429, "000-00-0451": "451 The social security number is frozen", "000-00-0500": "500 Internal server error", "000-00-0501": "501 Not Implemented",
	} {
		for _, form := range []string{ssn, strings.ReplaceAll(ssn, "-", "")} {
			scripts[form] = fmt.Sprintf("POST /credentials/session SESSION(%s) → %s", form, want)
		}
	}
	for ssn, states := range map[string]string{
		"000-00-1001": "pending-approval processing completed", "000-00-1002": "pending-approval pending-approval pending-approval",
		"000-00-1003": "processing pending-approval processing", "000-00-1004": "processing canceled canceled",
	} {
		scripts[ssn] = fmt.Sprintf("POST /credentials/session SESSION(%s) → 201", ssn)
		for _, state := range strings.Fields(states) {
			scripts[ssn] += "\nGET /verification-requests/{vr} → 200 state=" + state
		}
	}
	// the world's date is 2025-01-15
	for born, diagnosed := range map[string]bool{
		"1905-01-15": true, "1905-01-16": false, "1990-02-28": false, "2011-01-15": false, "2011-01-16": true, "2990-02-28": true, "0001-01-01": true,
	} {
		t.Run("born "+born, func(t *testing.T) {
			r := lab.Start(t).Post("/credentials/session", strings.Replace(lab.Session("000-12-3456"), "1990-02-28", born, 1))
			lab.WantStatus(t, r, 201, "")
			if got := strings.Contains(r.Header.Get("Understudy-Diagnosis"), "younger than 14 or older than 120 years on the world's day: the report ignores it"); got != diagnosed {
				t.Error(r.Header.Get("Understudy-Diagnosis"))
			}
		})
	}
	lab.PlayScripts(t, scripts)
}

func TestSessionIDsDiffer(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	sessions := lab.InParallel(64, func() api.CredentialsSession { return lab.Create(t, c, lab.Session("000-12-3456")) })
	ids, tokens := map[string]bool{}, map[string]bool{}
	for s := range sessions {
		ids[s.ID], tokens[s.Token] = true, true
	}
	if len(ids) != 64 || len(tokens) != 64 {
		t.Errorf("64 sessions have %d ids and %d tokens", len(ids), len(tokens))
	}
}

package surface_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// person is a body of a new verification request, without a company.
func person(ssn, more string) string {
	return strings.Replace(strings.Replace(lab.Session(ssn), `,"company":{"name":"Example Mill"}`, "", 1), "{", "{"+more, 1)
}

// startExtended starts an emulator with the extensions.
func startExtended(t *testing.T, options ...emulator.Option) *apitest.Client {
	t.Helper()
	return lab.Start(t, append(options, emulator.WithExtended())...)
}

// created decodes a new verification request.
func created(t *testing.T, r *apitest.Response) (v api.VerificationRequest) {
	t.Helper()
	lab.WantStatus(t, r, http.StatusCreated, "")
	r.JSON(&v)
	return v
}

type listOf[T any] struct {
	Count    int     `json:"count"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  []T     `json:"results"`
}

type employer struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

// A client that pins one version for all calls gets from the first to the last.
func TestExtendedStory(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2019-10-15", "2020-12-07", "2022-08-01", "2023-10-30"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := startExtended(t).With("Accept", "application/json; version="+version)
			v := created(t, c.Post("/verification-requests", person("000-12-3456", "")))
			if v.State != api.StatePendingApproval || v.Reports != nil {
				t.Errorf("it begins %s with %d reports", v.State, len(v.Reports))
			}
			sync := created(t, c.With("Request-Sync", "sync").Post("/verification-requests", person("000-12-3457", "")))
			if sync.State != api.StateCompleted || len(sync.Reports) != 1 {
				t.Errorf("it is %s with %d reports", sync.State, len(sync.Reports))
			}
			session := lab.Create(t, c, lab.Session("000-12-3458"))
			var list listOf[api.VerificationRequest]
			c.Get("/verification-requests").JSON(&list)
			if list.Count != 3 || len(list.Results) != 3 {
				t.Errorf("%d are listed of %d", len(list.Results), list.Count)
			}
			lab.PlayScript(t, c, `POST clock/advance {"by":"15s"} → 200`)
			read := lab.Read(t, c, v.ID)
			if read.State != api.StateCompleted || read.Target.LastName != v.Target.LastName {
				t.Errorf("after 15 s it is %s, of %s", read.State, read.Target.LastName)
			}
			var report api.Report
			r := c.Get("/verification-requests/" + v.ID + "/report")
			lab.WantStatus(t, r, http.StatusOK, "")
			if r.JSON(&report); report.ID != read.Reports[0].ID {
				t.Errorf("the report is %s, not %s", report.ID, read.Reports[0].ID)
			}
			next := created(t, c.Put("/verification-requests/"+v.ID+"/reverify", `{"report_id":"`+report.ID+`"}`))
			lab.WantStatus(t, c.Put("/verification-requests/"+next.ID+"/cancel", lab.CancelOther), http.StatusOK, "")
			var companies listOf[employer]
			c.Get("/companies?limit=1").JSON(&companies)
			lab.WantStatus(t, c.Get("/verification-requests/"+lab.RequestOf(t, c, session)), http.StatusOK, "")
			if len(companies.Results) != 1 || next.ID == v.ID {
				t.Errorf("%v, %s", companies, next.ID)
			}
		})
	}
}

// Every answer of an extension has its name in a header, and no other answer has one.
func TestExtensionHeader(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithExtended())
	c := apitest.New(t, url, lab.Key)
	named := func(c *apitest.Client, method, path, body string) string {
		return c.Send(method, path, lab.BodyOf(body)).Header.Get("Understudy-Extension")
	}
	for _, op := range api.Operations() {
		for _, line := range strings.Split(strings.TrimSpace(refusals[op.Name]), "\n") {
			want := ""
			if op.Extension {
				want = op.Name
			}
			method, path, body := lab.SplitRequest(strings.TrimSpace(line))
			for _, caller := range []*apitest.Client{c, apitest.New(t, url, ""), c.With("Accept", "application/json; version=1999-01-01")} {
				if got := named(caller, method, path, body); got != want {
					t.Errorf("%s %s: %q", method, path, got)
				}
			}
		}
	}
	if got := named(c, "GET", "/verification-requests", ""); got != "listVerifications" {
		t.Errorf("%q", got)
	}
}

// Without the extensions their operations are 501, and the diagnosis says how to get them.
func TestExtensionOff(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for _, op := range api.Operations() {
		if !op.Extension {
			continue
		}
		r := c.Send(op.Method, strings.Replace(op.Path, ":id", "vr_completed", 1), nil)
		if d := r.Header.Get("Understudy-Diagnosis"); r.Status != 501 || !strings.HasSuffix(d, ", or start with --extended") || r.Header.Get("Understudy-Extension") != "" {
			t.Errorf("%s: %d %s", op.Name, r.Status, d)
		}
	}
	lab.WantStatus(t, c.With("Accept", "application/json; version=2022-08-01").Get("/verification-requests/vr_completed"), 406, "An invalid API version was requested")
}

// A new request has what its body gives, and the usual parameters for a target with a company and without one.
func TestCreateVerification(t *testing.T) {
	t.Parallel()
	methods := func(filter string, credentials, instant, outreach bool) string {
		const p, m = "request_parameters.", "request_parameters.verification_methods."
		return fmt.Sprintf("%semployer_filter=%s %scredentials.enabled=%t %sinstant.enabled=%t %ssmart_outreach.enabled=%t ", p, filter, m, credentials, m, instant, m, outreach)
	}
	file := base64.StdEncoding.EncodeToString([]byte("signed"))
	for name, tt := range map[string]struct{ body, want string }{
		"a company":            {lab.Session("000-12-3456"), methods("target-employer", true, true, true) + `target.company.name="Example Mill"`},
		"no company":           {person("000-12-3456", ""), methods("all-employers", false, true, false) + `documents.#=0 loan_id=null`},
		"the verifier's words": {person("000-12-3456", `"loan_id":"7","branch_id":"9","additional_information":"two names","documents":[{"filename":"a.pdf","content":"`+file+`"}],`), `loan_id=7 branch_id=9 additional_information="two names" documents.#=1 documents.0.filename=a.pdf`},
		"its parameters":       {person("000-12-3456", `"request_parameters":{"employer_filter":"current-employer","verification_methods":{"credentials":{"enabled":true}}},`), methods("current-employer", true, false, false)},
		"no use case":          {strings.Replace(person("000-12-3456", ""), `"use_case":"mortgage",`, "", 1), `use_case=mortgage`},
		"null everywhere":      {person("000-12-3456", `"documents":null,"loan_id":null,"request_parameters":null,`), `documents.#=0 loan_id=null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startExtended(t)
			lab.PlayScript(t, c, `POST /verification-requests `+tt.body+` → 201 state=pending-approval reports=null date_of_completion=null `+tt.want)
		})
	}
}

// What a body or a header has wrong is refused with its name.
func TestCreateVerificationRefused(t *testing.T) {
	t.Parallel()
	c := startExtended(t)
	for more, want := range map[string]string{
		`"documents":{},`:                                                             "documents must be an array, not an object",
		`"documents":[1],`:                                                            "documents.0 must be an object, not a number",
		`"documents":[{"filename":"a"}],`:                                             "documents.0.content is required",
		`"documents":[{"content":"AA=="}],`:                                           "documents.0.filename is required",
		`"documents":[{"filename":" ","content":"AA=="}],`:                            "documents.0.filename",
		`"documents":[{"filename":"a","content":"A!"}],`:                              "documents.0.content must be base64 (RFC 4648), with its padding",
		`"loan_id":7,`:                                                                "loan_id must be a string, not a number",
		`"request_parameters":{"employer_filter":"all"},`:                             "request_parameters.employer_filter must be all-employers",
		`"request_parameters":{"verification_methods":{}},`:                           "request_parameters.verification_methods must enable one of credentials, instant and smart_outreach",
		`"request_parameters":{"verification_methods":[]},`:                           "request_parameters.verification_methods must be an object, not an array",
		`"request_parameters":{"verification_methods":{"instant":{}}},`:               "request_parameters.verification_methods.instant.enabled is required",
		`"request_parameters":{"verification_methods":{"instant":{"enabled":"on"}}},`: "request_parameters.verification_methods.instant.enabled must be a boolean, not a string",
	} {
		r := c.Post("/verification-requests", person("000-12-3456", more))
		if d := r.Header.Get("Understudy-Diagnosis"); r.Status != 400 || !strings.HasPrefix(d, want) {
			t.Errorf("%s: %d %s", more, r.Status, d)
		}
	}
	for sync, want := range map[string]string{
		"sync": "the header Request-Sync is sync, which is for a target without a company",
		"snyc": `the header Request-Sync must be sync or async, not "snyc": did you mean sync?`,
		"":     `the header Request-Sync must be sync or async, not ""`,
	} {
		r := c.With("Request-Sync", sync).Post("/verification-requests", lab.Session("000-12-3456"))
		if d := r.Header.Get("Understudy-Diagnosis"); r.Status != 400 || !strings.HasPrefix(d, want) {
			t.Errorf("%q: %d %s", sync, r.Status, d)
		}
	}
	r := c.Post("/verification-requests", person("000-00-0004", `"request_parameters":{"employer_filter":"previous-employers"},`)) // who works
	if d := r.Header.Get("Understudy-Diagnosis"); r.Status != 400 || !strings.Contains(d, "previous-employers excludes report 1") {
		t.Errorf("%d %s", r.Status, d)
	}
	lab.WantStatus(t, c.With("Request-Sync", "async").Post("/verification-requests", lab.Session("000-12-3456")), 201, "")
}

const ownNumbers = `
name: two-reads
title: Two reads
magic: {ssn: 000-00-7001}
verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}, {state: completed, after: {reads: 1}}]}
---
name: refused
title: Canceled from the start
magic: {ssn: 000-00-7002}
verification_request: {timeline: [{state: canceled, cancellation_reason: wrong-info}]}
---
name: unlocated
title: Invalid at last
magic: {ssn: 000-00-7003}
verification_request: {timeline: [{state: processing}, {state: invalid, after: {elapsed: 1h}}]}
---
name: frozen
title: No request is created
magic: {ssn: 000-00-7004}
rules: [{on: create verification_request, respond: {status: 451}}]
`

// A request follows its number's timeline from pending-approval on, and ends at once with sync.
func TestCreateVerificationTimeline(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ssn    string
		states []string // at the creation, and after 4, 5, 14, 15 s and an hour
		sync   api.State
	}{
		"no timeline":              {"000-12-3456", []string{"pending-approval", "pending-approval", "processing", "processing", "completed", "completed"}, "completed"},
		"reads":                    {"000-00-7001", []string{"pending-approval", "pending-approval", "processing", "completed", "completed", "completed"}, "completed"},
		"canceled from the start":  {"000-00-7002", []string{"pending-approval", "pending-approval", "processing", "processing", "canceled", "canceled"}, "canceled"},
		"processing, then invalid": {"000-00-7003", []string{"pending-approval", "pending-approval", "processing", "processing", "processing", "invalid"}, "canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startExtended(t, lab.ScenarioFile(t, ownNumbers))
			v := created(t, c.Post("/verification-requests", person(tt.ssn, "")))
			got := []string{string(v.State)}
			for _, by := range []string{"4s", "1s", "9s", "1s", "1h"} {
				lab.PlayScript(t, c, `POST clock/advance {"by":"`+by+`"} → 200`)
				got = append(got, string(lab.Read(t, c, v.ID).State))
			}
			if diff := cmp.Diff(tt.states, got); diff != "" {
				t.Error(diff)
			}
			at := created(t, c.With("Request-Sync", "sync").Post("/verification-requests", person(tt.ssn, "")))
			if at.State != tt.sync || (at.State == api.StateCompleted) != (at.Reports != nil) {
				t.Errorf("sync: %s with %d reports", at.State, len(at.Reports))
			}
		})
	}
	c := startExtended(t, lab.ScenarioFile(t, ownNumbers))
	lab.WantStatus(t, c.Post("/verification-requests", person("000-00-7004", "")), 451, "The social security number is frozen")
	lab.Create(t, c, lab.Session("000-00-7004"))
}

// The list has the requests of all doors, the newest first, on pages whose links lead through all of them, and moves none.
func TestListVerifications(t *testing.T) {
	t.Parallel()
	c := startExtended(t, lab.ScenarioFile(t, ownNumbers))
	var want []string
	for range 2 {
		want = append(want, created(t, c.Post("/verification-requests", person("000-00-7001", ""))).ID)
		lab.PlayScript(t, c, `POST clock/advance {"by":"1s"} → 200`)
		want = append(want, lab.RequestOf(t, c, lab.Create(t, c, lab.Session("000-12-3456"))))
		lab.PlayScript(t, c, `POST clock/advance {"by":"1s"} → 200`)
	}
	lab.PlayScript(t, c, `POST verification-requests {"id":"vr_by_hand","state":"processing"} → 201`)
	want = append(want, "vr_by_hand")
	slices.Reverse(want)
	ids := func(path string) (all []string, list listOf[api.VerificationRequest]) {
		t.Helper()
		r := c.Get(path)
		lab.WantStatus(t, r, 200, "")
		r.JSON(&list)
		for _, v := range list.Results {
			all = append(all, v.ID)
		}
		return all, list
	}
	for range 3 { // reads would move the first ones
		if got, list := ids("/verification-requests"); !slices.Equal(got, want) || list.Count != 5 || list.Next != nil || list.Previous != nil {
			t.Fatalf("%v of %d, %v, %v; want %v", got, list.Count, list.Next, list.Previous, want)
		}
	}
	var forth, back []string
	at := "/verification-requests?limit=2"
	for previous := ""; at != ""; {
		got, list := ids(at)
		forth = append(forth, got...)
		if previous = ""; list.Previous != nil {
			previous = pathOf(t, *list.Previous)
		}
		if at = ""; list.Next != nil {
			at = pathOf(t, *list.Next)
		} else {
			for previous != "" {
				got, list := ids(previous)
				back = append(got, back...)
				if previous = ""; list.Previous != nil {
					previous = pathOf(t, *list.Previous)
				}
			}
		}
	}
	if !slices.Equal(forth, want) || !slices.Equal(back, want[:4]) {
		t.Errorf("forth %v, back %v", forth, back)
	}
	for query, count := range map[string]int{
		"state=pending-approval": 2, "state=completed": 2, "state=processing": 1, "state=invalid": 0, "state=": 5, "offset=9": 5,
	} {
		if _, list := ids("/verification-requests?" + query); list.Count != count || list.Results == nil {
			t.Errorf("%s: %d", query, list.Count)
		}
	}
	for query, why := range map[string]string{
		"limit=0": `limit must be a number from 1 to 100, not "0"`, "limit=101": `limit must be`, "limit=x": `limit must be`,
		"offset=-1": `offset must be a number from 0 on, not "-1"`, "state=complete": `unknown state "complete": did you mean completed?`,
		"limit=1&limit=2": "limit was given 2 times: send it once", "limit=%zz": "the query is not well-formed",
	} {
		r := c.Get("/verification-requests?" + query)
		if d := r.Header.Get("Understudy-Diagnosis"); r.Status != 400 || !strings.Contains(d, why) {
			t.Errorf("%s: %d %s", query, r.Status, d)
		}
	}
}

// pathOf returns the path and query of an absolute URL.
func pathOf(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	lab.NoError(t, err)
	if u.Scheme != "http" || u.Host == "" {
		t.Errorf("%s is not absolute", link)
	}
	return u.RequestURI()
}

// Only a completed request has a report.
func TestGetReport(t *testing.T) {
	t.Parallel()
	c := startExtended(t)
	for id, why := range map[string]string{
		"vr_processing": "the request is processing: it has a report once it is completed",
		"vr_nobody":     `no verification request is "vr_nobody"`,
	} {
		r := c.Get("/verification-requests/" + id + "/report")
		lab.WantStatus(t, r, 404, "Report not found")
		if d := r.Header.Get("Understudy-Diagnosis"); !strings.Contains(d, why) {
			t.Errorf("%s: %s", id, d)
		}
	}
	var report api.Report
	c.Get("/verification-requests/vr_two_jobs/report").JSON(&report)
	if v := lab.Read(t, c, "vr_two_jobs"); report.ID != v.Reports[0].ID {
		t.Errorf("%s is none of the first", report.ID)
	}
}

// A person is verified again for 90 days after the completion, to the second, and is the same one.
func TestReverify(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T, *apitest.Client) string{
		"a request": func(t *testing.T, c *apitest.Client) string {
			return created(t, c.With("Request-Sync", "sync").Post("/verification-requests", person("000-12-3456", `"loan_id":"7",`))).ID
		},
		"a session": func(t *testing.T, c *apitest.Client) string {
			return lab.RequestOf(t, c, lab.Create(t, c, lab.Session("000-12-3456")))
		},
		"by hand": func(t *testing.T, c *apitest.Client) string {
			lab.PlayScript(t, c, `POST verification-requests {"id":"vr_mine","reports":[{"employee":{"hired":"420 days ago"}}]} → 201`)
			return "vr_mine"
		},
		"a magic id": func(*testing.T, *apitest.Client) string { return "vr_completed" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startExtended(t)
			id := start(t, c)
			was := lab.Read(t, c, id)
			reverify := func(report string) *apitest.Response {
				return c.Put("/verification-requests/"+id+"/reverify", fmt.Sprintf(`{"report_id":%q}`, report))
			}
			lab.WantStatus(t, reverify("rp_none"), 400, lab.Invalid)
			lab.PlayScript(t, c, `POST clock/advance {"by":"2160h"} → 200`)
			next := created(t, reverify(was.Reports[0].ID))
			if next.State != api.StatePendingApproval || next.ID == id {
				t.Errorf("%s is %s", next.ID, next.State)
			}
			lab.PlayScript(t, c, `POST clock/advance {"by":"1s"} → 200`)
			if r := reverify(was.Reports[0].ID); r.Status != 400 || !strings.Contains(r.Header.Get("Understudy-Diagnosis"), "more than 90 days ago") {
				t.Errorf("after 90 days and a second: %d %s", r.Status, r.Header.Get("Understudy-Diagnosis"))
			}
			lab.PlayScript(t, c, `POST clock/advance {"by":"15s"} → 200`)
			is := lab.Read(t, c, next.ID)
			if diff := cmp.Diff(was.Target, is.Target) + cmp.Diff(was.LoanID, is.LoanID) + cmp.Diff(was.Documents, is.Documents) + cmp.Diff(was.RequestParameters, is.RequestParameters); diff != "" {
				t.Error(diff)
			}
			a, b := was.Reports[0], is.Reports[0]
			if diff := cmp.Diff(a.Employer, b.Employer) + cmp.Diff(a.Employee.HiredDate, b.Employee.HiredDate); diff != "" || b.CurrentAsOf <= a.CurrentAsOf {
				t.Errorf("as of %s and %s: %s", a.CurrentAsOf, b.CurrentAsOf, diff)
			}
		})
	}
	c := startExtended(t)
	lab.WantStatus(t, c.Put("/verification-requests/vr_processing/reverify", `{"report_id":"1"}`), 400, lab.Invalid)
	lab.WantStatus(t, c.Put("/verification-requests/vr_nobody/reverify", `{"report_id":"1"}`), 400, "Verification not found")
}

// What the extensions create is restored from a snapshot.
func TestExtensionSnapshot(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithExtended())
	c, other := apitest.New(t, url, lab.Key), apitest.New(t, url, lab.WorldKey("restored"))
	for _, more := range []string{``, `"loan_id":"","branch_id":" ","additional_information":"\u0000","metadata":null,"documents":[{"filename":"a\u0001","content":""}],`, `"request_parameters":{"employer_filter":"previous-employers","verification_methods":{"smart_outreach":{"enabled":true}}},`} {
		v := created(t, c.With("Request-Sync", "sync").Post("/verification-requests", person("000-12-3456", more)))
		created(t, c.Put("/verification-requests/"+v.ID+"/reverify", `{"report_id":"`+v.Reports[0].ID+`"}`))
		created(t, c.Post("/verification-requests", person("000-00-2002", strings.ReplaceAll(more, "previous", "all"))))
	}
	lab.WantStatus(t, other.Put(lab.Control+"snapshot", c.Get(lab.Control+"snapshot").Body), 200, "")
	if was, is := c.Get("/verification-requests"), other.Get("/verification-requests"); string(was.Body) != string(is.Body) {
		t.Errorf("%.2000s\n%.2000s", was.Body, is.Body)
	}
}

// The id of a listed company is that of a target's company, whose name reads show.
func TestListCompanies(t *testing.T) {
	t.Parallel()
	c := startExtended(t)
	var all, some listOf[employer]
	c.Get("/companies?limit=100").JSON(&all)
	one := all.Results[7]
	c.Get("/companies?q=" + url.QueryEscape(strings.ToUpper(one.Name))).JSON(&some)
	if all.Count < 100 || len(all.Results) != 100 || all.Next == nil || some.Count != 1 || some.Results[0] != one {
		t.Errorf("%d, %v; want %v", all.Count, some, one)
	}
	for _, path := range []string{"/verification-requests", "/credentials/session"} {
		lab.WantStatus(t, c.Post(path, strings.Replace(lab.Session("000-12-3456"), `{"name":"Example Mill"}`, `{"id":"`+one.ID+`"}`, 1)), 201, "")
	}
	var list listOf[api.VerificationRequest]
	c.Get("/verification-requests").JSON(&list)
	for _, v := range list.Results {
		if *v.Target.Company.Name != one.Name || fmt.Sprint(*v.Target.Company.ID) != one.ID {
			t.Errorf("%+v, want %v", *v.Target.Company, one)
		}
	}
	if list.Count != 2 {
		t.Errorf("%d requests", list.Count)
	}
}

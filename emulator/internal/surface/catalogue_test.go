package surface_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// analyzed reads a verification request with analytics and returns its only report.
func analyzed(t *testing.T, c *apitest.Client, id string) api.Report {
	t.Helper()
	var v api.VerificationRequest
	r := c.Get("/verification-requests/" + id + "?income_analytics=true")
	lab.WantStatus(t, r, 200, "")
	r.JSON(&v)
	if v.State != api.StateCompleted || len(v.Reports) != 1 {
		t.Fatalf("%s is %s with %d reports", id, v.State, len(v.Reports))
	}
	return v.Reports[0]
}

func TestCatalogueReports(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	const analytics, income = "?income_analytics=true → 200 state=completed reports.#=1 ", "reports.0.income_analytics.annualized_income."
	lab.PlayScript(t, c, strings.NewReplacer("GET ", "GET /verification-requests/", " ANALYTICS", analytics, "INCOME.", income, "REPORT.", "reports.0.").Replace(`
		GET vr_multiple_reports → 200 reports.#=3
		GET vr_no_paystubs ANALYTICS REPORT.paystubs.#=0 REPORT.employee.salary=* REPORT.paid_through_date=null
		GET vr_disputed ANALYTICS REPORT.disputes.#=2 REPORT.disputes.0.description=*
		GET vr_contractor ANALYTICS REPORT.employee.positions.0.employment_type=contractor-1099
		GET vr_new_hire ANALYTICS REPORT.current_as_of=2025-01-15 REPORT.employee.hired_date=2024-11-29 INCOME.short_employment_warning=true
		GET vr_stale ANALYTICS REPORT.current_as_of=2024-10-17 INCOME.stale_data_warning=true
		GET vr_variable_income ANALYTICS INCOME.variable_income_warning=true
		GET vr_zero_income ANALYTICS INCOME.amount.amount=0.00 INCOME.base_amount.amount=0.00
		GET vr_base_without_gross ANALYTICS INCOME.base_amount=* INCOME.gross_amount=null INCOME.amount.amount=0.00
		GET vr_gross_without_base ANALYTICS INCOME.base_amount=null INCOME.gross_amount=* INCOME.amount.amount=*
		GET vr_reseller → 200 reseller_originating_party.originating_party="Example Home Loans"
		GET vr_large → 200 reports.#=5 reports.0.paystubs.#=104 reports.1.paystubs.#=104 reports.2.paystubs.#=104 reports.3.paystubs.#=104 reports.4.paystubs.#=104`))
	if v := lab.Read(t, c, "vr_multiple_reports"); v.Reports[0].Employer.Name == v.Reports[1].Employer.Name {
		t.Errorf("vr_multiple_reports: all of %s", v.Reports[0].Employer.Name)
	}
	forms := map[int]int{} // paystubs by the length of their reference ids
	for _, stub := range analyzed(t, c, "vr_provider_change").Paystubs {
		forms[len(*stub.ReferenceID)]++
	}
	if len(forms) != 2 {
		t.Errorf("vr_provider_change: %d forms of reference ids", len(forms))
	}
	if stub := analyzed(t, c, "vr_contractor").Paystubs[0]; *stub.Net != *stub.Gross {
		t.Errorf("vr_contractor: net %s of gross %s", *stub.Net, *stub.Gross)
	}
	if i := analyzed(t, c, "vr_gross_without_base").IncomeAnalytics.AnnualizedIncome; *i.Amount.Amount != *i.GrossAmount.Amount {
		t.Errorf("vr_gross_without_base: %+v", i)
	}
}

// Every nullable key but reports is null, inside the report too.
func TestCatalogueAllNull(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	var body any
	lab.NoError(t, json.Unmarshal(c.Get("/verification-requests/vr_all_null?income_analytics=true").Body, &body))
	notNull := map[string]bool{ // keys that spec 2.2 and 2.3 do not mark N
		"id": true, "created": true, "state": true, "type": true, "use_case": true, "permissible_purpose": true, "price": true,
		"turnaround_time": true, "reports": true, "target": true, "first_name": true, "last_name": true, "current_as_of": true,
		"disputes": true, "employee": true, "employer": true, "verification_request": true, "name": true, "status": true,
		"status_detail": true, "positions": true, "employment_type": true,
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, member := range v {
				if (member == nil) == notNull[key] {
					t.Errorf("%s.%s is %v", path, key, member)
				}
				walk(path+"."+key, member)
			}
		case []any:
			for i, element := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), element)
			}
		}
	}
	walk("", body)
}

func TestCatalogueQualificationChecks(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for id, want := range map[string]struct {
		kind    api.QualificationKind
		outcome api.QualificationOutcome
		reports int
	}{
		"qc_qualified": {"applicant", "qualified", 1}, "qc_not_qualified": {"applicant", "not_qualified", 1},
		"qc_not_enough_information": {"applicant", "not_enough_information", 1},
		"qc_guarantor_qualified":    {"guarantor", "qualified", 1}, "qc_guarantor_not_qualified": {"guarantor", "not_qualified", 1},
		"qc_multiple_reports": {"applicant", "qualified", 2}, "qc_estimate": {"applicant", "qualified", 1},
		"qc_document_requirements": {"applicant", "qualified", 1}, "qc_zero_income": {"applicant", "not_qualified", 1},
	} {
		var q api.QualificationCheck
		r := c.Get("/qualification-checks/" + id)
		lab.WantStatus(t, r, 200, "")
		r.JSON(&q)
		if q.Kind != want.kind || q.Result.Outcome != want.outcome || len(q.Result.ReportResults) != want.reports {
			t.Errorf("%s: %s of %d reports for a %s", id, q.Result.Outcome, len(q.Result.ReportResults), q.Kind)
		}
		if q.ID != id {
			t.Errorf("%s has the id %s", id, q.ID)
		}
		if estimate := q.Result.MonthlyGrossIncomeFidelity != nil && *q.Result.MonthlyGrossIncomeFidelity == api.FidelityEstimate; estimate != (id == "qc_estimate") {
			t.Errorf("%s: fidelity %v", id, q.Result.MonthlyGrossIncomeFidelity)
		}
		if satisfied := len(q.Result.ReportResults[0].SatisfiedDocumentIncomeRequirements) > 0; satisfied != (id == "qc_document_requirements") {
			t.Errorf("%s: documents %+v", id, q.Result.ReportResults[0].SatisfiedDocumentIncomeRequirements)
		}
	}
	lab.PlayScript(t, c, `
		GET /qualification-checks/qc_not_enough_information → 200 result.monthly_gross_income=null result.monthly_gross_income_fidelity=null result.rent_to_income_ratio=null
		GET /qualification-checks/qc_qualified → 200 result.monthly_gross_income=* result.monthly_gross_income_fidelity=* result.rent_to_income_ratio=*`)
}

func TestCatalogueTestPeople(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for ssn, want := range map[string]struct {
		status api.EmploymentStatus
		kind   api.EmploymentType
		job    string // title, hire and end, as far as they are fixed
	}{
		"000-00-0000": {"active", "regular-full-time", "Software Engineer 2019-01-01"},
		"000-00-0001": {"inactive", "regular-full-time", "Program Manager 2015-05-01 2022-01-01"},
		"000-00-0002": {"active", "regular-part-time", "Accountant 2017-02-03"},
		"000-00-0003": {"active", "regular-full-time", "Product Manager 2022-01-01"},
		"000-00-0004": {"active", "regular-part-time", "Customer Service Representative 2021-05-19"},
		"000-00-0005": {"inactive", "regular-full-time", "Account Executive"},
		"000-00-0006": {"inactive", "regular-full-time", ""}, "000-00-0008": {"active", "regular-full-time", ""},
	} {
		v := lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, lab.Session(ssn))))
		if len(v.Reports) != 1 {
			t.Fatalf("%s has %d reports", ssn, len(v.Reports))
		}
		e := v.Reports[0].Employee
		if e.Status != want.status || e.Positions[len(e.Positions)-1].EmploymentType != want.kind {
			t.Errorf("%s: %s, %+v", ssn, e.Status, e.Positions)
		}
		job := fmt.Sprintf("%s %s", *e.Positions[0].Title, e.HiredDate)
		if e.TerminationDate != nil {
			job += " " + e.TerminationDate.String()
		}
		if !strings.HasPrefix(job, want.job) {
			t.Errorf("%s: %s, want %s", ssn, job, want.job)
		}
		if hourly := *e.Salary.PayFrequency == api.PayHourly; hourly != (ssn == "000-00-0008") && want.kind == "regular-full-time" {
			t.Errorf("%s is paid %s", ssn, *e.Salary.PayFrequency)
		}
		if absent := e.OnLeaveDate != nil; absent != (ssn == "000-00-0002") {
			t.Errorf("%s is on leave since %v", ssn, e.OnLeaveDate)
		}
	}
	for ssn, want := range map[string]struct {
		state   api.State
		reports int
	}{
		"000-00-0007": {"completed", 2}, "000-01-0000": {"canceled", 0}, "000-11-0000": {"canceled", 0}, "000-03-0000": {"action-required", 0},
	} {
		id := lab.RequestOf(t, c, lab.Create(t, c, lab.Session(ssn)))
		for range 3 { // reads move nothing
			if v := lab.Read(t, c, id); v.State != want.state || len(v.Reports) != want.reports {
				t.Errorf("%s is %s with %d reports", ssn, v.State, len(v.Reports))
			}
		}
	}
}

func TestCoBorrowers(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	report := func(ssn string) api.Report {
		body := strings.Replace(lab.Session(ssn), `,"company":{"name":"Example Mill"}`, "", 1)
		return lab.Read(t, c, lab.RequestOf(t, c, lab.Create(t, c, body))).Reports[0]
	}
	one, other := report("000-00-3001"), report("000-00-3002")
	if got, want := one.Employer, other.Employer; got.Name != want.Name || *got.Address != *want.Address || got.GovernmentIDs[0] != want.GovernmentIDs[0] {
		t.Errorf("co-borrowers have two employers: %+v and %+v", got, want)
	}
	if got, want := *one.Paystubs[0].PayDate, *other.Paystubs[0].PayDate; got != want {
		t.Errorf("co-borrowers are paid on %s and %s", got, want)
	}
	if one.ID == other.ID || *one.Employee.SocialSecurityNumber == *other.Employee.SocialSecurityNumber {
		t.Error("co-borrowers are one person")
	}
}

// The client checks the answer of every operation for every magic value against the OpenAPI document.
func TestCatalogueMatchesOpenAPI(t *testing.T) {
	t.Parallel()
	catalogue, err := scenarios.Load()
	lab.NoError(t, err)
	c := lab.Start(t, (&lab.Pauses{}).Option())
	breaks := func(r scenarios.Rule) bool { return r.Fault != scenarios.NoFault && r.Fault != scenarios.Dribble }
	for _, s := range catalogue.All() {
		if slices.ContainsFunc(s.Rules, breaks) {
			continue // there is no answer to check
		}
		var asks []string
		if id := s.Magic.VerificationRequest; id != "" {
			asks = []string{"GET /verification-requests/" + id, "GET /verification-requests/" + id + "?income_analytics=true",
				"GET /verification-requests/" + id + "?fields=id,reports", "PUT /verification-requests/" + id + "/cancel " + lab.CancelOther, "GET /verification-requests/" + id}
		}
		if id := s.Magic.TenantProperty; id != "" {
			asks = append(asks, "PUT /tenant-properties/"+id+` {"name":"Quay"}`)
		}
		if id := s.Magic.QualificationCheck; id != "" {
			asks = append(asks, "GET /qualification-checks/"+id)
		}
		if ssn := strings.Replace(string(s.Magic.SSN), string(scenarios.AnySSN), "000-12-3456", 1); ssn != "" {
			asks = append(asks, "POST /credentials/session "+lab.Session(ssn))
		}
		for _, ask := range asks {
			method, path, body := lab.SplitRequest(ask)
			r := c.Send(method, path, lab.BodyOf(body))
			if got := r.Header.Get("Understudy-Scenario"); got != s.Name {
				t.Errorf("%s: answered by the scenario %q: %d %s", ask, got, r.Status, r.Body)
			}
		}
	}
}

// No two requests, reports, paystubs, disputes or sessions of the catalogue's scenarios have one id.
func TestCatalogueIDs(t *testing.T) {
	t.Parallel()
	catalogue, err := scenarios.Load()
	lab.NoError(t, err)
	c := lab.Start(t)
	from := map[string]string{} // by id
	add := func(id, scenario string) {
		if other, ok := from[id]; ok {
			t.Errorf("%s is of %s and of %s", id, other, scenario)
		}
		from[id] = scenario
	}
	for _, s := range catalogue.All() {
		if len(s.Rules) > 0 {
			continue
		}
		id := s.Magic.VerificationRequest
		if check := s.Magic.QualificationCheck; check != "" {
			id = "vr_of_" + check
		}
		if s.Magic.SSN != "" {
			made := lab.Create(t, c, lab.Session(strings.Replace(s.Magic.SSN.String(), string(scenarios.AnySSN), "000-12-3456", 1)))
			add(made.ID, s.Name)
			id = lab.RequestOf(t, c, made)
		}
		if id == "" {
			continue
		}
		add(id, s.Name)
		for _, r := range lab.Read(t, c, id).Reports {
			add(r.ID, s.Name)
			for _, p := range r.Paystubs {
				add(p.ID, s.Name)
			}
			for _, d := range r.Disputes {
				add(d.ID, s.Name)
			}
		}
	}
	if len(from) < 1000 {
		t.Errorf("%d ids", len(from))
	}
}

package surface_test

import (
	"cmp"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// A check of an income of 5,000 a month and a rent of 1,500.
const evaluated = `POST qualification-checks {"id":"qc_a","qualification_check":{"rent":1500},"reports":[{"pay":{"base":60000,"bonus":"none"}}]} → 201 result.outcome=qualified result.rent_to_income_ratio=0.30 result.monthly_gross_income=5000.00
`

// The result of a check follows from the rest of it, whatever was set (spec 2.7).
func TestQualificationCheckFollows(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"by a change": evaluated + `
			PATCH qualification-checks/qc_a {"set":{"property_details":{"rent":"2500.00"}}} → 200 result.outcome=not_qualified result.rent_to_income_ratio=0.50
			PATCH qualification-checks/qc_a {"set":{"qualification_check_set":{"applicant_rent_to_income_ratio":"0.5"}}} → 200 result.outcome=qualified qualification_check_set.income_multiple=2.00
			PATCH qualification-checks/qc_a {"set":{"kind":"guarantor"}} → 200 result.outcome=not_qualified
			PATCH qualification-checks/qc_a {"set":{"qualification_check_set":{"guarantor_rent_to_income_ratio":"0.5000"}}} → 200 result.outcome=qualified
			GET /qualification-checks/qc_a → 200 result.outcome=qualified result.rent_to_income_ratio=0.50`,
		"by the income of a report": evaluated + `
			PATCH qualification-checks/qc_a {"set":{"result":{"report_results":{"0":{"monthly_gross_income":"3000.00","monthly_gross_income_fidelity":"estimate"}}}}} → 200 result.monthly_gross_income=3000.00 result.monthly_gross_income_fidelity=estimate result.rent_to_income_ratio=0.50 result.outcome=not_qualified
			PATCH qualification-checks/qc_a {"set":{"result":{"report_results":[]}}} → 200 result.monthly_gross_income=null result.outcome=not_enough_information
			PATCH qualification-checks/qc_a {"set":{"result":{"report_results":[{"report_id":"rep_1","monthly_gross_income":"2000.10"},{"report_id":"rep_2","monthly_gross_income":null},{"report_id":"rep_3","monthly_gross_income":"1000.00"}]}}} → 200 result.monthly_gross_income=3000.10 result.monthly_gross_income_fidelity=source result.report_results.1.monthly_gross_income_fidelity=null`,
		"by the income of all": evaluated + `
			PATCH qualification-checks/qc_a {"set":{"result":{"monthly_gross_income":"3000.00"}}} → 200 result.report_results.0.monthly_gross_income=3000.00 result.rent_to_income_ratio=0.50 result.outcome=not_qualified
			PATCH qualification-checks/qc_a {"set":{"result":{"monthly_gross_income":"0.00"}}} → 200 result.rent_to_income_ratio=null result.outcome=not_qualified
			PATCH qualification-checks/qc_a {"set":{"result":{"monthly_gross_income":null}}} → 200 result.monthly_gross_income_fidelity=null result.rent_to_income_ratio=null result.outcome=not_enough_information result.report_results.0.monthly_gross_income=null`,
		"but what is set": evaluated + `
			PATCH qualification-checks/qc_a {"set":{"result":{"outcome":"not_qualified"}}} → 200 result.outcome=not_qualified result.rent_to_income_ratio=0.30
			PATCH qualification-checks/qc_a {"set":{"result":{"outcome":"qualified","rent_to_income_ratio":"0.9"}}} → 200 result.outcome=qualified result.rent_to_income_ratio=0.9
			PATCH qualification-checks/qc_a {"set":{"property_details":{"rent":"4000.00"}}} → 200 result.outcome=qualified result.rent_to_income_ratio=0.9`,
		"by keys of a new check": `
			POST qualification-checks {"qualification_check":{"rent":1500,"applicant_rent_to_income_ratio":"0.25"},"reports":[{"pay":{"base":60000,"bonus":"none"}}]} → 201 result.outcome=not_qualified qualification_check_set.applicant_rent_to_income_ratio=0.25 qualification_check_set.income_multiple=4.00
			POST qualification-checks {"qualification_check":{"rent":1500,"income_multiple":4},"reports":[{"pay":{"base":60000,"bonus":"none"}}]} → 201 result.outcome=not_qualified qualification_check_set.applicant_rent_to_income_ratio=0.25 qualification_check_set.income_multiple=4
			POST qualification-checks {"qualification_check":{"rent":1500,"kind":"guarantor","guarantor_rent_to_income_ratio":0.3},"reports":[{"pay":{"base":60000,"bonus":"none"}}]} → 201 result.outcome=qualified
			POST qualification-checks {"qualification_check":{"income_multiple":3,"set":{"qualification_check_set":{"applicant_rent_to_income_ratio":"0.2"}}}} → 201 qualification_check_set.income_multiple=5.00
			POST qualification-checks {"qualification_check":{"income_multiple":0.001}} → 201 qualification_check_set.applicant_rent_to_income_ratio=1000.00
			POST qualification-checks {"qualification_check":{"applicant_rent_to_income_ratio":1000}} → 201 qualification_check_set.income_multiple=null
			POST qualification-checks {"qualification_check":{"income_multiple":0}} → 400 The body is invalid: body:1:25: income_multiple must be above 0
			POST qualification-checks {"qualification_check":{"guarantor_rent_to_income_ratio":"-0.1"}} → 400 The body is invalid: body:1:25: guarantor_rent_to_income_ratio must be above 0
			POST qualification-checks {"qualification_check":{"income_multiple":2,"applicant_rent_to_income_ratio":0.5}} → 400`,
		"in a scenario file": `
			GET /qualification-checks/qc_strict → 200 kind=guarantor result.outcome=not_qualified result.rent_to_income_ratio=0.30
			PATCH qualification-checks/qc_strict {"set":{"kind":"applicant"}} → 200 result.outcome=qualified`,
		"warned of where it contradicts": `
			PUT scenarios/mine {"name":"mine","title":"Mine","magic":{"qualification_check":"qc_mine"},"qualification_check":{"rent":5000,"set":{"result":{"outcome":"qualified"}}},"reports":[{"pay":{"base":60000,"bonus":"none"}}]} → 200 …result.outcome is qualified, and not_qualified follows from the rest of the check: it is shown as it is set
			PUT scenarios/mine {"name":"mine","title":"Mine","magic":{"qualification_check":"qc_mine"},"qualification_check":{"rent":1000,"set":{"result":{"outcome":"qualified"}}},"reports":[{"pay":{"base":60000,"bonus":"none"}}]} → 200 …"warnings":[]
			PUT scenarios/mine {"name":"mine","title":"Mine","magic":{"qualification_check":"qc_mine"},"qualification_check":{"set":{"result":{"report_results":{"3":{"report_id":"rep_3"}}}}}} → 200 …result.report_results.3 is not there: elements are counted from 0, and the list has 1
			PUT scenarios/mine {"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"},"reports":[{"set":{"paystubs":{"0":{"net":null},"30":{"net":null}}}}]} → 200 …paystubs.30 is not there: elements are counted from 0, and the list has 26`,
	}, lab.ScenarioFile(t, `
name: strict
title: A guarantor who would do as an applicant
magic: {qualification_check: qc_strict}
qualification_check: {kind: applicant, set: {kind: guarantor, property_details: {rent: "1500.00"}}}
reports: [{pay: {base: 60000, bonus: none}}]
`))
}

// A change of a verification request reaches its reports, an element of their lists too.
func TestSteerReports(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"one field": `
			PATCH verification-requests/vr_completed {"reports":[{"set":{"employee":{"email":null},"respondent":{"title":null},"paystubs":{"0":{"net":null},"1":{"reference_id":null}}}}]} → 200
			GET /verification-requests/vr_completed → 200 reports.0.employee.email=null reports.0.employee.first_name=* reports.0.respondent.title=null reports.0.respondent.email=* reports.0.paystubs.#=26 reports.0.paystubs.0.net=null reports.0.paystubs.0.gross=* reports.0.paystubs.1.net=* reports.0.paystubs.1.reference_id=null
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"0":{"gross":null}}}}]} → 200 resource.reports.0.paystubs.0.net=null resource.reports.0.paystubs.0.gross=null
			PATCH verification-requests/vr_completed {"set":{"documents":{"0":{"filename":null}}}} → 200 resource.documents.#=1 resource.documents.0.filename=null`,
		"the second report": `
			PATCH verification-requests/vr_multiple_reports {"reports":[{},{"set":{"additional_notes":"Second."}}]} → 200 resource.reports.0.additional_notes=null resource.reports.1.additional_notes=Second.`,
		"what was null": `
			PATCH verification-requests/vr_completed {"reports":[{"set":{"respondent":null,"paystubs":null}}],"set":{"target":{"company":null}}} → 200
			PATCH verification-requests/vr_completed {"reports":[{"set":{"respondent":{"title":"Clerk"},"paystubs":{"0":{"net":null}}}}],"set":{"target":{"company":{"name":"Quay"}}}} → 200 resource.reports.0.respondent.title=Clerk resource.reports.0.respondent.email=null resource.reports.0.paystubs=null resource.target.company.name=Quay resource.target.company.city=null`,
		"paystubs as they are shown": `
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":[{"id":"old","pay_date":"2024-01-05"},{"id":"new","pay_date":"2025-01-03"}]}}]} → 200 resource.reports.0.paystubs.0.id=new
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"0":{"net":"7.00","pay_date":"2023-01-06"}}}}]} → 200 resource.reports.0.paystubs.0.id=old resource.reports.0.paystubs.1.net=7.00
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"0":{"net":"8.00"}}}}]} → 200 resource.reports.0.paystubs.0.id=old resource.reports.0.paystubs.0.net=8.00 resource.reports.0.paystubs.1.net=7.00
			PATCH verification-requests/vr_frequency_hourly {"reports":[{"set":{"paystubs":{"0":{"net":"7.00"}}}}]} → 200
			PATCH verification-requests/vr_frequency_hourly {"reports":[{"set":{"paystubs":{"1":{"net":"8.00"}},"employee":{"status_detail":"separated"}}}]} → 200 resource.reports.0.paystubs.0.net=7.00 resource.reports.0.paystubs.1.net=8.00`,
		"before they exist": `
			PATCH verification-requests/vr_lifecycle {"reports":[{"set":{"paystubs":{"0":{"net":null}}}}]} → 200 resource.reports=null
			PATCH verification-requests/vr_lifecycle {"state":"completed","force":true} → 200 resource.reports.0.paystubs.0.net=null`,
		"what is not there": `
			PATCH verification-requests/vr_completed {"reports":[{"set":{"employee":{"hired_date":"2025-01-06"},"paystubs":{"20":{"net":null}}}}]} → 400 …paystubs.20 is not there: elements are counted from 0, and the list has
			PATCH verification-requests/vr_completed {"reports":[{},{}]} → 400 reports has 2 elements, and the request has 1: leave the others out
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"26":{"net":null}}}}]} → 400 The body is invalid: paystubs.26 is not there: elements are counted from 0, and the list has 26
			PATCH verification-requests/vr_completed {"set":{"documents":{"1":{"filename":null}}}} → 400 The body is invalid: documents.1 is not there: elements are counted from 0, and the list has 1
			POST verification-requests {"reports":[{"set":{"paystubs":{"26":{"net":null}}}}]} → 400 The body is invalid: paystubs.26 is not there: elements are counted from 0, and the list has 26
			POST verification-requests {"verification_request":{"set":{"documents":{"1":{"filename":null}}}}} → 400 The body is invalid: documents.1 is not there: elements are counted from 0, and the list has 1
			POST qualification-checks {"qualification_check":{"set":{"result":{"report_results":{"1":{"report_id":"rep"}}}}}} → 400 The body is invalid: result.report_results.1 is not there: elements are counted from 0, and the list has 1
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"last":{"net":null}}}}]} → 400 The body is invalid: body:1:33: "last" is not the number of an element: write a list, or the elements that change by their numbers, from 0 to 999
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"0":{"net":"1"}}}}]} → 400
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"0":{"id":null}}}}]} → 400
			PATCH verification-requests/vr_completed {"set":{"cancellation_reason":"no-match"}} → 400
			PATCH verification-requests/vr_completed {"set_canceled":{"id":"vr_other"}} → 400 The body is invalid: body:1:18: set may not set id: it follows from elsewhere`,
	})
}

// A change by number reaches one element, wherever its new values put it in the list.
func TestSteerReportsOneElement(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	lab.WantStatus(t, c.Send("PATCH", lab.Control+"verification-requests/vr_completed", `{"reports":[{"set":{"paystubs":{"0":{"pay_date":"2020-01-03","net":null}}}}]}`), 200, "")
	var v api.VerificationRequest
	c.Get("/verification-requests/vr_completed").JSON(&v)
	changed := 0
	for _, p := range v.Reports[0].Paystubs {
		if p.Net == nil || p.PayDate.String() == "2020-01-03" {
			changed++
		}
	}
	if changed != 1 || len(v.Reports[0].Paystubs) != 26 {
		t.Errorf("%d changed of %d", changed, len(v.Reports[0].Paystubs))
	}
}

// The reports of a check can be read: its id with vr_of_ before it is that of a completed request, which is as old as the
// check and no more to be canceled.
func TestQualificationReports(t *testing.T) {
	t.Parallel()
	t.Run("as any request", func(t *testing.T) {
		t.Parallel()
		const mine = "verification-requests/vr_of_qc_a"
		lab.PlayScript(t, lab.Start(t), evaluated+`
			GET qualification-checks/qc_a → 200 verification_request_id=vr_of_qc_a
			GET `+mine+` → 200 id=vr_of_qc_a state=completed scenario= resource.type=tenant-screening resource.reports.#=1
			GET /`+mine+`?income_analytics=true → 200 created=* type=tenant-screening reports.0.income_analytics.annualized_income.gross_amount.amount=60000.00
			PUT /`+mine+`/cancel `+lab.CancelOther+` → `+lab.Terminal+`
			GET verification-requests → 200 items.#=0
			POST verification-requests {"id":"vr_of_qc_a"} → 409 The id vr_of_qc_a is taken: choose another
			PATCH `+mine+` {"set":{"loan_id":"7"}} → 200
			GET /`+mine+` → 200 loan_id=7
			DELETE `+mine+` → 204
			GET /`+mine+` → 200 loan_id=null
			DELETE qualification-checks/qc_a → 204
			GET /`+mine+` → 400
			POST qualification-checks {"id":"qc_a","qualification_check":{"type":"employment-income"}} → 201
			GET /`+mine+` → 200 type=employment-income
			GET /verification-requests/vr_of_qc_qualified → 200 reports.#=1
			GET /verification-requests/vr_of_qc_typo → 400`)
	})
	for seed, instant := range map[uint64]string{1: "2025-01-15T09:00:00Z", 7: "2024-02-29T23:59:59Z", 1 << 60: "2026-12-31T12:00:00Z"} {
		t.Run("of each magic check "+instant, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.RFC3339, instant)
			lab.NoError(t, err)
			c := lab.Start(t, emulator.WithSeed(seed), emulator.WithClock(emulator.FrozenAt(at)))
			catalogue, err := scenarios.Load()
			lab.NoError(t, err)
			for _, s := range catalogue.All() {
				if id := s.Magic.QualificationCheck; id != "" && len(s.Rules) == 0 {
					checkReports(t, c, id)
				}
			}
			var created api.QualificationCheck
			c.Post(lab.Control+"qualification-checks", `{"reports":[{"pay":{"rate":24}},{"employee":{"status_detail":"separated"}}]}`).JSON(&created)
			checkReports(t, c, created.ID)
			before := c.Get("/verification-requests/vr_of_qc_qualified").Body
			lab.WantStatus(t, c.Post(lab.Control+"reset", ""), 200, "")
			if after := c.Get("/verification-requests/vr_of_qc_qualified").Body; string(after) != string(before) {
				t.Errorf("after a reset %s", after)
			}
		})
	}
}

// checkReports compares a check with the reports of its request.
func checkReports(t *testing.T, c *apitest.Client, id string) {
	t.Helper()
	var q api.QualificationCheck
	c.Get("/qualification-checks/" + id).JSON(&q)
	var v api.VerificationRequest
	c.Get("/verification-requests/vr_of_" + id + "?income_analytics=true").JSON(&v)
	if len(v.Reports) != len(q.Result.ReportResults) {
		t.Fatalf("%s: %d reports, and %d results", id, len(v.Reports), len(q.Result.ReportResults))
	}
	for i, r := range v.Reports {
		result, income := q.Result.ReportResults[i], ""
		if a := r.IncomeAnalytics; a != nil {
			annual, _ := strconv.ParseFloat(string(*cmp.Or(a.AnnualizedIncome.GrossAmount, a.AnnualizedIncome.BaseAmount).Amount), 64)
			income = strconv.FormatFloat(math.RoundToEven(annual*100/12)/100, 'f', 2, 64)
		}
		if shown := string(*cmp.Or(result.MonthlyGrossIncome, new(api.Decimal))); result.ReportID != r.ID || shown != income || r.VerificationRequest.ID != v.ID {
			t.Errorf("%s: report %s with %s a month, and result %+v", id, r.ID, income, result)
		}
	}
}

package inventory_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// derived has scenarios that set fields from which others follow. Paystubs are in any order.
const derived = `
name: stubs
title: Paystubs of two years
magic: {verification_request: vr_stubs, ssn: 000-00-7100}
reports:
  - set:
      paystubs:
        - {id: stub_1, pay_date: "2024-12-27", pay_period_start_date: "2024-12-09", pay_period_end_date: "2024-12-22", base: "1000.00", gross: "1000.00"}
        - {id: stub_3}
        - {id: stub_2, pay_date: "2025-01-10", pay_period_start_date: "2024-12-23", base: "1000.00", overtime: "50.00", gross: "1050.00"}
---
name: no-stubs
title: Neither paystubs nor a date up to which they pay
magic: {verification_request: vr_no_stubs}
reports: [{set: {paystubs: []}}, {set: {paystubs: null}}]
---
name: contrary
title: A report that contradicts itself on purpose
magic: {verification_request: vr_contrary}
reports: [{set: {paid_through_date: "2001-02-03", employee: {earnings: []}}}]
---
name: ended
title: Employments that ended, said in three ways
magic: {verification_request: vr_ended}
verification_request: {employer_filter: all-employers}
reports:
  - set: {employee: {status_detail: lay-off}}
  - set: {employee: {status: inactive}}
  - set: {employee: {termination_date: "2024-05-31"}}
---
name: typed
title: A request whose type and times are set
magic: {verification_request: vr_typed}
verification_request: {set: {type: employment, created: "2024-06-01T08:00:00Z", date_of_completion: "2024-06-03T08:00:00Z", target: {last_name: Lovelace}}}
`

const noPay = "reports.0.employee.salary=null reports.0.employee.earnings=null reports.0.paystubs=null reports.0.paid_through_date=null reports.0.income_analytics=null"

// What follows from something else in a document is derived after all fields were set, wherever they were set.
func TestDerived(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"paystubs_are_sorted_and_paid_through": `
			GET /verification-requests/vr_stubs → 200 reports.0.paystubs.#=3 reports.0.paystubs.0.id=stub_2 reports.0.paystubs.1.id=stub_1 reports.0.paystubs.2.id=stub_3 reports.0.paid_through_date=2025-01-10
			GET /verification-requests/vr_no_stubs → 200 reports.0.paystubs=[] reports.0.paid_through_date=null reports.1.paystubs=null reports.1.paid_through_date=null`,
		"earnings_salary_and_analytics_follow_paystubs": `
			GET /verification-requests/vr_stubs?income_analytics=true → 200 reports.0.employee.earnings.0.year=2025 reports.0.employee.earnings.0.total=1050.00 reports.0.employee.salary.gross_pay=1000.00 reports.0.income_analytics.annualized_income.base_amount.amount=26000.00 reports.0.income_analytics.annualized_income.gross_amount.amount=26650.00
			GET verification-requests/vr_stubs → 200 diagnosis.#=1 diagnosis.0="reports.0.set.paystubs are not all of 2024, so that the earnings of 2024 are not their sum: set employee.earnings, or earlier paystubs"`,
		"what_is_set_is_shown_and_diagnosed": `
			GET /verification-requests/vr_contrary → 200 reports.0.paid_through_date=2001-02-03 reports.0.employee.earnings=[]
			GET verification-requests/vr_contrary → 200 diagnosis.#=2 diagnosis.1="reports.0.set.paid_through_date contradicts the paystubs, from which 2024-12-28 follows: it is shown as it is set"`,
		"amount_follows_gross_amount": `
			PATCH verification-requests/vr_completed {"reports":[{"set":{"income_analytics":{"annualized_income":{"gross_amount":{"amount":"5.00"}}}}}]} → 200
			GET /verification-requests/vr_completed?income_analytics=true → 200 reports.0.income_analytics.annualized_income.amount.amount=5.00
			PATCH verification-requests/vr_completed {"reports":[{"set":{"income_analytics":{"annualized_income":{"gross_amount":null}}}}]} → 200
			GET /verification-requests/vr_completed?income_analytics=true → 200 reports.0.income_analytics.annualized_income.amount.amount=0.00 reports.0.income_analytics.annualized_income.gross_amount=null`,
		"status_follows_status_detail": `
			GET /verification-requests/vr_ended → 200 reports.0.employee.status=inactive reports.0.employee.status_detail=lay-off reports.0.employee.termination_date=* reports.0.employee.positions.0.end_date=*
			GET /verification-requests/vr_ended → 200 reports.1.employee.status=inactive reports.1.employee.status_detail=separated reports.1.employee.termination_date=*
			GET /verification-requests/vr_ended → 200 reports.2.employee.status=inactive reports.2.employee.status_detail=separated reports.2.employee.termination_date=2024-05-31 reports.2.paid_through_date=2024-05-31
			POST verification-requests {"reports":[{"set":{"employee":{"status":"active","status_detail":"retired"}}}]} → 400 The body is invalid: body:1:33: set.employee.status is active, and the status_detail retired belongs to inactive (spec 2.3): leave one of them out`,
		"amounts_at_their_bounds_have_exact_sums": `
			POST verification-requests {"id":"vr_rich","reports":[{"set":{"employee":{"salary":{"pay_frequency":"hourly","gross_pay":"999999999.99","hours_per_week":"168"}},"paystubs":[{"id":"a","pay_date":"2025-01-10","pay_period_start_date":"2025-01-01","pay_period_end_date":"2025-01-09","gross":"999999999.99"},{"id":"b","pay_date":"2025-01-05","pay_period_start_date":"2024-12-23","gross":"999999999.99"}]}}]} → 201
			GET /verification-requests/vr_rich?income_analytics=true → 200 reports.0.employee.earnings.0.total=1999999999.98 reports.0.income_analytics.annualized_income.base_amount.amount=8735999999912.64
			POST verification-requests {"id":"vr_busy","reports":[{"set":{"employee":{"salary":{"pay_frequency":"hourly","hours_per_week":"99999999999999999"}}}}]} → 201
			GET /verification-requests/vr_busy?income_analytics=true → 200 reports.0.income_analytics.annualized_income.base_amount=null
			POST verification-requests {"verification_request":{"set":{"loan_id":"7","created":"9999-12-31T23:59:59-05:00"}}} → 400 …is not an instant such as
			POST verification-requests {"id":"vr_old","reports":[{"set":{"paystubs":[{"id":"a","pay_date":"0001-01-01","pay_period_start_date":"0001-01-01"}]}}]} → 201 resource.reports.0.employee.earnings.0.year=0001
			PATCH verification-requests/vr_rich {"reports":[{"set":{"paystubs":{"00":{"net":null}}}}]} → 400 …"00\" is not the number of an element`,
		"type_and_times_of_a_scenario_reach_the_report": `
			GET /verification-requests/vr_typed → 200 type=employment price.amount=29.95 reports.0.verification_request.id=vr_typed reports.0.verification_request.type=employment reports.0.verification_request.created=2024-06-01T08:00:00.000000Z
			GET /verification-requests/vr_typed?income_analytics=true → 200 reports.0.created=2024-06-03T08:00:00.000000Z reports.0.current_as_of=2024-06-03 reports.0.employee.last_name=Lovelace ` + noPay + `
			GET verification-requests/vr_typed → 200 created=2024-06-01T08:00:00Z resource.type=employment`,
		"type_of_a_patch_reaches_the_report": `
			PATCH verification-requests/vr_stubs {"set":{"type":"employment"}} → 200 resource.reports.0.verification_request.type=employment resource.reports.0.paystubs=null diagnosis.0="reports.0.set.paystubs is not shown: a request of the type employment has no pay"
			GET /verification-requests/vr_stubs?income_analytics=true → 200 price.amount=29.95 ` + noPay + `
			PATCH verification-requests/vr_stubs {"set":{"type":"tenant-screening"}} → 200 resource.reports.0.verification_request.type=tenant-screening resource.reports.0.paystubs.#=3 resource.reports.0.paid_through_date=null
			PATCH verification-requests/vr_ended {"set":{"request_parameters":{"employer_filter":"current-employer"}}} → 400 The request is invalid at employer_filter: current-employer excludes report 1, whose status_detail is lay-off: choose all-employers, or an active status_detail`,
		"type_of_a_new_request_reaches_the_report": `
			POST verification-requests {"id":"vr_new","verification_request":{"type":"tenant-screening","set":{"type":"assets","created":"2025-01-01T00:00:00Z"}}} → 201 created=2025-01-01T00:00:00Z
			GET /verification-requests/vr_new?income_analytics=true → 200 type=assets price.amount=19.95 reports.0.verification_request.type=assets reports.0.verification_request.id=vr_new reports.0.verification_request.created=2025-01-01T00:00:00.000000Z ` + noPay + `
			POST verification-requests {"verification_request":{"type":"employment"},"reports":[{"set":{"paystubs":[{"id":"a","pay_date":"2025-01-10"}]}}]} → 201 resource.reports.0.paystubs=null diagnosis.#=1`,
		"datetimes_that_are_set_are_shown_with_six_digits": `
			PATCH verification-requests/vr_completed {"set":{"created":"2025-01-15T08:00:00.123456Z"}} → 200 resource.created=2025-01-15T08:00:00.123456Z
			GET /verification-requests/vr_completed → 200 created=2025-01-15T08:00:00.123456Z reports.0.verification_request.created=2025-01-15T08:00:00.123456Z date_of_completion=2025-01-15T09:30:00.000000Z
			PATCH verification-requests/vr_completed {"set":{"date_of_completion":"2025-01-15T08:00:00.123456Z"}} → 200 resource.created=2025-01-15T08:00:00.123456Z resource.date_of_completion=2025-01-15T08:00:00.123456Z
			PATCH verification-requests/vr_completed {"set":{"date_of_completion":"2025-01-15T08:00:00.123455Z"}} → 400 The date_of_completion, 2025-01-15T08:00:00.123455Z, would be before the request was created, 2025-01-15T08:00:00.123456Z: set a later one
			PATCH verification-requests/vr_completed {"set":{"created":"2025-01-15T08:00:00.1234567Z"}} → 400 The body is invalid: body:1:19: created "2025-01-15T08:00:00.1234567Z" has more than six digits of a second, which the API does not show: cut it to 2025-01-15T08:00:00.123456Z
			POST verification-requests {"reports":[{"set":{"created":"2025-01-15T08:00:00.0000001Z"}}]} → 400 …has more than six digits of a second
			POST qualification-checks {"id":"qc_six","qualification_check":{"set":{"created":"2025-01-15T08:00:00.5+01:00"}}} → 201 created=2025-01-15T07:00:00.500000Z
			PATCH qualification-checks/qc_six {"set":{"created":"2025-01-15T08:00:00.0000001Z"}} → 400 …has more than six digits of a second`,
		"datetimes_of_a_frozen_clock_are_shown_with_six_digits": `
			PUT clock {"now":"2025-01-15T09:45:00.123456789Z"} → 200
			POST /credentials/session SESSION(000-12-3456) → 201
			GET /verification-requests/{vr} → 200 created=2025-01-15T09:45:00.123456Z date_of_completion=2025-01-15T09:45:00.123456Z reports.0.created=2025-01-15T09:45:00.123456Z
			PATCH verification-requests/{vr} {"set":{"date_of_completion":"2025-01-15T09:45:00.123456Z"}} → 200 resource.created=2025-01-15T09:45:00.123456Z
			GET clock → 200 now=2025-01-15T09:45:00.123456789Z`,
		"of_two_reasons_the_later_one_counts": `
			PATCH verification-requests/vr_processing {"state":"canceled"} → 200 resource.cancellation_reason=other
			PATCH verification-requests/vr_processing {"set":{"cancellation_reason":"competitor"}} → 200 resource.cancellation_reason=competitor
			PATCH verification-requests/vr_processing {"state":"processing","force":true} → 200
			PATCH verification-requests/vr_processing {"state":"canceled","cancellation_reason":"immediate"} → 200 resource.cancellation_reason=immediate`,
		"cancellation_by_hand_has_the_reason_of_the_service": `
			PATCH verification-requests/vr_completed {"state":"canceled","force":true} → 200 resource.cancellation_reason=other resource.cancellation_details="The service cannot process the request." diagnosis.0="canceled without a reason: cancellation_reason is other, as when the service cancels (our decision; the specification is silent)"
			GET /verification-requests/vr_completed → 200 cancellation_reason=other
			PATCH verification-requests/vr_processing {"state":"canceled","cancellation_details":"late"} → 200 resource.cancellation_reason=other resource.cancellation_details=late diagnosis.#=1
			POST verification-requests {"state":"canceled"} → 201 resource.cancellation_reason=other diagnosis.#=1
			PATCH verification-requests/vr_action_required {"state":"canceled","set":{"cancellation_reason":null}} → 200 resource.cancellation_reason=null diagnosis.#=0
			PUT /verification-requests/vr_pending_approval/cancel {"cancellation_reason":"competitor"} → 200 cancellation_reason=competitor cancellation_details=null
			GET verification-requests/vr_pending_approval → 200 diagnosis.#=0`,
	}, lab.ScenarioFile(t, derived))
}

// The type that a session asks for decides whether the reports of its scenario show pay.
func TestDerivedSession(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.ScenarioFile(t, derived))
	for of, pay := range map[string]string{"employment": "null", "assets": "null", "employment-income": "*"} {
		body := strings.Replace(lab.WithSessions("SESSION(000-00-7100)"), `"type":"employment-income"`, `"type":"`+of+`"`, 1)
		r := c.Post("/credentials/session", body)
		lab.WantStatus(t, r, 201, "")
		var session api.CredentialsSession
		r.JSON(&session)
		id := lab.RequestOf(t, c, session)
		shown := c.Get("/verification-requests/" + id)
		lab.WantKeys(t, of, shown.Body, "type="+of+" reports.0.verification_request.type="+of+" reports.0.verification_request.id="+id+
			" reports.0.paystubs="+pay+" reports.0.paid_through_date="+pay+" reports.0.employee.salary="+pay)
	}
}

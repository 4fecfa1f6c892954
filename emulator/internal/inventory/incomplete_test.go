package inventory_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// The inspection of a request explains what its reports leave out, wherever it was left out.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"catalogue": `
			GET /verification-requests/vr_missing_period_ends → 200 reports.0.paystubs.0.pay_period_end_date=null reports.0.paid_through_date=* reports.0.employee.salary.gross_pay=*
			GET verification-requests/vr_missing_period_ends → 200 diagnosis.#=1 diagnosis.0="reports.0.paystubs: every pay_period_end_date is missing: paid_through_date and stale_data_warning follow from pay_date instead"
			GET /verification-requests/vr_missing_hours → 200 reports.0.paystubs.25.pay_period_hours=null reports.0.employee.salary.gross_pay=24.50
			GET verification-requests/vr_missing_hours → 200 diagnosis.#=1 diagnosis.0="reports.0.paystubs: every pay_period_hours is missing: the source sent none"
			GET verification-requests/vr_one_null_member → 200 diagnosis.#=1 diagnosis.0="reports.0.paystubs.0.net is missing: the source sent none"
			GET /verification-requests/vr_missing_month → 200 reports.0.paystubs.#=24
			GET verification-requests/vr_missing_month → 200 diagnosis.#=1 diagnosis.0="reports.0.paystubs: the month 2024-07 is missing: the source sent none"
			GET /verification-requests/vr_missing_year → 200 reports.0.employee.earnings.#=2 reports.0.employee.earnings.0.year=2025 reports.0.employee.earnings.1.year=2023
			GET verification-requests/vr_missing_year → 200 diagnosis.#=1 diagnosis.0="reports.0.employee.earnings: the year 2024 is missing: the source sent none"
			GET verification-requests/vr_completed → 200 diagnosis.#=0
			GET verification-requests/vr_pending_approval → 200 diagnosis.#=0`,
		"created_and_changed": `
			POST verification-requests {"id":"vr_part","reports":[{"missing":["hours","year"]},{"set":{"respondent":null}}]} → 201 resource.reports.0.paystubs.0.pay_period_hours=null diagnosis.#=3 diagnosis.2="reports.1.respondent is missing: the source sent none"
			PATCH verification-requests/vr_completed {"reports":[{"set":{"paystubs":{"0":{"pay_period_hours":null}}}}]} → 200 diagnosis.#=1 diagnosis.0="reports.0.paystubs.0.pay_period_hours is missing: the source sent none"
			POST verification-requests {"reports":[{"missing":["month","weeks"]}]} → 400 …missing`,
		"tampered": `
			GET /verification-requests/vr_tampered_net → 200 reports.#=2
			GET verification-requests/vr_tampered_net → 200 diagnosis.#=1 diagnosis.0="reports.0 is tampered with (net): the net of a paystub is higher than its gross. To find it, compare net and gross, where gross is above zero"
			POST verification-requests {"reports":[{"tamper":"duplicate"}]} → 201 resource.reports.0.paystubs.#=27
			POST verification-requests {"reports":[{"tamper":"ein"}]} → 201 diagnosis.0="reports.0.tamper is ein, and changes nothing: the report has nothing for it"
			POST verification-requests {"reports":[{"tamper":"gros"}]} → 400 …did you mean gross`,
		"a_day_later_data_is_stale": `
			GET /verification-requests/vr_data_60_days_old?income_analytics=true → 200 reports.0.income_analytics.annualized_income.stale_data_warning=false
			advance 24h
			GET /verification-requests/vr_data_60_days_old?income_analytics=true → 200 reports.0.income_analytics.annualized_income.stale_data_warning=true`,
	})
}

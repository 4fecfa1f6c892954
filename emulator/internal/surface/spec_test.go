package surface_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// specRows shows the coverage of the specification: section, request, answer, in the order of the sections. emulator/api/README.md
// has the rules that the rows hold.
//
// A line that begins with a number names a row. The lines below it are a script for playScript. <a|b> is one of several
// alternatives: the row is played for each, in a world of its own. SESSION{…} is the body of a credentials session with
// some members replaced; "ABSENT" deletes a member.
var specRows = spec1 + spec2 + spec3 + spec4 + spec5 + spec9

const spec1 = `
1 a body is a JSON object
	PUT /tenant-properties/tp_default {"name":"Quay"} → 200
	PUT /tenant-properties/tp_default ["Quay"] → 400 Invalid field values provided | the body must be a JSON object, not an array
	PUT /tenant-properties/tp_default {"name": → 400 Invalid field values provided | it ends too early
	PUT /tenant-properties/tp_default → 400 Invalid field values provided | the body is missing
	PUT /tenant-properties/tp_default {"name":"Quay","name":"Elm"} → 400 Invalid field values provided | the body has a key twice: "name"
1 a body has Content-Type application/json
	Content-Type: application/json; charset=utf-8
	PUT /tenant-properties/tp_default {"name":"Quay"} → 200
	Content-Type: text/plain
	PUT /tenant-properties/tp_default {"name":"Quay"} → 400 Invalid field values provided | Content-Type must be application/json
`

const spec2 = `
2 every key is present
	GET /verification-requests/vr_all_null → 200 …"date_of_birth":null,"contact_email":null,"phone_number":null,"company":null}}
2 unknown keys are ignored and diagnosed
	PUT /tenant-properties/tp_default {"name":"Quay","city_":"Salem"} → 200 name=Quay | unknown key "city_" was ignored: did you mean city?
2 one answer lists all problems
	PUT /verification-requests/vr_processing/cancel {"cancellation_details":7} → 400 Invalid field values provided | cancellation_reason is required; cancellation_details must be a string, not a number

2.1 each permissible_purpose
	POST /credentials/session SESSION{"permissible_purpose":"<child-support|credit-application|employee-eligibility|employee-request|employee-review-or-collection|employment|insurance-underwriting-application|legitimate-reason-initiated|legitimate-reason-review|risk-assessment|subpoena>"} → 201
	GET /verification-requests/{vr} → 200 permissible_purpose=<child-support|credit-application|employee-eligibility|employee-request|employee-review-or-collection|employment|insurance-underwriting-application|legitimate-reason-initiated|legitimate-reason-review|risk-assessment|subpoena>
2.1 another permissible_purpose is 400
	POST /credentials/session SESSION{"permissible_purpose":"curiosity"} → 400 Invalid field values provided | permissible_purpose must be one of: child-support
2.1 each use_case
	POST /credentials/session SESSION{"use_case":"<mortgage|home-equity|background|tenant|government|auto|lending|credit|identity|insurance|health|offers|account-management|preapproval>"} → 201
	GET /verification-requests/{vr} → 200 use_case=<mortgage|home-equity|background|tenant|government|auto|lending|credit|identity|insurance|health|offers|account-management|preapproval>
2.1 use_case other is 400
	POST /credentials/session SESSION{"use_case":"other"} → 400 Invalid field values provided | use_case must be one of: mortgage
	POST /credentials/session SESSION{"reseller_originating_party":{"originating_party":"Quay","permissible_purpose":"employment","use_case":"other"}} → 400 Invalid field values provided | reseller_originating_party.use_case must be one of: mortgage
2.1 use_case other in an answer
	POST verification-requests {"verification_request":{"use_case":"other","reseller_originating_party":{"originating_party":"Quay","permissible_purpose":"employment","use_case":"other"}}} → 201
	GET /verification-requests/{vr} → 200 use_case=other reseller_originating_party.use_case=other
2.1 each type
	GET /verification-requests/vr_<employment_income|employment|tenant_screening|assets> → 200 type=<employment-income|employment|tenant-screening|assets>
2.1 another type is 400
	POST /credentials/session SESSION{"type":"<salary|Assets>"} → 400 Invalid field values provided | type must be
2.1 each cancellation_reason
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"<immediate|high-turnaround-time|competitor|wrong-info|other>"} → 200 cancellation_reason=<immediate|high-turnaround-time|competitor|wrong-info|other>
	GET /verification-requests/vr_processing → 200 cancellation_reason=<immediate|high-turnaround-time|competitor|wrong-info|other>
2.1 no-match in the answer to a cancel only
	PATCH verification-requests/vr_processing {"set_canceled":{"cancellation_reason":"no-match","cancellation_details":"No record."}} → 200 resource.state=processing resource.cancellation_reason=null
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"wrong-info"} → 200 state=canceled cancellation_reason=no-match cancellation_details="No record."
	GET /verification-requests/vr_processing → 200 state=canceled cancellation_reason=other cancellation_details="No record."
2.1 cancellation_reason no-match is 400
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"<no-match|because|Other|>"} → 400 Invalid field values provided | cancellation_reason must be
2.1 amounts are USD with two decimals
	GET /verification-requests/vr_completed → 200 price.amount=49.95 price.currency=USD
	GET /verification-requests/vr_all_null → 200 price.amount=null price.currency=null
2.1 turnaround times are decimal strings or null
	GET /verification-requests/vr_completed → 200 …"turnaround_time":{"best_estimate":"
	GET /verification-requests/vr_all_null → 200 …"turnaround_time":{"best_estimate":null,"lower_bound":null,"upper_bound":null}

2.2 date_of_completion and reports come with completion
	GET /verification-requests/vr_completed → 200 date_of_completion=* reports=*
	GET /verification-requests/vr_<pending_approval|action_required|processing|invalid|canceled> → 200 date_of_completion=null reports=null
2.2 cancellation_details only when canceled
	GET /verification-requests/vr_canceled → 200 cancellation_reason=* cancellation_details=*
	GET /verification-requests/vr_<pending_approval|action_required|processing|invalid|completed> → 200 cancellation_reason=null cancellation_details=null
2.2 social security numbers are obfuscated
	POST /credentials/session SESSION{} → 201
	GET /verification-requests/{vr} → 200 target.social_security_number=***-**-3456 reports.0.employee.social_security_number=***-**-3456
2.2 request_parameters
	GET /verification-requests/vr_<completed|multiple_reports> → 200 request_parameters.employer_filter=<target-employer|all-employers> request_parameters.verification_methods.credentials.enabled=* request_parameters.verification_methods.instant.enabled=* request_parameters.verification_methods.smart_outreach.enabled=*
2.2 each employer_filter
	POST verification-requests {"verification_request":{"employer_filter":"<target-employer|all-employers|current-employer|previous-employers>"}} → 201
	GET /verification-requests/{vr} → 200 request_parameters.employer_filter=<target-employer|all-employers|current-employer|previous-employers>
2.2 documents have a filename
	POST verification-requests {"verification_request":{"set":{"documents":[{"filename":"w2.pdf"},{"filename":null}]}}} → 201
	GET /verification-requests/{vr} → 200 …"documents":[{"filename":"w2.pdf"},{"filename":null}]
2.2 reseller_originating_party
	GET /verification-requests/vr_reseller → 200 reseller_originating_party.originating_party="Example Home Loans" reseller_originating_party.permissible_purpose=* reseller_originating_party.use_case=*
	GET /verification-requests/vr_completed → 200 reseller_originating_party=null
2.2 the id of a company is an integer
	POST /credentials/session SESSION{"target":{"company":{"id":"7"}}} → 201
	GET /verification-requests/{vr} → 200 …"company":{"id":7,"name":"

2.3 paystubs are sorted by pay date
	GET /verification-requests/vr_completed → 200 reports.0.paystubs.#=26 reports.0.paystubs.0.pay_date=2025-01-08 reports.0.paystubs.1.pay_date=2024-12-24 reports.0.paystubs.25.pay_date=2024-01-24
2.3 paid_through_date only of employment-income
	GET /verification-requests/vr_<employment_income|employment|tenant_screening|assets|no_paystubs> → 200 reports.0.paid_through_date=<*|null|null|null|null>
2.3 pay only where the type has it
	GET /verification-requests/vr_<employment_income|employment|tenant_screening|assets> → 200 reports.0.employee.salary=<*|null|*|null> reports.0.employee.earnings=<*|null|*|null> reports.0.paystubs=<*|null|*|null>
2.3 income_analytics only when asked for
	GET /verification-requests/vr_completed → 200 reports.0.income_analytics=null
	GET /verification-requests/vr_completed?income_analytics=true → 200 reports.0.income_analytics=*
2.3 income_analytics only of active employees
	GET /verification-requests/vr_status_<full_time|retired|unknown>?income_analytics=true → 200 reports.0.income_analytics=<*|null|null>
2.3 annualized income without gross or base
	GET /verification-requests/vr_base_without_gross?income_analytics=true → 200 reports.0.income_analytics.annualized_income.gross_amount=null reports.0.income_analytics.annualized_income.amount.amount=0.00
	GET /verification-requests/vr_gross_without_base?income_analytics=true → 200 reports.0.income_analytics.annualized_income.base_amount=null reports.0.income_analytics.annualized_income.gross_amount=*
2.3 income warnings
	GET /verification-requests/vr_completed?income_analytics=true → 200 …"short_employment_warning":false,"stale_data_warning":false,"variable_income_warning":false
	GET /verification-requests/vr_<new_hire|stale|variable_income>?income_analytics=true → 200 reports.0.income_analytics.annualized_income.<short_employment|stale_data|variable_income>_warning=true
2.3 disputes are never null
	GET /verification-requests/vr_<completed|disputed> → 200 reports.0.disputes.#=<0|2>
2.3 each pricing_tier
	POST verification-requests {"verification_request":{"pricing_tier":"<instant|credentials|smart-outreach|third-party-providers>"}} → 201
	GET /verification-requests/{vr} → 200 reports.0.pricing_tier=<instant|credentials|smart-outreach|third-party-providers>
2.3 respondent
	POST verification-requests {"verification_request":{"pricing_tier":"<smart-outreach|credentials>"}} → 201
	GET /verification-requests/{vr} → 200 reports.0.respondent=<*|null>
2.3 a report names its request
	GET /verification-requests/vr_assets → 200 reports.0.verification_request.id=vr_assets reports.0.verification_request.created=* reports.0.verification_request.type=assets
2.3 government ids are FEINs
	GET /verification-requests/vr_completed → 200 reports.0.employer.government_ids.0.type=us-fein
2.3 each status_detail of an active employee
	GET /verification-requests/vr_status_<active|int_assignment|casual|long_term_dis|sick_leave|on_leave|multiple_positions|new_employee|part_time|season|temporary|intern|transferred|on_sabbatical|divested|full_time|active_as_needed|furloughed_covid>?income_analytics=true → 200 reports.0.employee.status=active reports.0.income_analytics=* reports.0.employee.status_detail=<active|int-assignment|casual|long-term-dis|sick-leave|on-leave|multiple-positions|new-employee|part-time|season|temporary|intern|transferred|on-sabbatical|divested|full-time|active-as-needed|furloughed-covid>
2.3 each status_detail of an inactive employee
	GET /verification-requests/vr_status_<surviving_spouse|inactive|lay_off|retired|separated|deceased|severed_pay|temp_inactive|non_emp_ben|not_assignment|not_payroll>?income_analytics=true → 200 reports.0.employee.status=inactive reports.0.income_analytics=null reports.0.employee.status_detail=<surviving-spouse|inactive|lay-off|retired|separated|deceased|severed-pay|temp-inactive|non-emp-ben|not-assignment|not-payroll>
2.3 each status_detail of an unknown status
	GET /verification-requests/vr_status_<unknown|non_employee|future_employee>?income_analytics=true → 200 reports.0.employee.status=unknown reports.0.income_analytics=null reports.0.employee.status_detail=<unknown|non-employee|future-employee>
2.3 dates of employment
	GET /verification-requests/vr_status_<full_time|on_leave|separated> → 200 reports.0.employee.hired_date=* reports.0.employee.on_leave_date=<null|*|null> reports.0.employee.termination_date=<null|null|*>
2.3 each employment_type
	POST verification-requests {"reports":[{"employee":{"employment_type":"<regular-full-time|regular-part-time|contractor-1099|other>"}}]} → 201
	GET /verification-requests/{vr} → 200 reports.0.employee.positions.0.employment_type=<regular-full-time|regular-part-time|contractor-1099|other>
2.3 each pay_frequency
	GET /verification-requests/vr_frequency_<annually|daily|semiweekly|monthly|weekly|biweekly|bimonthly|semimonthly|quarterly|semiannually|thirteen_monthly|fourteen_month|hourly|variable> → 200 reports.0.paystubs=* reports.0.employee.salary.pay_frequency=<annually|daily|semiweekly|monthly|weekly|biweekly|bimonthly|semimonthly|quarterly|semiannually|thirteen-monthly|fourteen-month|hourly|variable>
2.3 reduced_covid
	GET /verification-requests/vr_status_<full_time|furloughed_covid> → 200 reports.0.employee.salary.reduced_covid=<no|yes>
2.3 earnings are one for each year
	GET /verification-requests/vr_completed → 200 reports.0.employee.earnings.0.year=2025 reports.0.employee.earnings.1.year=2024

2.4 a cancel returns a part of the request
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"competitor"} → 200 {"id":"vr_processing","created":"2025-01-14T17:52:11.292567Z","date_of_completion":null,"state":"canceled","price":{"amount":"49.95","currency":"USD"},"turnaround_time":{"best_estimate":"12.68","lower_bound":"8.74","upper_bound":"29.67"},"branch_id":"branch-1639","loan_id":"loan-73846784","cancellation_reason":"competitor","cancellation_details":null}
2.4 state other
	POST verification-requests {"id":"vr_odd","state":"processing","verification_request":{"set_canceled":{"state":"other","date_of_completion":"2030-01-01T00:00:00Z"}}} → 201
	PUT /verification-requests/vr_odd/cancel {"cancellation_reason":"competitor"} → 200 state=other cancellation_reason=competitor date_of_completion=2030-01-01T00:00:00.000000Z
	GET /verification-requests/vr_odd → 200 state=canceled cancellation_reason=competitor date_of_completion=null

2.5 a tenant property
	PUT /tenant-properties/tp_default {"name":"Quay"} → 200 {"id":"tp_default","name":"Quay","address_line_1":null,"address_line_2":null,"address_line_3":null,"city":null,"postal_code":null,"state":null,"status":"active"}

2.6 a credentials session has id and token
	POST /credentials/session SESSION{} → 201 id=* token=*

2.7 each kind
	GET /qualification-checks/qc_<qualified|guarantor_qualified> → 200 kind=<applicant|guarantor> metadata=map[]
2.7 each outcome
	GET /qualification-checks/qc_<qualified|not_qualified|not_enough_information> → 200 result.outcome=<qualified|not_qualified|not_enough_information>
2.7 without income there are no figures
	GET /qualification-checks/qc_not_enough_information → 200 result.monthly_gross_income=null result.monthly_gross_income_fidelity=null result.rent_to_income_ratio=null
2.7 each fidelity
	GET /qualification-checks/qc_<qualified|estimate> → 200 result.monthly_gross_income_fidelity=<source|estimate> result.report_results.0.monthly_gross_income_fidelity=<source|estimate>
2.7 thresholds
	GET /qualification-checks/qc_qualified → 200 property_details.rent=1450.00 qualification_check_set.applicant_rent_to_income_ratio=0.40 qualification_check_set.guarantor_rent_to_income_ratio=0.20
2.7 what follows is computed again
	PATCH qualification-checks/qc_qualified {"set":{"property_details":{"rent":"9000.00"}}} → 200 result.outcome=not_qualified
	PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"0.20"}}} → 200 qualification_check_set.applicant_rent_to_income_ratio=5.00 result.outcome=qualified
	PATCH qualification-checks/qc_qualified {"set":{"kind":"guarantor"}} → 200 result.outcome=not_qualified
	PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"guarantor_rent_to_income_ratio":"5"}}} → 200 result.outcome=qualified
	GET /qualification-checks/qc_qualified → 200 kind=guarantor property_details.rent=9000.00 qualification_check_set.guarantor_rent_to_income_ratio=5 result.outcome=qualified
2.7 income_multiple is the threshold of an applicant inverted
	PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"applicant_rent_to_income_ratio":"0.3333"}}} → 200 qualification_check_set.income_multiple=3.00
	PATCH qualification-checks/qc_not_qualified {"set":{"qualification_check_set":{"income_multiple":"3"}}} → 200 qualification_check_set.applicant_rent_to_income_ratio=0.3333
	PATCH qualification-checks/qc_estimate {"set":{"qualification_check_set":{"income_multiple":null}}} → 200 qualification_check_set.income_multiple=null qualification_check_set.applicant_rent_to_income_ratio=0.40
2.7 each report has a result
	GET /qualification-checks/qc_<qualified|multiple_reports|not_enough_information> → 200 result.report_results.#=<1|2|1>
2.7 document requirements
	GET /qualification-checks/qc_document_requirements → 200 result.report_results.0.satisfied_document_income_requirements.0.file_type=paystub result.report_results.0.satisfied_document_income_requirements.1.file_type=w-2
	GET /qualification-checks/qc_qualified → 200 result.report_results.0.satisfied_document_income_requirements=null
`

const spec3 = `
3 each state
	GET /verification-requests/vr_<pending_approval|action_required|invalid|processing|completed|canceled> → 200 state=<pending-approval|action-required|invalid|processing|completed|canceled>
	GET /verification-requests/vr_<pending_approval|action_required|invalid|processing|completed|canceled> → 200 state=<pending-approval|action-required|invalid|processing|completed|canceled>
3 processing begins after pending-approval
	POST /credentials/session SESSION{"target":{"social_security_number":"000-00-1001"}} → 201
	GET /verification-requests/{vr} → 200 state=pending-approval
	GET /verification-requests/{vr} → 200 state=processing
	GET /verification-requests/{vr} → 200 state=completed reports=*
3 approval by the target returns to pending-approval
	GET /verification-requests/vr_target_approval → 200 state=processing
	GET /verification-requests/vr_target_approval → 200 state=pending-approval
3 the service may cancel
	GET /verification-requests/vr_service_canceled → 200 state=processing
	GET /verification-requests/vr_service_canceled → 200 state=canceled cancellation_reason=* cancellation_details=*
3 a cancel leads to canceled
	PUT /verification-requests/vr_<pending_approval|action_required|processing>/cancel {"cancellation_reason":"other","cancellation_details":"late"} → 200 state=canceled
	GET /verification-requests/vr_<pending_approval|action_required|processing> → 200 state=canceled cancellation_reason=other cancellation_details=late
3 terminal states stay
	PUT /verification-requests/vr_<completed|canceled|invalid>/cancel {"cancellation_reason":"other"} → 403 The verification request cannot be canceled
	GET /verification-requests/vr_<completed|canceled|invalid> → 200 state=<completed|canceled|invalid>
3 only force leaves a terminal state
	PATCH verification-requests/vr_<completed|canceled|invalid> {"state":"processing"} → 409
	PATCH verification-requests/vr_<completed|canceled|invalid> {"state":"processing","force":true} → 200 state=processing
3 a request is processed before it is completed
	PATCH verification-requests/vr_pending_approval {"state":"completed"} → 409
	PATCH verification-requests/vr_pending_approval {"state":"processing"} → 200
	PATCH verification-requests/vr_pending_approval {"state":"completed"} → 200
`

// playSpec plays the rows of a text, and returns their names.
func playSpec(t *testing.T, rows string) {
	t.Helper()
	url := lab.Serve(t)
	for _, row := range splitRows(rows) {
		t.Run(row.name, func(t *testing.T) {
			for i, script := range alternatives(row.script) {
				lab.PlayScript(t, apitest.New(t, url, lab.WorldKey(fmt.Sprint(row.name, i))), withMembers(t, script))
			}
		})
	}
}

func TestSpec(t *testing.T) {
	t.Parallel()
	playSpec(t, specRows)
}

type specRow struct{ name, script string }

func splitRows(text string) (rows []specRow) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "\t"):
			rows[len(rows)-1].script += line
		case line != "\n":
			rows = append(rows, specRow{name: strings.TrimSpace(line)})
		}
	}
	return rows
}

var (
	alternative = regexp.MustCompile(`<([^<>]*\|[^<>]*)>`)
	withMember  = regexp.MustCompile(`SESSION(\{.*\}) →`)
)

// alternatives returns a script once for each alternative. All places of a row have the same number of alternatives.
func alternatives(script string) (all []string) {
	count := 1
	for _, found := range alternative.FindAllStringSubmatch(script, -1) {
		count = max(count, len(strings.Split(found[1], "|")))
	}
	for i := range count {
		all = append(all, alternative.ReplaceAllStringFunc(script, func(found string) string {
			return strings.Split(strings.Trim(found, "<>"), "|")[i]
		}))
	}
	return all
}

// withMembers replaces SESSION{…} by the body of a session.
func withMembers(t *testing.T, script string) string {
	return withMember.ReplaceAllStringFunc(script, func(found string) string {
		var body, members map[string]any
		lab.NoError(t, json.Unmarshal([]byte(lab.Session("000-12-3456")), &body))
		lab.NoError(t, json.Unmarshal([]byte(withMember.FindStringSubmatch(found)[1]), &members))
		replaceMembers(body, members)
		text, err := json.Marshal(body)
		lab.NoError(t, err)
		return string(text) + " →"
	})
}

func replaceMembers(object, members map[string]any) {
	for name, value := range members {
		inner, isObject := value.(map[string]any)
		of, wasObject := object[name].(map[string]any)
		if object[name] = value; isObject && wasObject && name != "company" {
			object[name] = of
			replaceMembers(of, inner)
		}
	}
	maps.DeleteFunc(object, func(_ string, value any) bool { return value == "ABSENT" })
}

package generate

// specFields lists every field of the resources in section 2 of the specification, copied from its tables by hand: path, type or
// values, and N where the field may be null. A decimal is a string.
var specFields = map[string]string{
	"verification_request": `
		id string
		created datetime
		date_of_completion datetime N
		state pending-approval|action-required|invalid|processing|completed|canceled
		type employment-income|employment|tenant-screening|assets
		use_case mortgage|home-equity|background|tenant|government|auto|lending|credit|identity|insurance|health|offers|account-management|preapproval|other
		permissible_purpose child-support|credit-application|employee-eligibility|employee-request|employee-review-or-collection|employment|insurance-underwriting-application|legitimate-reason-initiated|legitimate-reason-review|risk-assessment|subpoena
		price object
		price.amount decimal N
		price.currency USD N
		turnaround_time object
		turnaround_time.best_estimate decimal N
		turnaround_time.lower_bound decimal N
		turnaround_time.upper_bound decimal N
		branch_id string N
		loan_id string N
		additional_information string N
		cancellation_reason immediate|high-turnaround-time|competitor|wrong-info|other N
		cancellation_details string N
		documents list N
		documents.0.filename string N
		metadata map N
		reports list N
		request_parameters object N
		request_parameters.employer_filter target-employer|all-employers|current-employer|previous-employers
		request_parameters.verification_methods object
		request_parameters.verification_methods.credentials object
		request_parameters.verification_methods.credentials.enabled boolean
		request_parameters.verification_methods.instant object
		request_parameters.verification_methods.instant.enabled boolean
		request_parameters.verification_methods.smart_outreach object
		request_parameters.verification_methods.smart_outreach.enabled boolean
		reseller_originating_party object N
		reseller_originating_party.originating_party string
		reseller_originating_party.permissible_purpose child-support|credit-application|employee-eligibility|employee-request|employee-review-or-collection|employment|insurance-underwriting-application|legitimate-reason-initiated|legitimate-reason-review|risk-assessment|subpoena
		reseller_originating_party.use_case mortgage|home-equity|background|tenant|government|auto|lending|credit|identity|insurance|health|offers|account-management|preapproval|other
		target object
		target.first_name string
		target.last_name string
		target.social_security_number string N
		target.date_of_birth date N
		target.contact_email string N
		target.phone_number string N
		target.company object N
		target.company.id integer N
		target.company.name string N
		target.company.address string N
		target.company.city string N
		target.company.state string N
		target.company.zip_code string N
		target.company.phone_number string N`,
	"report": `
		id string
		created datetime
		current_as_of date
		additional_notes string N
		d1c_eligible boolean N
		du_reference_id string N
		disputes list
		disputes.0.id string
		disputes.0.created datetime
		disputes.0.description string
		disputes.0.reference_id string
		employee object
		employee.first_name string
		employee.last_name string
		employee.email string N
		employee.social_security_number string N
		employee.hired_date date N
		employee.on_leave_date date N
		employee.termination_date date N
		employee.status active|inactive|unknown
		employee.status_detail active|int-assignment|casual|long-term-dis|sick-leave|on-leave|multiple-positions|new-employee|part-time|season|temporary|intern|transferred|on-sabbatical|divested|full-time|active-as-needed|surviving-spouse|inactive|lay-off|retired|separated|deceased|severed-pay|temp-inactive|non-emp-ben|not-assignment|not-payroll|unknown|furloughed-covid|non-employee|future-employee
		employee.positions list
		employee.positions.0.title string N
		employee.positions.0.start_date date N
		employee.positions.0.end_date date N
		employee.positions.0.employment_type regular-full-time|regular-part-time|contractor-1099|other
		employee.salary object N
		employee.salary.gross_pay decimal N
		employee.salary.hours_per_week decimal N
		employee.salary.months_per_year decimal N
		employee.salary.pay_frequency annually|daily|semiweekly|monthly|weekly|biweekly|bimonthly|semimonthly|quarterly|semiannually|thirteen-monthly|fourteen-month|hourly|variable N
		employee.salary.reduced_covid yes|no|unknown
		employee.earnings list N
		employee.earnings.0.year string N
		employee.earnings.0.base decimal
		employee.earnings.0.bonus decimal
		employee.earnings.0.commission decimal
		employee.earnings.0.other decimal
		employee.earnings.0.overtime decimal
		employee.earnings.0.total decimal
		employee.earnings.0.termination boolean
		employer object
		employer.name string
		employer.address string N
		employer.government_ids list N
		employer.government_ids.0.id string
		employer.government_ids.0.type us-fein
		income_analytics object N
		income_analytics.annualized_income object N
		income_analytics.annualized_income.amount object
		income_analytics.annualized_income.amount.amount decimal N
		income_analytics.annualized_income.amount.currency USD N
		income_analytics.annualized_income.base_amount object N
		income_analytics.annualized_income.base_amount.amount decimal N
		income_analytics.annualized_income.base_amount.currency USD N
		income_analytics.annualized_income.gross_amount object N
		income_analytics.annualized_income.gross_amount.amount decimal N
		income_analytics.annualized_income.gross_amount.currency USD N
		income_analytics.annualized_income.short_employment_warning boolean
		income_analytics.annualized_income.stale_data_warning boolean
		income_analytics.annualized_income.variable_income_warning boolean
		income_analytics.income_volatility object N
		income_analytics.income_volatility.gross_income_volatility decimal N
		paid_through_date date N
		paystubs list N
		paystubs.0.id string
		paystubs.0.reference_id string N
		paystubs.0.pay_date date N
		paystubs.0.pay_period_start_date date N
		paystubs.0.pay_period_end_date date N
		paystubs.0.pay_period_hours decimal N
		paystubs.0.base decimal N
		paystubs.0.bonus decimal N
		paystubs.0.commission decimal N
		paystubs.0.overtime decimal N
		paystubs.0.other decimal N
		paystubs.0.gross decimal N
		paystubs.0.net decimal N
		pricing_tier instant|credentials|smart-outreach|third-party-providers N
		respondent object N
		respondent.email string N
		respondent.full_name string N
		respondent.title string N
		verification_request object
		verification_request.id string
		verification_request.created datetime
		verification_request.type employment-income|employment|tenant-screening|assets`,
	"canceled": `
		id string
		created datetime
		date_of_completion datetime N
		state pending-approval|action-required|invalid|processing|completed|canceled|other
		price object
		price.amount decimal N
		price.currency USD N
		turnaround_time object
		turnaround_time.best_estimate decimal N
		turnaround_time.lower_bound decimal N
		turnaround_time.upper_bound decimal N
		branch_id string N
		loan_id string N
		cancellation_reason immediate|high-turnaround-time|competitor|wrong-info|other|no-match N
		cancellation_details string N`,
	"tenant_property": `
		id string
		name string
		address_line_1 string N
		address_line_2 string N
		address_line_3 string N
		city string N
		postal_code string N
		state string N
		status string`,
	"qualification_check": `
		id string
		created datetime
		kind applicant|guarantor
		metadata map N
		property_details object
		property_details.rent decimal
		qualification_check_set object
		qualification_check_set.id string
		qualification_check_set.name string
		qualification_check_set.applicant_rent_to_income_ratio decimal
		qualification_check_set.guarantor_rent_to_income_ratio decimal
		qualification_check_set.income_multiple decimal N
		result object
		result.outcome qualified|not_qualified|not_enough_information
		result.monthly_gross_income decimal N
		result.monthly_gross_income_fidelity estimate|source N
		result.rent_to_income_ratio decimal N
		result.report_results list
		result.report_results.0.report_id string
		result.report_results.0.monthly_gross_income decimal N
		result.report_results.0.monthly_gross_income_fidelity estimate|source N
		result.report_results.0.satisfied_document_income_requirements list N
		result.report_results.0.satisfied_document_income_requirements.0.file_type string
		result.report_results.0.satisfied_document_income_requirements.0.start_date date N
		result.report_results.0.satisfied_document_income_requirements.0.end_date date N`,
	"credentials_session": `
		id string
		token string`,
}

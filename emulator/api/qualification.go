package api

// QualificationCheck is the result of one qualification check (spec 2.7, beta).
type QualificationCheck struct {
	ID                    string                `json:"id"`
	Created               Datetime              `json:"created"`
	Kind                  QualificationKind     `json:"kind"`
	Metadata              map[string]string     `json:"metadata"`
	PropertyDetails       PropertyDetails       `json:"property_details"`
	QualificationCheckSet QualificationCheckSet `json:"qualification_check_set"`
	Result                QualificationResult   `json:"result"`
}

// PropertyDetails is what the applicant wants to rent (spec 2.7).
type PropertyDetails struct {
	Rent Decimal `json:"rent" spec:"two decimals, not negative"` // USD a month
}

// QualificationCheckSet holds the thresholds that an income is judged by (spec 2.7).
type QualificationCheckSet struct {
	ID                         string   `json:"id"`
	Name                       string   `json:"name"`
	ApplicantRentToIncomeRatio Decimal  `json:"applicant_rent_to_income_ratio" spec:"not negative"`
	GuarantorRentToIncomeRatio Decimal  `json:"guarantor_rent_to_income_ratio" spec:"not negative"`
	IncomeMultiple             *Decimal `json:"income_multiple" spec:"above 0"` // deprecated (spec 9); above 0 (spec 8)
}

// QualificationResult is the verdict and its figures (spec 2.7).
type QualificationResult struct {
	Outcome                    QualificationOutcome        `json:"outcome"`
	MonthlyGrossIncome         *Decimal                    `json:"monthly_gross_income" spec:"two decimals"`
	MonthlyGrossIncomeFidelity *IncomeFidelity             `json:"monthly_gross_income_fidelity"`
	RentToIncomeRatio          *Decimal                    `json:"rent_to_income_ratio"`
	ReportResults              []QualificationReportResult `json:"report_results" spec:"not null"`
}

// QualificationReportResult is one report's part in a result (spec 2.7).
type QualificationReportResult struct {
	ReportID                            string                      `json:"report_id"`
	MonthlyGrossIncome                  *Decimal                    `json:"monthly_gross_income" spec:"two decimals"`
	MonthlyGrossIncomeFidelity          *IncomeFidelity             `json:"monthly_gross_income_fidelity"`
	SatisfiedDocumentIncomeRequirements []DocumentIncomeRequirement `json:"satisfied_document_income_requirements"`
}

// DocumentIncomeRequirement is a document that counted as proof of income (spec 2.7).
type DocumentIncomeRequirement struct {
	FileType  string `json:"file_type"`
	StartDate *Date  `json:"start_date"`
	EndDate   *Date  `json:"end_date"`
}

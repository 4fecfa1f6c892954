package api

import (
	"regexp"
	"strings"
)

// VerificationRequest is one verification request as read-one returns it (spec 2.2).
type VerificationRequest struct {
	ID                       string                    `json:"id"`
	Created                  Datetime                  `json:"created"`
	DateOfCompletion         *Datetime                 `json:"date_of_completion"`
	State                    State                     `json:"state"`
	Type                     VerificationType          `json:"type"`
	UseCase                  UseCase                   `json:"use_case"` // also UseCaseOther
	PermissiblePurpose       PermissiblePurpose        `json:"permissible_purpose"`
	Price                    MoneyAmount               `json:"price"`
	TurnaroundTime           TurnaroundTime            `json:"turnaround_time"`
	BranchID                 *string                   `json:"branch_id"`
	LoanID                   *string                   `json:"loan_id"`
	AdditionalInformation    *string                   `json:"additional_information"`
	CancellationReason       *CancellationReason       `json:"cancellation_reason"`
	CancellationDetails      *string                   `json:"cancellation_details"` // only when canceled
	Documents                []Document                `json:"documents"`
	Metadata                 map[string]string         `json:"metadata"`
	Reports                  []Report                  `json:"reports"` // null until completed
	RequestParameters        *RequestParameters        `json:"request_parameters"`
	ResellerOriginatingParty *ResellerOriginatingParty `json:"reseller_originating_party"`
	Target                   Target                    `json:"target"`
}

// TurnaroundTime estimates a request's duration in hours (spec 2.1); all null when there is no estimate.
type TurnaroundTime struct {
	BestEstimate *Decimal `json:"best_estimate" spec:"not negative"`
	LowerBound   *Decimal `json:"lower_bound" spec:"not negative"`
	UpperBound   *Decimal `json:"upper_bound" spec:"not negative"`
}

// Document is a supporting file from the verifier (spec 2.2).
type Document struct {
	Filename *string `json:"filename"`
}

// RequestParameters says which employers were asked about and how (spec 2.2).
type RequestParameters struct {
	EmployerFilter      EmployerFilter      `json:"employer_filter"`
	VerificationMethods VerificationMethods `json:"verification_methods"`
}

// VerificationMethods says which ways of obtaining a report are open (spec 2.2).
type VerificationMethods struct {
	Credentials   VerificationMethod `json:"credentials"`
	Instant       VerificationMethod `json:"instant"`
	SmartOutreach VerificationMethod `json:"smart_outreach"`
}

// VerificationMethod is one way of obtaining a report (spec 2.2).
type VerificationMethod struct {
	Enabled bool `json:"enabled"`
}

// ResellerOriginatingParty is who asked through a reseller (spec 2.2, and 4.4 on input).
type ResellerOriginatingParty struct {
	OriginatingParty   string             `json:"originating_party" yaml:"originating_party"`
	PermissiblePurpose PermissiblePurpose `json:"permissible_purpose" yaml:"permissible_purpose"`
	UseCase            UseCase            `json:"use_case" yaml:"use_case"` // also UseCaseOther in responses
}

// Target is the person that a verification is about, as returned (spec 2.2, Target output).
type Target struct {
	FirstName            string   `json:"first_name"`
	LastName             string   `json:"last_name"`
	SocialSecurityNumber *string  `json:"social_security_number" spec:"obfuscated"` // ***-**-1234
	DateOfBirth          *Date    `json:"date_of_birth"`
	ContactEmail         *string  `json:"contact_email"`
	PhoneNumber          *string  `json:"phone_number"`
	Company              *Company `json:"company"`
}

// Company is the target's employer as returned (spec 2.2, Company output).
type Company struct {
	ID          *int    `json:"id"`
	Name        *string `json:"name"`
	Address     *string `json:"address"`
	City        *string `json:"city"`
	State       *string `json:"state"`
	ZipCode     *string `json:"zip_code"`
	PhoneNumber *string `json:"phone_number"`
}

// CanceledVerification is the answer to a cancel (spec 2.4).
type CanceledVerification struct {
	ID                  string              `json:"id"`
	Created             Datetime            `json:"created"`
	DateOfCompletion    *Datetime           `json:"date_of_completion"`
	State               State               `json:"state"` // also StateOther
	Price               MoneyAmount         `json:"price"`
	TurnaroundTime      TurnaroundTime      `json:"turnaround_time"`
	BranchID            *string             `json:"branch_id"`
	LoanID              *string             `json:"loan_id"`
	CancellationReason  *CancellationReason `json:"cancellation_reason"` // also ReasonNoMatch
	CancellationDetails *string             `json:"cancellation_details"`
}

// Canceled returns the part of a verification request that a cancel answers with (spec 2.4).
func (v VerificationRequest) Canceled() CanceledVerification {
	return CanceledVerification{
		ID:                  v.ID,
		Created:             v.Created,
		DateOfCompletion:    v.DateOfCompletion,
		State:               v.State,
		Price:               v.Price,
		TurnaroundTime:      v.TurnaroundTime,
		BranchID:            v.BranchID,
		LoanID:              v.LoanID,
		CancellationReason:  v.CancellationReason,
		CancellationDetails: v.CancellationDetails,
	}
}

// Report is what the service found out about one employment (spec 2.3).
type Report struct {
	ID                  string              `json:"id"`
	Created             Datetime            `json:"created"`
	CurrentAsOf         Date                `json:"current_as_of"`
	AdditionalNotes     *string             `json:"additional_notes"`
	D1CEligible         *bool               `json:"d1c_eligible"`    // day-one certainty of a mortgage agency
	DUReferenceID       *string             `json:"du_reference_id"` // to submit to that agency
	Disputes            []Dispute           `json:"disputes" spec:"not null"`
	Employee            Employee            `json:"employee"`
	Employer            Employer            `json:"employer"`
	IncomeAnalytics     *IncomeAnalytics    `json:"income_analytics"`  // on demand, for active employees
	PaidThroughDate     *Date               `json:"paid_through_date"` // employment-income only
	Paystubs            []Paystub           `json:"paystubs"`          // by pay date, most recent first
	PricingTier         *PricingTier        `json:"pricing_tier"`
	Respondent          *Respondent         `json:"respondent"`
	VerificationRequest VerificationSummary `json:"verification_request"`
}

// VerificationSummary names the request that a report belongs to (spec 2.3).
type VerificationSummary struct {
	ID      string           `json:"id"`
	Created Datetime         `json:"created"`
	Type    VerificationType `json:"type"`
}

// Dispute is an open dispute relevant to a report (spec 2.3).
type Dispute struct {
	ID          string   `json:"id"`
	Created     Datetime `json:"created"`
	Description string   `json:"description"`
	ReferenceID string   `json:"reference_id"`
}

// Employer is the employer on a report (spec 2.3).
type Employer struct {
	Name          string         `json:"name"`
	Address       *string        `json:"address"`
	GovernmentIDs []GovernmentID `json:"government_ids"`
}

// GovernmentID is an employer's number in a public register (spec 2.3).
type GovernmentID struct {
	ID   string           `json:"id"`
	Type GovernmentIDType `json:"type"`
}

// Respondent is who answered for the employer (spec 2.3).
type Respondent struct {
	Email    *string `json:"email"`
	FullName *string `json:"full_name"`
	Title    *string `json:"title"`
}

// Employee is the person on a report and the employment (spec 2.3).
type Employee struct {
	FirstName            string           `json:"first_name"`
	LastName             string           `json:"last_name"`
	Email                *string          `json:"email"`
	SocialSecurityNumber *string          `json:"social_security_number" spec:"obfuscated"` // ***-**-1234
	HiredDate            *Date            `json:"hired_date"`
	OnLeaveDate          *Date            `json:"on_leave_date"`
	TerminationDate      *Date            `json:"termination_date"`
	Status               EmploymentStatus `json:"status"`
	StatusDetail         StatusDetail     `json:"status_detail"`
	Positions            []Position       `json:"positions" spec:"not null"`
	Salary               *Salary          `json:"salary"`
	Earnings             []Earnings       `json:"earnings"`
}

// Position is one job held with the employer (spec 2.3).
type Position struct {
	Title          *string        `json:"title"`
	StartDate      *Date          `json:"start_date"`
	EndDate        *Date          `json:"end_date"`
	EmploymentType EmploymentType `json:"employment_type"`
}

// Salary is the agreed pay (spec 2.3).
type Salary struct {
	GrossPay      *Decimal      `json:"gross_pay" spec:"two decimals"` // for one unit of PayFrequency
	HoursPerWeek  *Decimal      `json:"hours_per_week" spec:"not negative"`
	MonthsPerYear *Decimal      `json:"months_per_year" spec:"not negative"`
	PayFrequency  *PayFrequency `json:"pay_frequency"`
	ReducedCovid  ReducedCovid  `json:"reduced_covid"`
}

// Earnings is what one calendar year paid before deductions (spec 2.3).
type Earnings struct {
	Year        *string `json:"year"`
	Base        Decimal `json:"base" spec:"two decimals"`
	Bonus       Decimal `json:"bonus" spec:"two decimals"`
	Commission  Decimal `json:"commission" spec:"two decimals"`
	Other       Decimal `json:"other" spec:"two decimals"`
	Overtime    Decimal `json:"overtime" spec:"two decimals"`
	Total       Decimal `json:"total" spec:"two decimals"`
	Termination bool    `json:"termination"`
}

// Paystub is one paycheck (spec 2.3). Amounts but Net are before deductions.
type Paystub struct {
	ID                 string   `json:"id"`
	ReferenceID        *string  `json:"reference_id"` // from the payroll provider
	PayDate            *Date    `json:"pay_date"`
	PayPeriodStartDate *Date    `json:"pay_period_start_date"`
	PayPeriodEndDate   *Date    `json:"pay_period_end_date"`
	PayPeriodHours     *Decimal `json:"pay_period_hours" spec:"not negative"`
	Base               *Decimal `json:"base" spec:"two decimals"`
	Bonus              *Decimal `json:"bonus" spec:"two decimals"`
	Commission         *Decimal `json:"commission" spec:"two decimals"`
	Overtime           *Decimal `json:"overtime" spec:"two decimals"`
	Other              *Decimal `json:"other" spec:"two decimals"`
	Gross              *Decimal `json:"gross" spec:"two decimals"`
	Net                *Decimal `json:"net" spec:"two decimals"`
}

// IncomeAnalytics are figures computed from a report (spec 2.3).
type IncomeAnalytics struct {
	AnnualizedIncome *AnnualizedIncome `json:"annualized_income"`
	IncomeVolatility *IncomeVolatility `json:"income_volatility"`
}

// AnnualizedIncome is a year's income and what to be wary of (spec 2.3).
type AnnualizedIncome struct {
	// Amount is deprecated for GrossAmount (spec 9): equal to it, "0.00" when it is null.
	Amount      MoneyAmount  `json:"amount"`
	BaseAmount  *MoneyAmount `json:"base_amount"`  // recurring income
	GrossAmount *MoneyAmount `json:"gross_amount"` // recurring and variable income

	ShortEmploymentWarning bool `json:"short_employment_warning"`
	StaleDataWarning       bool `json:"stale_data_warning"`
	VariableIncomeWarning  bool `json:"variable_income_warning"`
}

// IncomeVolatility says how much pay varies (spec 2.3).
type IncomeVolatility struct {
	GrossIncomeVolatility *Decimal `json:"gross_income_volatility"` // coefficient of variation
}

// TenantProperty is a named property with an address (spec 2.5).
type TenantProperty struct {
	ID           string  `json:"id"`
	Name         string  `json:"name" spec:"not blank"`
	AddressLine1 *string `json:"address_line_1"`
	AddressLine2 *string `json:"address_line_2"`
	AddressLine3 *string `json:"address_line_3"`
	City         *string `json:"city"`
	PostalCode   *string `json:"postal_code"`
	State        *string `json:"state"`
	Status       string  `json:"status"`
}

// CredentialsSession is the answer to the creation of a credentials session (spec 2.6).
type CredentialsSession struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

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

// Rules of fields that their types cannot say, as the tag spec names them, several with commas between. There are two
// more: "not null", and "obfuscated" of social security numbers.
const (
	notBlank    = "not blank"    // as an update has it (spec 4.3)
	twoDecimals = "two decimals" // spec section 8
	aboveZero   = "above 0"      // spec section 8
	notNegative = "not negative" // hours and rent: spec 2.1, 2.3 and 2.7
)

var (
	withTwoDecimals = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)
	withADigit      = regexp.MustCompile(`^[^-]*[1-9]`)
)

// Unfit says why a text cannot stand in a field of some rules, "" when it can.
func Unfit(rules, text string) string {
	for rule := range strings.SplitSeq(rules, ", ") {
		switch {
		case rule == notBlank && strings.TrimSpace(text) == "":
			return "may not be blank"
		case rule == twoDecimals && !withTwoDecimals.MatchString(text):
			return "must have two decimals, such as 49.95"
		case rule == aboveZero && !withADigit.MatchString(text):
			return "must be above 0"
		case rule == notNegative && strings.HasPrefix(text, "-"):
			return "may not be negative"
		}
	}
	return ""
}

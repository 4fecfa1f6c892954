package api

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/mask"
)

// VerificationRequest is a verification request (spec 2.2).
type VerificationRequest struct {
	ID                       string                    `json:"id"`
	Created                  Datetime                  `json:"created"`
	DateOfCompletion         *Datetime                 `json:"date_of_completion"`
	State                    State                     `json:"state"`
	Type                     VerificationType          `json:"type"`
	UseCase                  UseCase                   `json:"use_case"`
	PermissiblePurpose       PermissiblePurpose        `json:"permissible_purpose"`
	Price                    MoneyAmount               `json:"price"`
	TurnaroundTime           TurnaroundTime            `json:"turnaround_time"`
	BranchID                 *string                   `json:"branch_id"`
	LoanID                   *string                   `json:"loan_id"`
	AdditionalInformation    *string                   `json:"additional_information"`
	CancellationReason       *CancellationReason       `json:"cancellation_reason"`
	CancellationDetails      *string                   `json:"cancellation_details"` // null unless canceled
	Documents                []Document                `json:"documents"`
	Metadata                 map[string]string         `json:"metadata"`
	Reports                  []Report                  `json:"reports"` // null until completed
	RequestParameters        *RequestParameters        `json:"request_parameters"`
	ResellerOriginatingParty *ResellerOriginatingParty `json:"reseller_originating_party"`
	Target                   Target                    `json:"target"`
}

// TurnaroundTime estimates the duration of a request in hours (spec 2.1). All are null if there is no estimate.
type TurnaroundTime struct {
	BestEstimate *Decimal `json:"best_estimate" spec:"not negative"`
	LowerBound   *Decimal `json:"lower_bound" spec:"not negative"`
	UpperBound   *Decimal `json:"upper_bound" spec:"not negative"`
}

// Document is a supporting file from the verifier (spec 2.2).
type Document struct {
	Filename *string `json:"filename"`
}

// RequestParameters are the employers and the methods of a request (spec 2.2).
type RequestParameters struct {
	EmployerFilter      EmployerFilter      `json:"employer_filter"`
	VerificationMethods VerificationMethods `json:"verification_methods"`
}

// VerificationMethods are the ways to obtain a report (spec 2.2).
type VerificationMethods struct {
	Credentials   VerificationMethod `json:"credentials"`
	Instant       VerificationMethod `json:"instant"`
	SmartOutreach VerificationMethod `json:"smart_outreach"`
}

// VerificationMethod is one way to obtain a report (spec 2.2).
type VerificationMethod struct {
	Enabled bool `json:"enabled"`
}

// ResellerOriginatingParty is the party for which a reseller asks (spec 2.2, on input spec 4.4).
type ResellerOriginatingParty struct {
	OriginatingParty   string             `json:"originating_party" yaml:"originating_party"`
	PermissiblePurpose PermissiblePurpose `json:"permissible_purpose" yaml:"permissible_purpose"`
	UseCase            UseCase            `json:"use_case" yaml:"use_case"` // on input not "other"
}

// Target is the person of a verification (spec 2.2).
type Target struct {
	FirstName            string   `json:"first_name"`
	LastName             string   `json:"last_name"`
	SocialSecurityNumber *string  `json:"social_security_number" spec:"obfuscated"` // ***-**-1234
	DateOfBirth          *Date    `json:"date_of_birth"`
	ContactEmail         *string  `json:"contact_email"`
	PhoneNumber          *string  `json:"phone_number"`
	Company              *Company `json:"company"`
}

// Company is the target's employer (spec 2.2).
type Company struct {
	ID          *int    `json:"id"`
	Name        *string `json:"name"`
	Address     *string `json:"address"`
	City        *string `json:"city"`
	State       *string `json:"state"`
	ZipCode     *string `json:"zip_code"`
	PhoneNumber *string `json:"phone_number"`
}

// CanceledVerification is the answer to a cancel: a part of the verification request (spec 2.4).
type CanceledVerification struct {
	ID                  string              `json:"id"`
	Created             Datetime            `json:"created"`
	DateOfCompletion    *Datetime           `json:"date_of_completion"`
	State               State               `json:"state" spec:"or other"`
	Price               MoneyAmount         `json:"price"`
	TurnaroundTime      TurnaroundTime      `json:"turnaround_time"`
	BranchID            *string             `json:"branch_id"`
	LoanID              *string             `json:"loan_id"`
	CancellationReason  *CancellationReason `json:"cancellation_reason" spec:"or no-match"`
	CancellationDetails *string             `json:"cancellation_details"`
}

// Canceled returns the answer to a cancel of a request (spec 2.4).
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

// Report is the report of one employment (spec 2.3).
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

// VerificationSummary is the verification request of a report (spec 2.3).
type VerificationSummary struct {
	ID      string           `json:"id"`
	Created Datetime         `json:"created"`
	Type    VerificationType `json:"type"`
}

// Dispute is an open dispute about a report (spec 2.3).
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

// GovernmentID is a government id of an employer (spec 2.3).
type GovernmentID struct {
	ID   string           `json:"id"`
	Type governmentIDType `json:"type"`
}

// Respondent is the person who answered for the employer (spec 2.3).
type Respondent struct {
	Email    *string `json:"email"`
	FullName *string `json:"full_name"`
	Title    *string `json:"title"`
}

// Employee is the person of a report, with the employment (spec 2.3).
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

// Position is one job at the employer (spec 2.3).
type Position struct {
	Title          *string        `json:"title"`
	StartDate      *Date          `json:"start_date"`
	EndDate        *Date          `json:"end_date"`
	EmploymentType EmploymentType `json:"employment_type"`
}

// Salary is the agreed pay (spec 2.3).
type Salary struct {
	GrossPay      *Decimal      `json:"gross_pay" spec:"two decimals"` // per pay_frequency
	HoursPerWeek  *Decimal      `json:"hours_per_week" spec:"not negative"`
	MonthsPerYear *Decimal      `json:"months_per_year" spec:"not negative"`
	PayFrequency  *PayFrequency `json:"pay_frequency"`
	ReducedCovid  ReducedCovid  `json:"reduced_covid"`
}

// Earnings are the gross earnings of one calendar year (spec 2.3).
type Earnings struct {
	Year        *string `json:"year" spec:"year"`
	Base        Decimal `json:"base" spec:"two decimals"`
	Bonus       Decimal `json:"bonus" spec:"two decimals"`
	Commission  Decimal `json:"commission" spec:"two decimals"`
	Other       Decimal `json:"other" spec:"two decimals"`
	Overtime    Decimal `json:"overtime" spec:"two decimals"`
	Total       Decimal `json:"total" spec:"two decimals"`
	Termination bool    `json:"termination"`
}

// Paystub is one paycheck (spec 2.3). All amounts except Net are before deductions.
type Paystub struct {
	ID                 string   `json:"id"`
	ReferenceID        *string  `json:"reference_id"` // from the payroll provider
	PayDate            *Date    `json:"pay_date"`
	PayPeriodStartDate *Date    `json:"pay_period_start_date"`
	PayPeriodEndDate   *Date    `json:"pay_period_end_date"`
	PayPeriodHours     *Decimal `json:"pay_period_hours"`
	Base               *Decimal `json:"base" spec:"two decimals"`
	Bonus              *Decimal `json:"bonus" spec:"two decimals"`
	Commission         *Decimal `json:"commission" spec:"two decimals"`
	Overtime           *Decimal `json:"overtime" spec:"two decimals"`
	Other              *Decimal `json:"other" spec:"two decimals"`
	Gross              *Decimal `json:"gross" spec:"two decimals"`
	Net                *Decimal `json:"net" spec:"two decimals"`
}

// IncomeAnalytics are computed from a report (spec 2.3).
type IncomeAnalytics struct {
	AnnualizedIncome *AnnualizedIncome `json:"annualized_income"`
	IncomeVolatility *IncomeVolatility `json:"income_volatility"`
}

// AnnualizedIncome is the income of a year, with warnings (spec 2.3).
type AnnualizedIncome struct {
	// Deprecated (spec 9): equals gross_amount, or is "0.00" if that is null.
	Amount      MoneyAmount  `json:"amount"`
	BaseAmount  *MoneyAmount `json:"base_amount"`  // recurring income
	GrossAmount *MoneyAmount `json:"gross_amount"` // recurring and variable income

	ShortEmploymentWarning bool `json:"short_employment_warning"`
	StaleDataWarning       bool `json:"stale_data_warning"`
	VariableIncomeWarning  bool `json:"variable_income_warning"`
}

// IncomeVolatility is how much the pay varies (spec 2.3).
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

// PropertyDetails are the details of the property to rent (spec 2.7).
type PropertyDetails struct {
	Rent Decimal `json:"rent" spec:"two decimals, not negative"` // USD a month
}

// QualificationCheckSet has the thresholds of a qualification check (spec 2.7).
type QualificationCheckSet struct {
	ID                         string   `json:"id"`
	Name                       string   `json:"name"`
	ApplicantRentToIncomeRatio Decimal  `json:"applicant_rent_to_income_ratio" spec:"not negative"`
	GuarantorRentToIncomeRatio Decimal  `json:"guarantor_rent_to_income_ratio" spec:"not negative"`
	IncomeMultiple             *Decimal `json:"income_multiple" spec:"above 0"` // deprecated (spec 9); above 0 (spec 8)
}

// QualificationResult is the outcome of a qualification check and its figures (spec 2.7).
type QualificationResult struct {
	Outcome                    QualificationOutcome        `json:"outcome"`
	MonthlyGrossIncome         *Decimal                    `json:"monthly_gross_income" spec:"two decimals"`
	MonthlyGrossIncomeFidelity *IncomeFidelity             `json:"monthly_gross_income_fidelity"`
	RentToIncomeRatio          *Decimal                    `json:"rent_to_income_ratio"`
	ReportResults              []QualificationReportResult `json:"report_results" spec:"not null"`
}

// QualificationReportResult is the part of one report in a result (spec 2.7).
type QualificationReportResult struct {
	ReportID                            string                      `json:"report_id"`
	MonthlyGrossIncome                  *Decimal                    `json:"monthly_gross_income" spec:"two decimals"`
	MonthlyGrossIncomeFidelity          *IncomeFidelity             `json:"monthly_gross_income_fidelity"`
	SatisfiedDocumentIncomeRequirements []DocumentIncomeRequirement `json:"satisfied_document_income_requirements"`
}

// DocumentIncomeRequirement is a document accepted as proof of income (spec 2.7).
type DocumentIncomeRequirement struct {
	FileType  string `json:"file_type"`
	StartDate *Date  `json:"start_date"`
	EndDate   *Date  `json:"end_date"`
}

// Rules of fields, as values of the struct tag spec, separated by commas. The tag has three more: "not null" for a slice that is
// never null, "obfuscated" for a social security number, and "or WORD" for a value beside those of the enumeration.
const (
	notBlank    = "not blank"
	twoDecimals = "two decimals" // spec 8
	aboveZero   = "above 0"      // spec 8
	notNegative = "not negative" // hours and rent
	fourDigits  = "year"
	lastDigits  = "last four" // or no text
)

var (
	withTwoDecimals = mask.Expression(`^-?[0-9]+\.[0-9]{2}$`)
	withinBounds    = mask.Expression(`^-?[0-9]{1,9}\.`) // sums of amounts stay exact
	withFourDigits  = mask.Expression(`^[0-9]{4}$`)
	withADigit      = mask.Expression(`^[^-]*[1-9]`)
)

// Unfit returns why a text breaks the rules of a field, "" if it does not.
func Unfit(rules, text string) string {
	for rule := range strings.SplitSeq(rules, ", ") {
		switch {
		case rule == notBlank && strings.TrimSpace(text) == "":
			return "may not be blank"
		case rule == twoDecimals && !withTwoDecimals().MatchString(text):
			return "must have two decimals, such as 49.95"
		case rule == twoDecimals && !withinBounds().MatchString(text):
			return "must be at most 999999999.99"
		case rule == fourDigits && !withFourDigits().MatchString(text):
			return "must be a year of four digits, such as 2024"
		case rule == lastDigits && text != "" && !withFourDigits().MatchString(text):
			return "must be the last four digits of a social security number, and no more of it"
		case rule == aboveZero && !withADigit().MatchString(text):
			return "must be above 0"
		case rule == notNegative && strings.HasPrefix(text, "-"):
			return "may not be negative"
		}
	}
	return ""
}

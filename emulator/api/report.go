package api

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

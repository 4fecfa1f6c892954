package api

// The enumerations of the spec. Values lists the values of a type in the spec's order. A type has a constant for each value,
// unless hardly any rule names its values: then write them as they are, such as UseCase("mortgage").

// VerificationType is the type of a verification (spec 2.1).
type VerificationType string

const (
	TypeEmploymentIncome VerificationType = "employment-income"
	TypeEmployment       VerificationType = "employment"
	TypeTenantScreening  VerificationType = "tenant-screening"
)

func (VerificationType) Values() []VerificationType {
	return []VerificationType{TypeEmploymentIncome, TypeEmployment, TypeTenantScreening, "assets"}
}

// PermissiblePurpose is the legal ground of a verification (spec 2.1).
type PermissiblePurpose string

func (PermissiblePurpose) Values() []PermissiblePurpose {
	return []PermissiblePurpose{
		"child-support", "credit-application", "employee-eligibility", "employee-request", "employee-review-or-collection",
		"employment", "insurance-underwriting-application", "legitimate-reason-initiated", "legitimate-reason-review",
		"risk-assessment", "subpoena",
	}
}

// UseCase is the type of product that a request originates from (spec 2.1).
type UseCase string

// useCaseOther exists for historical compatibility: new requests may not have it.
const useCaseOther UseCase = "other"

// Values lists the use cases of responses.
func (UseCase) Values() []UseCase {
	return []UseCase{
		"mortgage", "home-equity", "background", "tenant", "government", "auto", "lending", "credit", "identity", "insurance",
		"health", "offers", "account-management", "preapproval", useCaseOther,
	}
}

// CancellationReason is the reason of a cancellation (spec 2.1). The answer to a cancel may also have "no-match".
type CancellationReason string

// Values lists the reasons that a cancel accepts.
func (CancellationReason) Values() []CancellationReason {
	return []CancellationReason{"immediate", "high-turnaround-time", "competitor", "wrong-info", "other"}
}

// State is the state of a verification request (spec 3). The answer to a cancel may also have "other".
type State string

const (
	StatePendingApproval State = "pending-approval"
	StateInvalid         State = "invalid"
	StateProcessing      State = "processing"
	StateCompleted       State = "completed"
	StateCanceled        State = "canceled"
)

// Values lists the states that a verification request can be in.
func (State) Values() []State {
	return []State{StatePendingApproval, "action-required", StateInvalid, StateProcessing, StateCompleted, StateCanceled}
}

// Terminal reports whether the state is terminal: completed, canceled or invalid. A cancel is answered 400 then (spec 3).
func (s State) Terminal() bool {
	return s == StateCompleted || s == StateCanceled || s == StateInvalid
}

// EmploymentStatus is the status of an employee (spec 2.3).
type EmploymentStatus string

const (
	EmploymentActive   EmploymentStatus = "active"
	EmploymentInactive EmploymentStatus = "inactive"
	EmploymentUnknown  EmploymentStatus = "unknown"
)

func (EmploymentStatus) Values() []EmploymentStatus {
	return []EmploymentStatus{EmploymentActive, EmploymentInactive, EmploymentUnknown}
}

// StatusDetail refines the status of an employee (spec 2.3).
type StatusDetail string

const (
	DetailActive            StatusDetail = "active"
	DetailCasual            StatusDetail = "casual"
	DetailOnLeave           StatusDetail = "on-leave"
	DetailMultiplePositions StatusDetail = "multiple-positions"
	DetailNewEmployee       StatusDetail = "new-employee"
	DetailPartTime          StatusDetail = "part-time"
	DetailSeason            StatusDetail = "season"
	DetailTemporary         StatusDetail = "temporary"
	DetailIntern            StatusDetail = "intern"
	DetailTransferred       StatusDetail = "transferred"
	DetailFullTime          StatusDetail = "full-time"
	DetailActiveAsNeeded    StatusDetail = "active-as-needed"

	DetailRetired      StatusDetail = "retired"
	DetailSeparated    StatusDetail = "separated"
	DetailTempInactive StatusDetail = "temp-inactive"

	DetailUnknown         StatusDetail = "unknown"
	DetailFurloughedCovid StatusDetail = "furloughed-covid"
	DetailNonEmployee     StatusDetail = "non-employee"
	DetailFutureEmployee  StatusDetail = "future-employee"
)

func (StatusDetail) Values() []StatusDetail {
	return []StatusDetail{
		DetailActive, "int-assignment", DetailCasual, "long-term-dis", "sick-leave", DetailOnLeave,
		DetailMultiplePositions, DetailNewEmployee, DetailPartTime, DetailSeason, DetailTemporary, DetailIntern,
		DetailTransferred, "on-sabbatical", "divested", DetailFullTime, DetailActiveAsNeeded,
		"surviving-spouse", "inactive", "lay-off", DetailRetired, DetailSeparated, "deceased",
		"severed-pay", DetailTempInactive, "non-emp-ben", "not-assignment", "not-payroll",
		DetailUnknown, DetailFurloughedCovid, DetailNonEmployee, DetailFutureEmployee,
	}
}

// PricingTier is the way a report was obtained (spec 2.3).
type PricingTier string

const (
	TierInstant       PricingTier = "instant"
	TierCredentials   PricingTier = "credentials"
	TierSmartOutreach PricingTier = "smart-outreach"
)

func (PricingTier) Values() []PricingTier {
	return []PricingTier{TierInstant, TierCredentials, TierSmartOutreach, "third-party-providers"}
}

// PayFrequency is the period of a salary (spec 2.3).
type PayFrequency string

const (
	PayAnnually        PayFrequency = "annually"
	PayDaily           PayFrequency = "daily"
	PaySemiweekly      PayFrequency = "semiweekly"
	PayMonthly         PayFrequency = "monthly"
	PayWeekly          PayFrequency = "weekly"
	PayBiweekly        PayFrequency = "biweekly"
	PayBimonthly       PayFrequency = "bimonthly"
	PaySemimonthly     PayFrequency = "semimonthly"
	PayQuarterly       PayFrequency = "quarterly"
	PaySemiannually    PayFrequency = "semiannually"
	PayThirteenMonthly PayFrequency = "thirteen-monthly"
	PayFourteenMonth   PayFrequency = "fourteen-month"
	PayHourly          PayFrequency = "hourly"
	PayVariable        PayFrequency = "variable"
)

func (PayFrequency) Values() []PayFrequency {
	return []PayFrequency{
		PayAnnually, PayDaily, PaySemiweekly, PayMonthly, PayWeekly, PayBiweekly, PayBimonthly, PaySemimonthly,
		PayQuarterly, PaySemiannually, PayThirteenMonthly, PayFourteenMonth, PayHourly, PayVariable,
	}
}

// EmploymentType is the contract type of a position (spec 2.3).
type EmploymentType string

const (
	EmploymentRegularFullTime EmploymentType = "regular-full-time"
	EmploymentRegularPartTime EmploymentType = "regular-part-time"
	EmploymentContractor1099  EmploymentType = "contractor-1099"
	EmploymentOther           EmploymentType = "other"
)

func (EmploymentType) Values() []EmploymentType {
	return []EmploymentType{EmploymentRegularFullTime, EmploymentRegularPartTime, EmploymentContractor1099, EmploymentOther}
}

// ReducedCovid reports whether a salary was reduced because of COVID-19 (spec 2.3).
type ReducedCovid string

const (
	ReducedCovidYes ReducedCovid = "yes"
	ReducedCovidNo  ReducedCovid = "no"
)

func (ReducedCovid) Values() []ReducedCovid {
	return []ReducedCovid{ReducedCovidYes, ReducedCovidNo, "unknown"}
}

// EmployerFilter selects the employers of a request (spec 2.2).
type EmployerFilter string

const (
	EmployersTarget   EmployerFilter = "target-employer"
	EmployersAll      EmployerFilter = "all-employers"
	EmployersCurrent  EmployerFilter = "current-employer"
	EmployersPrevious EmployerFilter = "previous-employers"
)

func (EmployerFilter) Values() []EmployerFilter {
	return []EmployerFilter{EmployersTarget, EmployersAll, EmployersCurrent, EmployersPrevious}
}

// QualificationKind is the person whose income a qualification check compares (spec 2.7).
type QualificationKind string

const (
	KindApplicant QualificationKind = "applicant"
	KindGuarantor QualificationKind = "guarantor"
)

func (QualificationKind) Values() []QualificationKind {
	return []QualificationKind{KindApplicant, KindGuarantor}
}

// QualificationOutcome is the outcome of a qualification check (spec 2.7).
type QualificationOutcome string

const (
	OutcomeQualified            QualificationOutcome = "qualified"
	OutcomeNotQualified         QualificationOutcome = "not_qualified"
	OutcomeNotEnoughInformation QualificationOutcome = "not_enough_information"
)

func (QualificationOutcome) Values() []QualificationOutcome {
	return []QualificationOutcome{OutcomeQualified, OutcomeNotQualified, OutcomeNotEnoughInformation}
}

// IncomeFidelity is the source of an income figure (spec 2.7).
type IncomeFidelity string

const (
	FidelityEstimate IncomeFidelity = "estimate"
	FidelitySource   IncomeFidelity = "source"
)

func (IncomeFidelity) Values() []IncomeFidelity {
	return []IncomeFidelity{FidelityEstimate, FidelitySource}
}

// currency is the currency of a money amount. Only USD is supported (spec 8).
type currency string

// usd is the only currency.
const usd currency = "USD"

func (currency) Values() []currency { return []currency{usd} }

// governmentIDType is the type of an employer's government id (spec 2.3).
type governmentIDType string

// USFEIN is the federal employer identification number, the only type.
const USFEIN governmentIDType = "us-fein"

func (governmentIDType) Values() []governmentIDType { return []governmentIDType{USFEIN} }

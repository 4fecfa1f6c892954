package api

// The enumerations of the spec. Values lists what a type may be, in the spec's order.

// VerificationType is the kind of a verification (spec 2.1, type).
type VerificationType string

const (
	TypeEmploymentIncome VerificationType = "employment-income"
	TypeEmployment       VerificationType = "employment"
	TypeTenantScreening  VerificationType = "tenant-screening"
	TypeAssets           VerificationType = "assets"
)

func (VerificationType) Values() []VerificationType {
	return []VerificationType{TypeEmploymentIncome, TypeEmployment, TypeTenantScreening, TypeAssets}
}

// PermissiblePurpose is the legal ground of a verification (spec 2.1, permissible_purpose).
type PermissiblePurpose string

const (
	PurposeChildSupport               PermissiblePurpose = "child-support"
	PurposeCreditApplication          PermissiblePurpose = "credit-application"
	PurposeEmployeeEligibility        PermissiblePurpose = "employee-eligibility"
	PurposeEmployeeRequest            PermissiblePurpose = "employee-request"
	PurposeEmployeeReviewOrCollection PermissiblePurpose = "employee-review-or-collection"
	PurposeEmployment                 PermissiblePurpose = "employment"
	PurposeInsuranceUnderwriting      PermissiblePurpose = "insurance-underwriting-application"
	PurposeLegitimateReasonInitiated  PermissiblePurpose = "legitimate-reason-initiated"
	PurposeLegitimateReasonReview     PermissiblePurpose = "legitimate-reason-review"
	PurposeRiskAssessment             PermissiblePurpose = "risk-assessment"
	PurposeSubpoena                   PermissiblePurpose = "subpoena"
)

func (PermissiblePurpose) Values() []PermissiblePurpose {
	return []PermissiblePurpose{
		PurposeChildSupport, PurposeCreditApplication, PurposeEmployeeEligibility, PurposeEmployeeRequest,
		PurposeEmployeeReviewOrCollection, PurposeEmployment, PurposeInsuranceUnderwriting,
		PurposeLegitimateReasonInitiated, PurposeLegitimateReasonReview, PurposeRiskAssessment, PurposeSubpoena,
	}
}

// UseCase is the type of product that a request originates from (spec 2.1, use_case).
type UseCase string

const (
	UseCaseMortgage          UseCase = "mortgage"
	UseCaseHomeEquity        UseCase = "home-equity"
	UseCaseBackground        UseCase = "background"
	UseCaseTenant            UseCase = "tenant"
	UseCaseGovernment        UseCase = "government"
	UseCaseAuto              UseCase = "auto"
	UseCaseLending           UseCase = "lending"
	UseCaseCredit            UseCase = "credit"
	UseCaseIdentity          UseCase = "identity"
	UseCaseInsurance         UseCase = "insurance"
	UseCaseHealth            UseCase = "health"
	UseCaseOffers            UseCase = "offers"
	UseCaseAccountManagement UseCase = "account-management"
	UseCasePreapproval       UseCase = "preapproval"

	// UseCaseOther appears in responses only, for historical compatibility.
	UseCaseOther UseCase = "other"
)

// Values lists the 14 use cases that a new request may name, in the spec's order; [UseCaseOther] is not among them.
func (UseCase) Values() []UseCase {
	return []UseCase{
		UseCaseMortgage, UseCaseHomeEquity, UseCaseBackground, UseCaseTenant, UseCaseGovernment, UseCaseAuto,
		UseCaseLending, UseCaseCredit, UseCaseIdentity, UseCaseInsurance, UseCaseHealth, UseCaseOffers,
		UseCaseAccountManagement, UseCasePreapproval,
	}
}

// CancellationReason says why a request was canceled (spec 2.1, cancellation_reason).
type CancellationReason string

const (
	ReasonImmediate          CancellationReason = "immediate"
	ReasonHighTurnaroundTime CancellationReason = "high-turnaround-time"
	ReasonCompetitor         CancellationReason = "competitor"
	ReasonWrongInfo          CancellationReason = "wrong-info"
	ReasonOther              CancellationReason = "other"

	// ReasonNoMatch appears in the cancel response only.
	ReasonNoMatch CancellationReason = "no-match"
)

// Values lists the reasons that a cancel request accepts and that read-one shows; [ReasonNoMatch] is not among them.
func (CancellationReason) Values() []CancellationReason {
	return []CancellationReason{ReasonImmediate, ReasonHighTurnaroundTime, ReasonCompetitor, ReasonWrongInfo, ReasonOther}
}

// State is where a verification request stands (spec section 3).
type State string

const (
	StatePendingApproval State = "pending-approval"
	StateActionRequired  State = "action-required"
	StateInvalid         State = "invalid"
	StateProcessing      State = "processing"
	StateCompleted       State = "completed"
	StateCanceled        State = "canceled"

	// StateOther is the catch-all of the cancel response's schema.
	StateOther State = "other"
)

// Values lists the states that a verification request can be in; [StateOther] is not among them.
func (State) Values() []State {
	return []State{StatePendingApproval, StateActionRequired, StateInvalid, StateProcessing, StateCompleted, StateCanceled}
}

// Terminal reports whether nothing leaves the state (spec section 3).
func (s State) Terminal() bool {
	return s == StateCompleted || s == StateCanceled || s == StateInvalid
}

// EmploymentStatus says whether the employee is employed now (spec 2.3, status).
type EmploymentStatus string

const (
	EmploymentActive   EmploymentStatus = "active"
	EmploymentInactive EmploymentStatus = "inactive"
	EmploymentUnknown  EmploymentStatus = "unknown"
)

func (EmploymentStatus) Values() []EmploymentStatus {
	return []EmploymentStatus{EmploymentActive, EmploymentInactive, EmploymentUnknown}
}

// StatusDetail refines the employment status (spec 2.3, status_detail).
type StatusDetail string

const (
	DetailActive            StatusDetail = "active"
	DetailIntAssignment     StatusDetail = "int-assignment"
	DetailCasual            StatusDetail = "casual"
	DetailLongTermDis       StatusDetail = "long-term-dis"
	DetailSickLeave         StatusDetail = "sick-leave"
	DetailOnLeave           StatusDetail = "on-leave"
	DetailMultiplePositions StatusDetail = "multiple-positions"
	DetailNewEmployee       StatusDetail = "new-employee"
	DetailPartTime          StatusDetail = "part-time"
	DetailSeason            StatusDetail = "season"
	DetailTemporary         StatusDetail = "temporary"
	DetailIntern            StatusDetail = "intern"
	DetailTransferred       StatusDetail = "transferred"
	DetailOnSabbatical      StatusDetail = "on-sabbatical"
	DetailDivested          StatusDetail = "divested"
	DetailFullTime          StatusDetail = "full-time"
	DetailActiveAsNeeded    StatusDetail = "active-as-needed"

	DetailSurvivingSpouse StatusDetail = "surviving-spouse"
	DetailInactive        StatusDetail = "inactive"
	DetailLayOff          StatusDetail = "lay-off"
	DetailRetired         StatusDetail = "retired"
	DetailSeparated       StatusDetail = "separated"
	DetailDeceased        StatusDetail = "deceased"
	DetailSeveredPay      StatusDetail = "severed-pay"
	DetailTempInactive    StatusDetail = "temp-inactive"
	DetailNonEmpBen       StatusDetail = "non-emp-ben"
	DetailNotAssignment   StatusDetail = "not-assignment"
	DetailNotPayroll      StatusDetail = "not-payroll"

	DetailUnknown         StatusDetail = "unknown"
	DetailFurloughedCovid StatusDetail = "furloughed-covid"
	DetailNonEmployee     StatusDetail = "non-employee"
	DetailFutureEmployee  StatusDetail = "future-employee"
)

func (StatusDetail) Values() []StatusDetail {
	return []StatusDetail{
		DetailActive, DetailIntAssignment, DetailCasual, DetailLongTermDis, DetailSickLeave, DetailOnLeave,
		DetailMultiplePositions, DetailNewEmployee, DetailPartTime, DetailSeason, DetailTemporary, DetailIntern,
		DetailTransferred, DetailOnSabbatical, DetailDivested, DetailFullTime, DetailActiveAsNeeded,
		DetailSurvivingSpouse, DetailInactive, DetailLayOff, DetailRetired, DetailSeparated, DetailDeceased,
		DetailSeveredPay, DetailTempInactive, DetailNonEmpBen, DetailNotAssignment, DetailNotPayroll,
		DetailUnknown, DetailFurloughedCovid, DetailNonEmployee, DetailFutureEmployee,
	}
}

// PricingTier is how a report was obtained (spec 2.3, pricing_tier).
type PricingTier string

const (
	TierInstant             PricingTier = "instant"
	TierCredentials         PricingTier = "credentials"
	TierSmartOutreach       PricingTier = "smart-outreach"
	TierThirdPartyProviders PricingTier = "third-party-providers"
)

func (PricingTier) Values() []PricingTier {
	return []PricingTier{TierInstant, TierCredentials, TierSmartOutreach, TierThirdPartyProviders}
}

// PayFrequency is how often salary is paid, or the unit that it is stated in (spec 2.3, pay_frequency).
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

// EmploymentType is the contract of a position (spec 2.3, employment_type).
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

// ReducedCovid says whether the salary was reduced because of COVID-19 (spec 2.3, reduced_covid).
type ReducedCovid string

const (
	ReducedCovidYes     ReducedCovid = "yes"
	ReducedCovidNo      ReducedCovid = "no"
	ReducedCovidUnknown ReducedCovid = "unknown"
)

func (ReducedCovid) Values() []ReducedCovid {
	return []ReducedCovid{ReducedCovidYes, ReducedCovidNo, ReducedCovidUnknown}
}

// EmployerFilter says which employers a request asks about (spec 2.2, employer_filter).
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

// QualificationKind says whose income a qualification check judges (spec 2.7, kind).
type QualificationKind string

const (
	KindApplicant QualificationKind = "applicant"
	KindGuarantor QualificationKind = "guarantor"
)

func (QualificationKind) Values() []QualificationKind {
	return []QualificationKind{KindApplicant, KindGuarantor}
}

// QualificationOutcome is the verdict of a qualification check (spec 2.7, outcome).
type QualificationOutcome string

const (
	OutcomeQualified            QualificationOutcome = "qualified"
	OutcomeNotQualified         QualificationOutcome = "not_qualified"
	OutcomeNotEnoughInformation QualificationOutcome = "not_enough_information"
)

func (QualificationOutcome) Values() []QualificationOutcome {
	return []QualificationOutcome{OutcomeQualified, OutcomeNotQualified, OutcomeNotEnoughInformation}
}

// IncomeFidelity says where an income figure comes from (spec 2.7, monthly_gross_income_fidelity).
type IncomeFidelity string

const (
	FidelityEstimate IncomeFidelity = "estimate"
	FidelitySource   IncomeFidelity = "source"
)

func (IncomeFidelity) Values() []IncomeFidelity {
	return []IncomeFidelity{FidelityEstimate, FidelitySource}
}

// Currency of a money amount (spec 2.1); only USD is supported (spec section 8).
type Currency string

// USD is the only currency.
const USD Currency = "USD"

func (Currency) Values() []Currency { return []Currency{USD} }

// GovernmentIDType names the register of an employer's government id (spec 2.3).
type GovernmentIDType string

// USFEIN is the United States' federal employer identification number, the only register.
const USFEIN GovernmentIDType = "us-fein"

func (GovernmentIDType) Values() []GovernmentIDType { return []GovernmentIDType{USFEIN} }

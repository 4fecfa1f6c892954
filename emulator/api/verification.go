package api

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

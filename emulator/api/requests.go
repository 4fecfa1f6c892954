package api

import (
	"net/http"
	"strconv"
)

// Cancellation is the body of a cancel request (spec 4.1).
type Cancellation struct {
	Reason  CancellationReason
	Details *string // free text, may be blank
}

// DecodeCancellation decodes and validates a [Cancellation]. Its error is an [*Error] with status 400.
func DecodeCancellation(r *http.Request) (Cancellation, []Note, error) {
	return decodeBody(r, func(body *object) Cancellation {
		defer body.noteUnknown()
		return Cancellation{enum[CancellationReason](body, "cancellation_reason", required), body.optionalText("cancellation_details")}
	})
}

// DecodeTenantPropertyUpdate decodes and validates an update of a tenant property. It replaces everything but id and status
// (spec 4.3). Its error is an [*Error] with status 400.
func DecodeTenantPropertyUpdate(r *http.Request) (TenantProperty, []Note, error) {
	return decodeBody(r, func(body *object) TenantProperty {
		defer body.noteUnknown()
		return TenantProperty{
			Name:         body.text("name"),
			AddressLine1: body.optionalText("address_line_1"),
			AddressLine2: body.optionalText("address_line_2"),
			AddressLine3: body.optionalText("address_line_3"),
			City:         body.optionalText("city"),
			PostalCode:   body.optionalText("postal_code"),
			State:        body.optionalText("state"),
		}
	})
}

// NewCredentialsSession is the body of a request for a credentials session (spec 4.4), or for a verification request, which the
// spec does not show and which has more.
type NewCredentialsSession struct {
	Type                     VerificationType
	UseCase                  UseCase // "" where a verification request leaves it out
	PermissiblePurpose       PermissiblePurpose
	Metadata                 map[string]string // empty by default, nil for null
	ResellerOriginatingParty *ResellerOriginatingParty
	Target                   SessionTarget

	// Of a verification request only.
	Sync                  bool     // completed or canceled before the answer
	Documents             []string // file names
	BranchID              *string
	LoanID                *string
	AdditionalInformation *string
	EmployerFilter        EmployerFilter       // "": the usual one
	Methods               *VerificationMethods // nil: the usual ones
}

// SessionTarget is the target of a [NewCredentialsSession] (spec 4.4).
type SessionTarget struct {
	FirstName            string
	LastName             string
	SocialSecurityNumber SSN
	Company              *Company // has a name or an ID; an id that is no integer leaves ID nil
	ContactEmail         *string
	DateOfBirth          *Date
	PhoneNumber          *string
}

// DecodeNewCredentialsSession decodes and validates a [NewCredentialsSession]. Its error is an [*Error] with status 400.
func DecodeNewCredentialsSession(r *http.Request) (NewCredentialsSession, []Note, error) {
	return decodeBody(r, func(body *object) NewCredentialsSession {
		in := readSession(body, required)
		body.noteUnknown()
		in.note(body.findings, "session")
		return in
	})
}

// readSession takes what sessions and verification requests have.
func readSession(body *object, useCase presence) NewCredentialsSession {
	return NewCredentialsSession{
		PermissiblePurpose:       enum[PermissiblePurpose](body, "permissible_purpose", required),
		Type:                     enum[VerificationType](body, "type", required),
		UseCase:                  enum(body, "use_case", useCase, useCaseOther),
		Metadata:                 body.metadata("metadata"),
		ResellerOriginatingParty: readReseller(body),
		Target:                   readTarget(body),
	}
}

func readTarget(body *object) (t SessionTarget) {
	target, ok := body.object("target", required)
	if !ok {
		return t
	}
	defer target.noteUnknown()
	return SessionTarget{
		FirstName:            target.text("first_name"),
		LastName:             target.text("last_name"),
		SocialSecurityNumber: parsed(target, "social_security_number", required, ParseSSN),
		Company:              readCompany(target),
		ContactEmail:         target.optionalText("contact_email"),
		DateOfBirth: parsed(target, "date_of_birth", optional, func(text string) (*Date, error) {
			date, err := parseDate(text)
			return &date, err
		}),
		PhoneNumber: target.optionalText("phone_number"),
	}
}

// readCompany takes the target's company, which has a name or an id (spec 4.4).
func readCompany(target *object) *Company {
	company, ok := target.object("company", optional)
	if !ok {
		return nil
	}
	defer company.noteUnknown()
	c := Company{
		Address:     company.optionalText("address"),
		City:        company.optionalText("city"),
		PhoneNumber: company.optionalText("phone_number"),
		State:       company.optionalText("state"),
		ZipCode:     company.optionalText("zip_code"),
	}
	if company.has("name") && company.has("id") {
		target.problem("company", "must have a name or an id, not both")
	}
	if company.has("id") {
		text := company.text("id")
		if id, err := strconv.Atoi(text); err == nil && strconv.Itoa(id) == text {
			c.ID = &id
		}
		delete(company.members, "name")
	} else {
		c.Name = new(company.text("name"))
		delete(company.members, "id")
	}
	return &c
}

func readReseller(body *object) *ResellerOriginatingParty {
	const name = "reseller_originating_party"
	given := string(body.members[name])
	party, ok := body.object(name, optional)
	if !ok {
		if given == "null" {
			body.findings.notes.add(resellerMissing.note(name+" is null, but reseller requests require it", ""))
		}
		return nil
	}
	defer party.noteUnknown()
	return &ResellerOriginatingParty{
		OriginatingParty:   party.text("originating_party"),
		PermissiblePurpose: enum[PermissiblePurpose](party, "permissible_purpose", required),
		UseCase:            enum(party, "use_case", required, useCaseOther),
	}
}

// note adds notes for rules that depend on things an emulator does not know, such as the kind of account.
func (in NewCredentialsSession) note(found *findings, what string) {
	if in.ResellerOriginatingParty != nil {
		found.notes.add(resellerGiven.note("reseller_originating_party must not be given for non-reseller requests", ""))
	}
	if len(found.problems.listed) == 0 && in.Target.DateOfBirth == nil && in.Target.Company == nil {
		found.notes.add(birthDateMissing.note("target.date_of_birth is required for employer search, which a "+what+" without a company asks for", ""))
	}
}

// Note returns notes about the target's number, which a scenario may list, and about an age below 14 or of 120 and more on a day.
func (in NewCredentialsSession) Note(listed bool, today Date) (notes []Note) {
	ssn := in.Target.SocialSecurityNumber
	if why := ssn.CouldBeReal(); why != "" {
		notes = append(notes, ssnCouldBeReal.note("target.social_security_number "+why, ""))
	} else if !listed {
		notes = append(notes, ssnUnlisted.note("no scenario names target.social_security_number, which ends with "+ssn.LastFour(), ""))
	}
	born, t := in.Target.DateOfBirth, today.Time()
	if born != nil && (*born > DateOf(t.AddDate(-14, 0, 0)) || *born <= DateOf(t.AddDate(-120, 0, 0))) {
		notes = append(notes, birthDateUnlikely.note(
			"target.date_of_birth makes the target younger than 14 or older than 120 years on the world's day", ": the report ignores it"))
	}
	return notes
}

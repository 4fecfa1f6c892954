package api

import (
	"fmt"
	"net/http"
	"strconv"
)

// CredentialsSession is the answer to the creation of a credentials session (spec 2.6).
type CredentialsSession struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// NewCredentialsSession is the body that creates a credentials session (spec 4.4).
type NewCredentialsSession struct {
	Type                     VerificationType
	UseCase                  UseCase
	PermissiblePurpose       PermissiblePurpose
	Metadata                 map[string]string // empty by default, nil for null
	ResellerOriginatingParty *ResellerOriginatingParty
	Target                   SessionTarget
}

// SessionTarget is the person that a session is about (spec 4.4, target).
type SessionTarget struct {
	FirstName            string
	LastName             string
	SocialSecurityNumber SSN
	Company              *SessionCompany
	ContactEmail         *string
	DateOfBirth          *Date
	PhoneNumber          *string
}

// SessionCompany is the person's employer, by name or by id (spec 4.4, company): exactly one of the two is not empty.
type SessionCompany struct {
	Name        string
	ID          string
	Address     *string
	City        *string
	PhoneNumber *string
	State       *string
	ZipCode     *string
}

// Output returns the company as a verification request shows it (spec 2.2); nil stays nil. An id that is not a number
// cannot be shown and becomes null.
func (c *SessionCompany) Output() *Company {
	if c == nil {
		return nil
	}
	out := &Company{Address: c.Address, City: c.City, State: c.State, ZipCode: c.ZipCode, PhoneNumber: c.PhoneNumber}
	if c.Name != "" {
		out.Name = &c.Name
	}
	if c.ID != "" {
		if id, err := strconv.Atoi(c.ID); err == nil && strconv.Itoa(id) == c.ID {
			out.ID = &id
		}
	}
	return out
}

// DecodeNewCredentialsSession reads and validates the body that creates a session. An error is an [*Error] with status
// 400.
func DecodeNewCredentialsSession(r *http.Request) (in NewCredentialsSession, notes []Note, err error) {
	body, err := readBody(r)
	if err != nil {
		return in, nil, err
	}
	in = NewCredentialsSession{
		PermissiblePurpose:       enum[PermissiblePurpose](body, "permissible_purpose"),
		Type:                     enum[VerificationType](body, "type"),
		UseCase:                  enum[UseCase](body, "use_case"),
		Metadata:                 body.metadata("metadata"),
		ResellerOriginatingParty: readReseller(body),
		Target:                   readTarget(body),
	}
	body.noteUnknown()
	in.note(body.findings)
	notes, err = body.findings.result()
	return in, notes, err
}

func readTarget(body object) (t SessionTarget) {
	target, ok := body.object("target", required)
	if !ok {
		return t
	}
	defer target.noteUnknown()
	return SessionTarget{
		FirstName:            target.text("first_name"),
		LastName:             target.text("last_name"),
		SocialSecurityNumber: target.ssn("social_security_number"),
		Company:              readCompany(target),
		ContactEmail:         target.optionalText("contact_email"),
		DateOfBirth:          target.optionalDate("date_of_birth"),
		PhoneNumber:          target.optionalText("phone_number"),
	}
}

func readCompany(target object) *SessionCompany {
	company, ok := target.object("company", optional)
	if !ok {
		return nil
	}
	defer company.noteUnknown()
	c := SessionCompany{
		Address:     company.optionalText("address"),
		City:        company.optionalText("city"),
		PhoneNumber: company.optionalText("phone_number"),
		State:       company.optionalText("state"),
		ZipCode:     company.optionalText("zip_code"),
	}
	byName, byID := company.members["name"] != nil, company.members["id"] != nil
	if byName && byID {
		target.problem("company", "must have a name or an id, not both")
	}
	if byID {
		c.ID = company.text("id")
		delete(company.members, "name")
	} else {
		c.Name = company.text("name")
		delete(company.members, "id")
	}
	return &c
}

func readReseller(body object) *ResellerOriginatingParty {
	const name = "reseller_originating_party"
	raw, present := body.members[name]
	party, ok := body.object(name, optional)
	if !ok {
		if present && raw == nil {
			body.findings.notes.add(Note{Cause: ResellerMissing, What: name + " is null, which reseller requests may not have"})
		}
		return nil
	}
	defer party.noteUnknown()
	return &ResellerOriginatingParty{
		OriginatingParty:   party.text("originating_party"),
		PermissiblePurpose: enum[PermissiblePurpose](party, "permissible_purpose"),
		UseCase:            enum[UseCase](party, "use_case"),
	}
}

// note records what the spec makes depend on things that an emulator cannot know: the kind of account and of request.
func (in NewCredentialsSession) note(found *findings) {
	if in.ResellerOriginatingParty != nil {
		found.notes.add(Note{Cause: ResellerGiven, What: "reseller_originating_party must not be given for non-reseller requests"})
	}
	if len(found.problems.told) == 0 && in.Target.DateOfBirth == nil && in.Target.Company == nil {
		found.notes.add(Note{
			Cause: BirthDateMissing,
			What:  "target.date_of_birth is required for employer search, which a session without a company asks for",
		})
	}
	if in.Target.SocialSecurityNumber.CouldBeReal() {
		found.notes.add(Note{Cause: SSNCouldBeReal, What: "target.social_security_number " + CouldBeRealSSN})
	}
}

// The ages in years that employees have.
const (
	leastAge = 14
	mostAge  = 120
)

// NoteAge returns a note where the person is too young on a day to be employed, or too old.
func (in NewCredentialsSession) NoteAge(today Date) []Note {
	born := in.Target.DateOfBirth
	if born == nil {
		return nil
	}
	t := today.Time()
	if *born <= DateOf(t.AddDate(-leastAge, 0, 0)) && *born > DateOf(t.AddDate(-mostAge, 0, 0)) {
		return nil
	}
	return []Note{{
		Cause: BirthDateUnlikely,
		What:  fmt.Sprintf("target.date_of_birth is that of nobody who is %d to %d years old on the world's day", leastAge, mostAge),
		Mend:  ": the report is drawn without regard to it",
	}}
}

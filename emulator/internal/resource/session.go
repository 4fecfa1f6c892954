package resource

import (
	"cmp"
	"errors"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// StartSession returns the verification request that a credentials session creates.
func StartSession(at Scene, s *scenarios.Scenario, id string, in api.NewCredentialsSession, session *api.CredentialsSession) Request {
	v := Start(s, id, at.Fixtures.Identity(in.Target.SocialSecurityNumber), sessionShape(at.mixed(s, in), in), at.Now, at.Now)
	v.Session = session
	v.begin(s.Timeline()[0], at.Now, at.manual(s))
	return v
}

// ScenarioOf returns the scenario of a social security number.
func (at Scene) ScenarioOf(ssn api.SSN) (*scenarios.Scenario, error) {
	if s := at.Catalogue.BySSN(ssn); s != nil {
		return s, nil
	}
	return nil, errors.New("no scenario is for sessions: the catalogue needs one with magic: {ssn: any}")
}

// ScenarioNamed returns a scenario of a catalogue. Its error for an unknown name is a 404.
func ScenarioNamed(catalogue *scenarios.Catalogue, name string) (*scenarios.Scenario, error) {
	if s := catalogue.ByName(name); s != nil {
		return s, nil
	}
	return nil, api.Because(404, "There is no scenario "+api.Quote(name)+api.DidYouMean(name, catalogue.Names(), ": the list of scenarios has the names"))
}

// mixed returns the scenario of a person, with reports of the population for a number that no scenario names, if the server has one.
func (at Scene) mixed(s *scenarios.Scenario, in api.NewCredentialsSession) *scenarios.Scenario {
	if at.Fixtures.Population == nil || s.Magic.SSN != scenarios.AnySSN || len(s.Reports) > 0 {
		return s
	}
	mixed, identity := *s, at.Fixtures.Identity(in.Target.SocialSecurityNumber)
	given := fixtures.Given{Person: &fixtures.Person{DateOfBirth: in.Target.DateOfBirth}, Company: in.Target.Company}
	mixed.Reports = at.Fixtures.Mix(identity, at.Now, fixtures.VerificationShape{Given: given}, nil).Reports
	return &mixed
}

// sessionShape returns the shape of a session's verification request: the scenario's, with the fields of the body.
func sessionShape(s *scenarios.Scenario, in api.NewCredentialsSession) fixtures.VerificationShape {
	shape := s.VerificationShape()
	shape.Type, shape.UseCase, shape.PermissiblePurpose = in.Type, in.UseCase, in.PermissiblePurpose
	shape.Metadata = in.Metadata
	shape.ResellerOriginatingParty = in.ResellerOriginatingParty
	shape.PricingTier = api.TierCredentials
	filter := api.EmployersAll
	if in.Target.Company != nil && len(shape.Reports) < 2 {
		filter = api.EmployersTarget
	}
	shape.EmployerFilter = cmp.Or(shape.EmployerFilter, filter)
	shape.Target = &fixtures.Person{
		FirstName:   in.Target.FirstName,
		LastName:    in.Target.LastName,
		LastFour:    in.Target.SocialSecurityNumber.LastFour(),
		DateOfBirth: in.Target.DateOfBirth,
		Email:       in.Target.ContactEmail,
		Phone:       in.Target.PhoneNumber,
		Company:     in.Target.Company,
	}
	return shape
}

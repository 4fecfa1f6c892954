package world

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// origin is what a new resource is called, and made of.
type origin struct {
	ID       *string `yaml:"id"`       // nil: a new one
	Scenario *string `yaml:"scenario"` // that it looks like; nil: none
}

// create stores a new resource of a text in the language of scenario files: of a scenario, of explicit fields, or of both,
// when these take the place of the scenario's. The text is read into a structure with an origin, and build returns what is
// stored; without a scenario it is given an empty one.
func (w *World) create(kind scenarios.Kind, text []byte, into any, from *origin, build func(s *scenarios.Scenario, id string) (any, error)) error {
	if err := decode(text, into); err != nil {
		return err
	}
	s := &scenarios.Scenario{}
	if from.Scenario != nil {
		if *from.Scenario == "" {
			return api.Because(http.StatusBadRequest, "scenario must not be empty: name one of GET scenarios, or leave it out")
		}
		var err error
		if s, err = w.ScenarioNamed(*from.Scenario); err != nil {
			return err
		}
	}
	id, err := w.newID(kind, from.ID)
	if err != nil {
		return err
	}
	stored, err := build(s, id)
	if err != nil {
		return err
	}
	_, err = w.save(prefixes[kind]+id, stored)
	return err
}

// CreateVerification makes a verification request of a text in the language of scenario files: of a scenario, of explicit
// fields, or of both.
func (w *World) CreateVerification(text []byte) (made Verification, err error) {
	var in struct {
		origin              `yaml:",inline"`
		State               api.State                   `yaml:"state"` // "": where the timeline begins, completed without one
		VerificationRequest *fixtures.VerificationShape `yaml:"verification_request"`
		Reports             []fixtures.ReportShape      `yaml:"reports"`
	}
	err = w.create(scenarios.VerificationRequestID, text, &in, &in.origin, func(s *scenarios.Scenario, id string) (any, error) {
		shape := s.VerificationShape()
		if in.VerificationRequest != nil {
			shape = *in.VerificationRequest
		}
		if shape.Reports = in.Reports; in.Reports == nil {
			shape.Reports = s.Reports
		}
		if err := firstViolation("", shape); err != nil { // its parts may be from two places
			return nil, api.Because(http.StatusBadRequest, "The request "+err.Error())
		}
		v := start(s, id, id, shape, w.now, w.now)
		if in.State != "" && in.State != v.Progress.State {
			v.Entered, v.Progress = nil, fixtures.Progress{Created: w.now}
			v.transition(w, scenarios.Step{State: in.State})
		}
		if v.Progress.State == api.StateCompleted { // it was asked for before it was completed
			v.Progress.Created = w.now.Add(-w.fixtures.Turnaround(id))
		}
		if in.VerificationRequest != nil {
			if err := v.checkSet(w, in.VerificationRequest.Set); err != nil {
				return nil, err
			}
		}
		v.stored = true
		made = v.show(w)
		return v, nil
	})
	return made, err
}

// CreateTenantProperty makes a tenant property as [World.CreateVerification] does; fields are laid over the scenario's.
func (w *World) CreateTenantProperty(text []byte) (p api.TenantProperty, err error) {
	var in struct {
		origin         `yaml:",inline"`
		TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
	}
	err = w.create(scenarios.TenantPropertyID, text, &in, &in.origin, func(s *scenarios.Scenario, id string) (any, error) {
		shape := s.TenantPropertyShape()
		if shape.Set, err = shape.Set.With(in.TenantProperty.Set); err != nil {
			return nil, err
		}
		p = w.fixtures.TenantProperty(id, shape)
		return p, nil
	})
	return p, err
}

// CreateQualification makes a qualification check as [World.CreateVerification] does.
func (w *World) CreateQualification(text []byte) (check api.QualificationCheck, err error) {
	var in struct {
		origin             `yaml:",inline"`
		QualificationCheck *fixtures.QualificationShape `yaml:"qualification_check"`
		Reports            []fixtures.ReportShape       `yaml:"reports"`
	}
	err = w.create(scenarios.QualificationCheckID, text, &in, &in.origin, func(s *scenarios.Scenario, id string) (any, error) {
		q := qualification{Created: w.now, Shape: s.QualificationShape()}
		if in.QualificationCheck != nil {
			q.Shape = *in.QualificationCheck
		}
		if q.Shape.Reports = in.Reports; in.Reports == nil {
			q.Shape.Reports = s.Reports
		}
		check = w.draw(id, q)
		return q, nil
	})
	return check, err
}

// CreateSession creates a credentials session and its verification request, which has the session's id with vr_ for cs_
// (spec 4.4). It returns the name of the scenario that they follow too.
func (w *World) CreateSession(in api.NewCredentialsSession) (session api.CredentialsSession, scenario string, err error) {
	s := w.catalogue.BySSN(in.Target.SocialSecurityNumber)
	if s == nil {
		return session, "", errors.New("no scenario is for sessions: the catalogue needs one with magic: {ssn: any}")
	}
	var number int
	id, err := w.freeID(scenarios.VerificationRequestID, "sessions", func(n int) string {
		number = n
		return "vr_" + w.fixtures.ID("", "session "+strconv.Itoa(n), w.now)
	})
	if err != nil {
		return session, s.Name, err
	}
	session = api.CredentialsSession{
		ID:    "cs_" + strings.TrimPrefix(id, "vr_"),
		Token: w.fixtures.ID("cst_", "session token "+strconv.Itoa(number), w.now),
	}
	v := start(s, id, w.fixtures.Identity(in.Target.SocialSecurityNumber), sessionShape(s, in), w.now, w.now)
	v.Session = &session
	_, err = w.save(prefixes[scenarios.VerificationRequestID]+id, v)
	return session, s.Name, err
}

// sessionShape returns what a session's verification request looks like: the scenario's reports, and what the body said.
func sessionShape(s *scenarios.Scenario, in api.NewCredentialsSession) fixtures.VerificationShape {
	shape := s.VerificationShape()
	shape.Type, shape.UseCase, shape.PermissiblePurpose = in.Type, in.UseCase, in.PermissiblePurpose
	shape.Metadata = in.Metadata
	shape.ResellerOriginatingParty = in.ResellerOriginatingParty
	shape.PricingTier = api.TierCredentials
	shape.EmployerFilter = api.EmployersAll
	if in.Target.Company != nil {
		shape.EmployerFilter = api.EmployersTarget
	}
	shape.Person = &fixtures.Person{
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

// NamesSSN reports whether a scenario is for this very number.
func (w *World) NamesSSN(ssn api.SSN) bool {
	s := w.catalogue.BySSN(ssn)
	return s != nil && s.Magic.SSN != scenarios.AnySSN
}

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

// decodeNew reads a text that makes a resource, and returns the scenario of its origin, an empty one when it has none. Its
// error for a text that is not right, and for a name that no scenario has, is an [*api.Error].
func (w *World) decodeNew(text []byte, into any, from *origin) (*scenarios.Scenario, error) {
	if err := decode(text, into); err != nil {
		return nil, err
	}
	switch {
	case from.Scenario == nil:
		return &scenarios.Scenario{}, nil
	case *from.Scenario == "":
		return nil, api.Because(http.StatusBadRequest, "scenario must not be empty: name one of GET scenarios, or leave it out")
	}
	return w.ScenarioNamed(*from.Scenario)
}

// CreateVerification makes a verification request of a text in the language of scenario files: of a scenario, of explicit
// fields, or of both, when these take the place of the scenario's. Its error for a text that is not right, and for an id
// that is taken, is an [*api.Error].
func (w *World) CreateVerification(text []byte) (Verification, error) {
	var in struct {
		origin              `yaml:",inline"`
		State               api.State                   `yaml:"state"` // "": where the timeline begins, completed without one
		VerificationRequest *fixtures.VerificationShape `yaml:"verification_request"`
		Reports             []fixtures.ReportShape      `yaml:"reports"`
	}
	s, err := w.decodeNew(text, &in, &in.origin)
	if err != nil {
		return Verification{}, err
	}
	shape := s.VerificationShape()
	if in.VerificationRequest != nil {
		shape = *in.VerificationRequest
	}
	if shape.Reports = in.Reports; in.Reports == nil {
		shape.Reports = s.Reports
	}
	if err := firstViolation("", shape); err != nil { // its parts may be from two places
		return Verification{}, api.Because(http.StatusBadRequest, "The request "+err.Error())
	}
	id, err := w.newID(scenarios.VerificationRequestID, in.ID)
	if err != nil {
		return Verification{}, err
	}
	v := w.begin(s, id, shape, in.State)
	if in.VerificationRequest != nil {
		if err := v.checkSet(w, id, in.VerificationRequest.Set); err != nil {
			return Verification{}, err
		}
	}
	_, err = w.saveVerification(id, v)
	return w.inspect(id, v), err
}

// begin returns a verification request that begins now, in a state if one is wanted.
func (w *World) begin(s *scenarios.Scenario, id string, shape fixtures.VerificationShape, state api.State) verification {
	v := start(s, id, shape, w.now, w.now)
	if state != "" && state != v.Progress.State {
		v.Entered, v.Progress = nil, fixtures.Progress{Created: w.now}
		v.transition(s.Timeline(), scenarios.Step{State: state}, w.now)
	}
	if v.Progress.State == api.StateCompleted { // it was asked for before it was completed
		v.Progress.Created = w.now.Add(-w.fixtures.Turnaround(id))
	}
	return v
}

// CreateTenantProperty makes a tenant property of a text in the language of scenario files, as
// [World.CreateVerification] does; fields are laid over the scenario's.
func (w *World) CreateTenantProperty(text []byte) (p api.TenantProperty, err error) {
	var in struct {
		origin         `yaml:",inline"`
		TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
	}
	s, err := w.decodeNew(text, &in, &in.origin)
	if err != nil {
		return p, err
	}
	shape := s.TenantPropertyShape()
	if shape.Set, err = shape.Set.With(in.TenantProperty.Set); err != nil {
		return p, err
	}
	id, err := w.newID(scenarios.TenantPropertyID, in.ID)
	if err != nil {
		return p, err
	}
	p = w.fixtures.TenantProperty(id, shape)
	_, err = w.save(resourceName(scenarios.TenantPropertyID, id), p)
	return p, err
}

// CreateQualification makes a qualification check of a text in the language of scenario files, as
// [World.CreateVerification] does.
func (w *World) CreateQualification(text []byte) (check api.QualificationCheck, err error) {
	var in struct {
		origin             `yaml:",inline"`
		QualificationCheck *fixtures.QualificationShape `yaml:"qualification_check"`
		Reports            []fixtures.ReportShape       `yaml:"reports"`
	}
	s, err := w.decodeNew(text, &in, &in.origin)
	if err != nil {
		return check, err
	}
	shape := s.QualificationShape()
	if in.QualificationCheck != nil {
		shape = *in.QualificationCheck
	}
	if shape.Reports = in.Reports; in.Reports == nil {
		shape.Reports = s.Reports
	}
	id, err := w.newID(scenarios.QualificationCheckID, in.ID)
	if err != nil {
		return check, err
	}
	q := qualification{Created: w.now, Shape: shape}
	_, err = w.save(resourceName(scenarios.QualificationCheckID, id), q)
	return w.draw(id, q), err
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
	v := start(s, w.fixtures.Identity(in.Target.SocialSecurityNumber), sessionShape(s, in), w.now, w.now)
	v.Session = &session
	_, err = w.saveVerification(id, v)
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

// idPrefixes begin the ids that are made here.
var idPrefixes = map[scenarios.Kind]string{
	scenarios.VerificationRequestID: "vr_", scenarios.TenantPropertyID: "tp_", scenarios.QualificationCheckID: "qc_",
}

// newID returns the id of a new resource: the one that is wanted, else the first new one that nothing of the kind has. Its
// error for one that is taken, or that no resource can have, is an [*api.Error].
func (w *World) newID(kind scenarios.Kind, wanted *string) (string, error) {
	if wanted == nil {
		return w.freeID(kind, "created", func(n int) string {
			return w.fixtures.ID(idPrefixes[kind], "created "+strconv.Itoa(n), w.now)
		})
	}
	if !scenarios.ValidID(*wanted) {
		return "", api.Because(http.StatusBadRequest, "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: "+
			"choose another, or leave id out")
	}
	stored, err := w.get(resourceName(kind, *wanted))
	if err != nil {
		return "", err
	}
	if stored != nil || w.catalogue.ByID(kind, *wanted) != nil {
		return "", api.Because(http.StatusConflict, "The id "+*wanted+" is taken: choose another")
	}
	return *wanted, nil
}

// freeID returns the first id of a counter's numbers that no resource has.
func (w *World) freeID(kind scenarios.Kind, counter string, of func(number int) string) (string, error) {
	for {
		number, err := w.next(counter)
		if err != nil {
			return "", err
		}
		id := of(number)
		if stored, err := w.get(resourceName(kind, id)); err != nil || stored == nil {
			return id, err
		}
	}
}

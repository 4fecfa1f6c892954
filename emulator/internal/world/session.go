package world

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// CreateSession creates a credentials session and its verification request, whose id is the session's with vr_ in place of
// cs_ (spec 4.4). It also returns the name of their scenario.
func (tx *Tx) CreateSession(in api.NewCredentialsSession) (session api.CredentialsSession, scenario string, err error) {
	s := tx.catalogue.BySSN(in.Target.SocialSecurityNumber)
	if s == nil {
		return session, "", errors.New("no scenario is for sessions: the catalogue needs one with magic: {ssn: any}")
	}
	var number int
	id, err := tx.freeID(scenarios.VerificationRequestID, "sessions", func(n int) string {
		number = n
		return "vr_" + tx.fixtures.ID("", "session "+strconv.Itoa(n), tx.now)
	})
	if err != nil {
		return session, s.Name, err
	}
	session = api.CredentialsSession{
		ID:    "cs_" + strings.TrimPrefix(id, "vr_"),
		Token: tx.fixtures.ID("cst_", "session token "+strconv.Itoa(number), tx.now),
	}
	identity := tx.fixtures.Identity(in.Target.SocialSecurityNumber)
	mixed := *s
	if tx.worlds.config.Mix && s.Magic.SSN == scenarios.AnySSN && len(s.Reports) == 0 {
		mixed.Reports = tx.fixtures.Mix(identity, tx.now, in.Target.DateOfBirth).Reports
	}
	v := start(s, id, identity, sessionShape(&mixed, in), tx.now, tx.now)
	v.Session = &session
	_, err = tx.save(prefixes[scenarios.VerificationRequestID]+id, v)
	return session, s.Name, err
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

// NamesSSN reports whether a scenario names exactly this number.
func (tx *Tx) NamesSSN(ssn api.SSN) bool {
	s := tx.catalogue.BySSN(ssn)
	return s != nil && s.Magic.SSN != scenarios.AnySSN
}

// CredentialsSession returns the verification request that a credentials session created.
func (w *World) CredentialsSession(ctx context.Context, id string) (Verification, error) {
	return read(ctx, w, func(tx *Tx) (Verification, error) {
		r, err := tx.Find(scenarios.VerificationRequestID, requestOf(id))
		if err != nil {
			return Verification{}, err
		}
		if v := r.request; v != nil && v.Session != nil && v.Session.ID == id {
			return v.show(tx)
		}
		return Verification{}, notFound("There is no credentials session " + api.Quote(id))
	})
}

// ListCredentialsSessions returns up to limit verification requests that credentials sessions created, in the order of
// their ids, from the first after a session.
func (w *World) ListCredentialsSessions(ctx context.Context, after string, limit int) ([]Verification, error) {
	return w.ListVerificationRequests(ctx, requestOf(after), limit, func(v Verification) bool { return v.SessionID != "" })
}

// ValidSessionID reports whether a credentials session can have an id.
func ValidSessionID(id string) bool { return strings.HasPrefix(id, "cs_") && scenarios.ValidID(id) }

// requestOf returns the id of a session's verification request, "" for "".
func requestOf(session string) string { return strings.Replace(session, "cs_", "vr_", 1) }

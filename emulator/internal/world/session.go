package world

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Prefixes of the names under which a world stores the id of a session's verification request, by the session's id, and the
// session's id, by its token. A snapshot has neither.
const (
	sessionPrefix = "cs/"
	tokenPrefix   = "token/"
)

// CreateSession creates a credentials session and its verification request (spec 4.4). Their ids are unrelated. It also
// returns the name of their scenario.
func (tx *Tx) CreateSession(in api.NewCredentialsSession) (session api.CredentialsSession, scenario string, err error) {
	s, err := tx.scenarioOf(in.Target.SocialSecurityNumber)
	if err != nil {
		return session, "", err
	}
	var id string
	err = tx.values.CountUp("sessions", func(n int) []string {
		number := strconv.Itoa(n)
		id = tx.fixtures.ID("", "session "+number, tx.now)
		if !tx.fixtures.Grease {
			id = "vr_" + id
		}
		session.ID = tx.fixtures.ID("cs_", "session "+number, tx.now)
		session.Token = tx.fixtures.ID("cst_", "session token "+number, tx.now)
		return []string{prefixes[scenarios.VerificationRequestID] + id, sessionPrefix + session.ID, tokenPrefix + session.Token}
	})
	if err != nil {
		return session, s.Name, err
	}
	v := start(s, id, tx.fixtures.Identity(in.Target.SocialSecurityNumber), sessionShape(tx.mixed(s, in), in), tx.now, tx.now)
	v.Session = &session
	v.begin(s.Timeline()[0], tx.now, tx.manual(s))
	_, err = tx.saveVerification(&v)
	for _, entry := range v.sessionIndex() {
		err = cmp.Or(err, tx.values.Put(entry.name, entry.value))
	}
	return session, s.Name, err
}

// scenarioOf returns the scenario of a social security number.
func (tx *Tx) scenarioOf(ssn api.SSN) (*scenarios.Scenario, error) {
	if s := tx.catalogue.BySSN(ssn); s != nil {
		return s, nil
	}
	return nil, errors.New("no scenario is for sessions: the catalogue needs one with magic: {ssn: any}")
}

// mixed returns the scenario of a person, with reports of the population for a number that no scenario names, if the server has one.
func (tx *Tx) mixed(s *scenarios.Scenario, in api.NewCredentialsSession) *scenarios.Scenario {
	if tx.worlds.config.Population == nil || s.Magic.SSN != scenarios.AnySSN || len(s.Reports) > 0 {
		return s
	}
	mixed, identity := *s, tx.fixtures.Identity(in.Target.SocialSecurityNumber)
	given := fixtures.Given{Person: &fixtures.Person{DateOfBirth: in.Target.DateOfBirth}}
	mixed.Reports = tx.fixtures.Mix(identity, tx.now, fixtures.VerificationShape{Given: given}, nil).Reports
	return &mixed
}

// sessionIndex returns what a world stores beside the request, to find it by its session: nothing without one.
func (v *verification) sessionIndex() []storedValue {
	if v.Session == nil {
		return nil
	}
	return []storedValue{{sessionPrefix + v.Session.ID, []byte(v.id)}, {tokenPrefix + v.Session.Token, []byte(v.Session.ID)}}
}

// indexOf returns what a world stores beside the value of a name: nothing beside most.
func indexOf(name string, stored []byte) []storedValue {
	if about := delivery.IndexOf(name, stored); about != "" {
		return []storedValue{{name: about}}
	}
	id, ok := strings.CutPrefix(name, prefixes[scenarios.VerificationRequestID])
	v := verification{id: id}
	if !ok || json.Unmarshal(stored, &v) != nil {
		return nil
	}
	return v.sessionIndex()
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
	return read(ctx, w, func(tx *Tx) (Verification, error) { return tx.showSession(id) })
}

func (tx *Tx) showSession(id string) (Verification, error) {
	v, err := tx.session(id)
	if err != nil {
		return Verification{}, err
	}
	return v.show(tx)
}

// session returns the verification request of a credentials session.
func (tx *Tx) session(id string) (v verification, err error) {
	request, err := tx.values.Get(sessionPrefix + id)
	if err == nil && request == nil {
		err = notFound("There is no credentials session " + api.Quote(id))
	}
	if err != nil {
		return v, err
	}
	return tx.inspect(string(request))
}

// SessionOfToken returns the verification request of the credentials session that has a token.
func (tx *Tx) SessionOfToken(token string) (Verification, error) {
	id, err := tx.values.Get(tokenPrefix + token)
	if err == nil && id == nil {
		err = notFound("No credentials session of this world has this token")
	}
	if err != nil {
		return Verification{}, err
	}
	return tx.showSession(string(id))
}

// ListCredentialsSessions returns up to limit verification requests that credentials sessions created, in the order of the
// sessions' ids, from the first after a session.
func (w *World) ListCredentialsSessions(ctx context.Context, after string, limit int) ([]Verification, error) {
	return read(ctx, w, func(tx *Tx) (all []Verification, err error) {
		err = tx.values.Scan(sessionPrefix, after, func(_ string, request []byte) (more bool, err error) {
			v, err := tx.inspect(string(request))
			if err != nil {
				return false, err
			}
			shown := v.summary(tx)
			shown.Document = v.document(tx)
			all = append(all, shown)
			return len(all) < limit, nil
		})
		return all, err
	})
}
